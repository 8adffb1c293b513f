//go:build !unix

package host

// The limit of open files, on systems without one.

import "math"

// OpenFiles returns math.MaxUint64: no known limit.
func OpenFiles() uint64 { return math.MaxUint64 }
