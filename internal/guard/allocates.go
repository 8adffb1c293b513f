package guard

// This file measures memory, for tests of decoders: what a length says must not be
// believed before there are so many bytes.

import "runtime"

// Allocates returns how many bytes f allocates, and whatever runs beside it.
func Allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
