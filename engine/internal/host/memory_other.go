//go:build !unix

package host

// Memory from the Go heap, on systems other than Unix.

// Words returns n zero words of the Go heap. free is nil.
func Words(n int) (words []uint64, free func()) { return make([]uint64, n), nil }

// Bytes is Words for n bytes.
func Bytes(n int) (b []byte, free func()) { return make([]byte, n), nil }

// Map returns nil: callers read the file instead.
func Map(fd uintptr, size int64) []byte { return nil }

// Unmap does nothing.
func Unmap(b []byte) error { return nil }
