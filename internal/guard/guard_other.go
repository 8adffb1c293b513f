//go:build !linux

package guard

// On systems other than Linux the memory is plain: tests run, but accesses past its end
// go undetected.

import (
	"testing"
	"unsafe"
)

// bytes returns n plain bytes, aligned to words.
func bytes(_ testing.TB, n int) []byte {
	words := make([]uint64, (n+7)/8) // aligned
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
