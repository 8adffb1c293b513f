//go:build unix

package host

// Memory from the system where it can be had: anonymous, or a file's.

import (
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// Words returns n zero words that the garbage collector does not count: what it
// counts takes twice the memory, as it lets as much garbage grow beside it. free
// is nil where there is nothing to be freed.
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

// anonymous returns n bytes of memory of the system's, nil if it gives none.
func anonymous(n int) (b []byte, free func()) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	return b, func() { unix.Munmap(b) }
}

// Map maps a file into memory, to be read only; nil where that cannot be had.
// Pages are read at random, so the system is told not to read their neighbours.
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

// ReadAhead tells the system that neighbours are read together in [from, to) of what Map
// has mapped.
func ReadAhead(b []byte, from, to uint64) {
	page := uint64(unix.Getpagesize())
	if from = (from + page - 1) / page * page; from < to && to <= uint64(len(b)) {
		unix.Madvise(b[from:to], unix.MADV_NORMAL)
	}
}

// Unmap ends what Map began.
func Unmap(b []byte) error {
	if b == nil {
		return nil
	}
	return unix.Munmap(b)
}
