//go:build !unix

package host

// Memory of the Go heap, where the system has no other for us.

// Words returns n zero words of the Go heap.
func Words(n int) (words []uint64, free func()) { return make([]uint64, n), nil }

// Bytes is Words for n bytes.
func Bytes(n int) (b []byte, free func()) { return make([]byte, n), nil }

// Map returns nil: files are read instead.
func Map(fd uintptr, size int64) []byte { return nil }

// ReadAhead has nothing to do.
func ReadAhead(b []byte, from, to uint64) {}

// Unmap has nothing to do.
func Unmap(b []byte) error { return nil }
