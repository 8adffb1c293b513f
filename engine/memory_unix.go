//go:build unix

package engine

import (
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// offHeap returns n zero words that the garbage collector does not count: what
// it counts takes twice the memory, as it lets as much garbage grow beside it.
func offHeap(n int) (words []uint64, free func()) {
	b, free := anonymous(8 * n)
	if b == nil {
		return make([]uint64, n), nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n), free
}

// bytesOffHeap is offHeap for n bytes.
func bytesOffHeap(n int) (b []byte, free func()) {
	if b, free = anonymous(n); b == nil {
		b = make([]byte, n)
	}
	return b, free
}

// anonymous returns n bytes of memory of the system's, nil if it gives none.
func anonymous(n int) (b []byte, free func()) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	return b, func() { unix.Munmap(b) }
}

// mapFile maps a file into memory, to be read only; nil where that cannot be
// had. Pages are read at random, so that the system need not read their
// neighbours.
func mapFile(fd uintptr, size int64) []byte {
	if fd == vfs.InvalidFd || int64(int(size)) != size {
		return nil
	}
	b, err := unix.Mmap(int(fd), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	unix.Madvise(b, unix.MADV_RANDOM)
	return b
}

func unmapFile(b []byte) error {
	if b == nil {
		return nil
	}
	return unix.Munmap(b)
}
