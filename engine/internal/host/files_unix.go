//go:build unix

package host

// The limit of open files.

import (
	"math"

	"golang.org/x/sys/unix"
)

// OpenFiles returns how many files the process may open; math.MaxUint64 if unknown. Go's runtime
// has already raised the soft limit to the hard one.
func OpenFiles() uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return math.MaxUint64
	}
	return uint64(l.Cur)
}
