//go:build unix

package engine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// offHeap returns n zero words that the garbage collector does not count: what
// it counts takes twice the memory, as it lets as much garbage grow beside it.
func offHeap(n int) (words []uint64, free func()) {
	b, err := unix.Mmap(-1, 0, 8*n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]uint64, n), nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n), func() { unix.Munmap(b) }
}
