// Package guard helps tests detect memory faults: it provides memory that ends at an
// inaccessible page, since assembly checks no bounds, and it measures the allocations
// of decoders. On systems without guard pages it provides plain memory. Begin with
// Memory.
package guard

import (
	"testing"
	"unsafe"
)

// Memory returns n zero values; access past them faults. They are valid until the end
// of the test. Slices off the front have any length and alignment and the same end.
func Memory[T uint8 | uint16 | uint32 | uint64](t testing.TB, n int) []T {
	if n == 0 {
		return nil
	}
	b := bytes(t, n*int(unsafe.Sizeof(T(0))))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
