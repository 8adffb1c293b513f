package sketch

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// ways lists the ways that this processor supports, slowest first.
func ways() []way {
	out := []way{portable}
	if cpu.X86.HasAVX2 {
		out = append(out, avx2)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ {
		out = append(out, avx512)
	}
	return out
}

// mask processes whole groups of 8 hashes, and returns the number of hashes processed.
func (w way) mask(near, hashes []uint64, q uint64, dist int) int {
	groups := len(hashes) / 8
	switch {
	case groups == 0 || w == portable:
		return 0
	case w == avx512:
		maskAVX512(&near[0], &hashes[0], groups, q, dist)
	default:
		maskAVX2(&near[0], &hashes[0], groups, q, dist)
	}
	return 8 * groups
}

// arrays is NearArrays in assembly, by AVX-512 only.
func (way) arrays(near *[4][16]uint64, hashes *[4]*[1024]uint64, q uint64, dist int) uint32 {
	return arraysAVX512(near, hashes, q, dist)
}

// manyArrays is NearManyArrays in assembly, by AVX-512 only.
func (way) manyArrays(near *[4][8][16]uint64, hashes *[4]*[1024]uint64, qs *[8]uint64, dist int) uint32 {
	return manyArraysAVX512(near, hashes, qs, dist)
}

// maskBytes is mask for hashes of 8 bytes each, little-endian like the processor.
func (w way) maskBytes(near []uint64, hashes []byte, q uint64, dist int) int {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(hashes))), len(hashes)/8)
	return w.mask(near, words, q, dist) // the assembly needs no alignment
}

// pairs is NearPairs in assembly.
func (w way) pairs(found, xs, ys []uint64, dist int, triangle bool) int {
	if w == avx512 {
		return pairsAVX512(&found[0], &xs[0], len(xs), &ys[0], len(ys)/8, dist, triangle)
	}
	return pairsAVX2(&found[0], &xs[0], len(xs), &ys[0], len(ys)/8, dist, triangle)
}

// distance is Distance in assembly.
func (w way) distance(a, b Signature) int {
	if w == avx512 {
		return distanceAVX512(&a[0], &b[0], len(a), len(b))
	}
	return distanceAVX2(&a[0], &b[0], len(a), len(b))
}

// next is NextNear in assembly.
func (w way) next(rows []uint64, n int, q Signature, dist int) int {
	if w == avx512 {
		return nextAVX512(&rows[0], n, &q[0], len(q), dist)
	}
	return nextAVX2(&rows[0], n, &q[0], len(q), dist)
}
