// Package guard gives tests memory that ends where nothing may be read or
// written, as assembly looks at no bounds. Where the system has none it is plain
// memory. And it tells tests of decoders how much memory these take.
package guard

import (
	"testing"
	"unsafe"
)

// Memory returns n zero values; what is read or written behind them faults. They
// are gone when the test has ended. Slices off the front have any length and
// alignment and the same end.
func Memory[T uint8 | uint16 | uint32 | uint64](t testing.TB, n int) []T {
	if n == 0 {
		return nil
	}
	b := bytes(t, n*int(unsafe.Sizeof(T(0))))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
