// Package sketch turns a shingle set into short numbers that represent it: the SimHash
// fingerprint and the parity signature, and the sketches and similarity indexes of the
// papers. All functions are deterministic; stored values never change. Thresholds are
// decided elsewhere. Begin with SimHash and Signature.
package sketch

import (
	"math/bits"

	"github.com/simdb/simdb/internal/shingle"
)

// SimHash returns the 64-bit fingerprint of a non-empty set in any order: bit i is 1
// iff more members have bit i set than not.
//
// It counts in all 64 columns at once: plane p holds bit p of each column's count. Full
// adders reduce eight members to one carry of weight eight, so that the higher planes
// change only once per eight members.
func SimHash(s shingle.Set) uint64 {
	var planes [64]uint64
	half := uint64(len(s)) / 2
	for ; len(s) >= 8; s = s[8:] {
		twosA := add(&planes[0], s[0], s[1])
		twosB := add(&planes[0], s[2], s[3])
		foursA := add(&planes[1], twosA, twosB)
		twosA = add(&planes[0], s[4], s[5])
		twosB = add(&planes[0], s[6], s[7])
		foursB := add(&planes[1], twosA, twosB)
		carry(planes[3:], add(&planes[2], foursA, foursB))
	}
	for _, h := range s {
		carry(planes[:], h)
	}
	return above(&planes, half)
}

// add adds a and b to the plane and returns the carries into the next.
func add(plane *uint64, a, b uint64) uint64 {
	u := a ^ b
	c := a&b | u&*plane
	*plane ^= u
	return c
}

// carry adds bits of the weight of planes[0].
func carry(planes []uint64, c uint64) {
	for p := 0; c != 0; p++ {
		planes[p], c = planes[p]^c, planes[p]&c
	}
}

// above returns the columns with a count greater than limit. It compares all columns
// bit by bit from the top.
func above(planes *[64]uint64, limit uint64) uint64 {
	more, equal := uint64(0), ^uint64(0)
	for p := bits.Len64(limit<<1|1) - 1; p >= 0; p-- {
		if limit>>p&1 == 0 {
			more |= equal & planes[p]
			equal &^= planes[p]
		} else {
			equal &= planes[p]
		}
	}
	return more
}
