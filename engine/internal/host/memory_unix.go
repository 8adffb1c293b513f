//go:build unix

package host

// Memory from the operating system: anonymous, or a mapped file.

import (
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// Words returns n zero words outside of the Go heap: heap memory costs twice its size, because
// the garbage collector lets as much garbage accumulate. The caller calls free once, after the
// last use; free is nil if the words come from the heap.
func Words(n int) (words []uint64, free func()) {
	b, free := anonymous(8 * n)
	if b == nil {
		return make([]uint64, n), nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n), free
}

// Bytes is Words for n bytes.
func Bytes(n int) (b []byte, free func()) {
	if b, free = anonymous(n); b == nil {
		b = make([]byte, n)
	}
	return b, free
}

// anonymous returns n bytes of anonymous memory; nil if the system refuses.
func anonymous(n int) (b []byte, free func()) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	huge(b)
	return b, func() { unix.Munmap(b) }
}

// Map maps a file read-only; nil if that is impossible. It advises random access, because a fault
// would otherwise read as much around it as the disk is set to read ahead, 128 kB to 8 MB. Release
// the mapping with Unmap.
func Map(fd uintptr, size int64) []byte {
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

// Unmap releases a mapping; nil does nothing. No slice of it may be used afterwards.
func Unmap(b []byte) error {
	if b == nil {
		return nil
	}
	return unix.Munmap(b)
}
