//go:build unix

package host

// How many files a process may have open.

import (
	"math"

	"golang.org/x/sys/unix"
)

// OpenFiles is how many the process may open, as far as the system says. Go's runtime has
// raised it as far as it may.
func OpenFiles() uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return math.MaxUint64
	}
	return uint64(l.Cur)
}
