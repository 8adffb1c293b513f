//go:build !linux

package guard

import (
	"testing"
	"unsafe"
)

func bytes(_ testing.TB, n int) []byte {
	words := make([]uint64, (n+7)/8) // aligned
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
