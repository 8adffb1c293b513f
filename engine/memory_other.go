//go:build !unix

package engine

func offHeap(n int) (words []uint64, free func()) { return make([]uint64, n), nil }
