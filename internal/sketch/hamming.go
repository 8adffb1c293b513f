package sketch

import (
	"encoding/binary"
	"math/bits"
)

// A way is one implementation of the counting of differing bits; all return the same
// results. tools/asm/hamming generates the assembly.
type way uint8

const (
	portable way = iota
	avx2
	avx512 // with VPOPCNTQ
)

// fastest is the fastest way that the processor supports.
var fastest = func() way { w := ways(); return w[len(w)-1] }()

// NearMask sets bit i of near iff hashes[i] is within dist ≥ 0 bits of q. It writes
// ⌈len(hashes)/64⌉ words, and clears the bits beyond the last hash.
func NearMask(near, hashes []uint64, q uint64, dist int) { fastest.NearMask(near, hashes, q, dist) }

// NearMaskBytes is NearMask for hashes of 8 bytes each, little-endian.
func NearMaskBytes(near []uint64, hashes []byte, q uint64, dist int) {
	fastest.NearMaskBytes(near, hashes, q, dist)
}

// NearArrays is NearMask for four arrays. It reads them in parallel, which yields more
// memory bandwidth. Bit a of rows is set iff near[a] is not all 0.
func NearArrays(near *[4][16]uint64, hashes *[4]*[1024]uint64, q uint64, dist int) (rows uint32) {
	return fastest.NearArrays(near, hashes, q, dist)
}

// NearManyArrays is NearArrays for eight q, and reads each hash once: near[a][k] is the
// mask of array a for qs[k], and its bit in rows is 8a+k.
func NearManyArrays(near *[4][8][16]uint64, hashes *[4]*[1024]uint64, qs *[8]uint64, dist int) (rows uint32) {
	return fastest.NearManyArrays(near, hashes, qs, dist)
}

// NearPairs compares each of xs with each of ys; the number of ys is a multiple of 8.
// For a triangle, xs is ys, and each element is compared with the elements after it. If
// xs[i] is within dist bits of some of ys[8j], …, ys[8j+7], NearPairs writes i<<40 |
// j<<8 | a bit for each of them to found and counts that in n. found must have room for
// len(xs)·len(ys)/8 words.
func NearPairs(found, xs, ys []uint64, dist int, triangle bool) (n int) {
	return fastest.NearPairs(found, xs, ys, dist, triangle)
}

// NearMask is the function NearMask by this way.
func (w way) NearMask(near, hashes []uint64, q uint64, dist int) {
	near = near[:(len(hashes)+63)/64]
	maskRest(near, hashes, q, dist, w.mask(near, hashes, q, dist))
}

// maskRest computes the mask of the hashes from i on, and clears the bits after the
// last.
func maskRest(near, hashes []uint64, q uint64, dist, i int) {
	clearFrom(near, i)
	for ; i < len(hashes); i++ {
		if bits.OnesCount64(hashes[i]^q) <= dist {
			near[i/64] |= 1 << (i % 64)
		}
	}
}

// clearFrom clears bit i and all later bits.
func clearFrom(near []uint64, i int) {
	if i/64 < len(near) {
		near[i/64] &= 1<<(i%64) - 1
		clear(near[i/64+1:])
	}
}

// NearArrays is the function NearArrays by this way.
func (w way) NearArrays(near *[4][16]uint64, hashes *[4]*[1024]uint64, q uint64, dist int) (rows uint32) {
	if w == avx512 {
		return w.arrays(near, hashes, q, dist)
	}
	for a, h := range hashes {
		w.NearMask(near[a][:], h[:], q, dist)
		if near[a] != [16]uint64{} {
			rows |= 1 << a
		}
	}
	return rows
}

// NearManyArrays is the function NearManyArrays by this way.
func (w way) NearManyArrays(near *[4][8][16]uint64, hashes *[4]*[1024]uint64, qs *[8]uint64, dist int) (rows uint32) {
	if w == avx512 {
		return w.manyArrays(near, hashes, qs, dist)
	}
	for a, h := range hashes {
		for k, q := range qs {
			w.NearMask(near[a][k][:], h[:], q, dist)
			if near[a][k] != [16]uint64{} {
				rows |= 1 << (8*a + k)
			}
		}
	}
	return rows
}

// NearMaskBytes is the function NearMaskBytes by this way.
func (w way) NearMaskBytes(near []uint64, hashes []byte, q uint64, dist int) {
	n := len(hashes) / 8
	near = near[:(n+63)/64]
	i := w.maskBytes(near, hashes, q, dist)
	clearFrom(near, i)
	for ; i < n; i++ {
		if bits.OnesCount64(binary.LittleEndian.Uint64(hashes[8*i:])^q) <= dist {
			near[i/64] |= 1 << (i % 64)
		}
	}
}

// NearPairs is the function NearPairs by this way.
func (w way) NearPairs(found, xs, ys []uint64, dist int, triangle bool) (n int) {
	if triangle {
		xs = ys
	}
	if len(xs) == 0 || len(ys) < 8 {
		return 0
	}
	if w != portable {
		_ = found[len(xs)*(len(ys)/8)-1] // the assembly does not check bounds
		return w.pairs(found, xs, ys, dist, triangle)
	}
	for j := range len(ys) / 8 {
		group, end := (*[8]uint64)(ys[8*j:]), len(xs)
		if triangle {
			end = 8*j + 7
		}
		for i, x := range xs[:end] {
			near := uint64(0)
			for b, y := range group {
				if bits.OnesCount64(x^y) <= dist {
					near |= 1 << b
				}
			}
			if triangle && i >= 8*j {
				near &= 0xfe << (i - 8*j) & 0xff
			}
			if near != 0 {
				found[n] = uint64(i)<<40 | uint64(j)<<8 | near
				n++
			}
		}
	}
	return n
}

// NextNear returns the number of the first row that differs from q in at most dist
// bits, or the number of rows. Each row is as long as q.
func NextNear(rows []uint64, q Signature, dist int) int { return fastest.NextNear(rows, q, dist) }

// NextNear is the function NextNear by this way.
func (w way) NextNear(rows []uint64, q Signature, dist int) int {
	n := len(rows) / len(q)
	if w != portable && n > 0 && len(q)%16 == 0 {
		return w.next(rows, n, q, dist)
	}
	for i := range n {
		if isWithin(rows[i*len(q):][:len(q)], q, dist) {
			return i
		}
	}
	return n
}

// isWithin reports whether signatures of one length differ in at most dist bits.
func isWithin(a, b Signature, dist int) bool {
	n := 0
	for len(a) >= 4 && len(b) >= 4 {
		n += bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) + bits.OnesCount64(a[3]^b[3])
		if n > dist {
			return false
		}
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		n += bits.OnesCount64(x ^ b[i])
	}
	return n <= dist
}

// Distance is the function Distance by this way; a must not be longer than b.
func (w way) Distance(a, b Signature) int {
	if w != portable && len(a) > 0 && len(a)%8 == 0 && len(b)%len(a) == 0 {
		return w.distance(a, b)
	}
	dist := 0
	for i, x := range a {
		for j := i; j < len(b); j += len(a) {
			x ^= b[j]
		}
		dist += bits.OnesCount64(x)
	}
	return dist
}
