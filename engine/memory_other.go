//go:build !unix

package engine

func offHeap(n int) (words []uint64, free func()) { return make([]uint64, n), nil }

func bytesOffHeap(n int) (b []byte, free func()) { return make([]byte, n), nil }

func mapFile(fd uintptr, size int64) []byte { return nil }

func unmapFile(b []byte) error { return nil }
