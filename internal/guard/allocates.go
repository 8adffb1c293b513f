package guard

// Measuring memory, for tests of decoders: a decoder must not allocate the size that a
// length claims before it has seen so many bytes.

import "runtime"

// Allocates returns the bytes allocated during f, by any goroutine.
func Allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
