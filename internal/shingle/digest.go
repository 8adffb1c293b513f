package shingle

// The digest of a bag, the key by which equal sets are stored once.

import (
	"encoding/binary"
	"math/bits"
)

// Digest returns a 128-bit hash of the whole bag. Texts with equal digests have the
// same shingles with the same repetitions, and are stored as one set.
//
// It is two sums modulo 2⁶⁴ over the members, both mixed with the sizes. The first adds
// the hash times the repetition. The second adds a product of two numbers derived from
// both, folded from 128 bits.
//
// Bags of the same sizes have the same digest iff both sums over their difference are
// equal. If the bags differ in a single hash with an odd repetition, the first sums
// differ. Otherwise 64-bit hashes that behave as random, like the results of mix, would
// have to hit two unrelated targets of 64 bits at once. The chance is 2⁻¹²⁸, or
// 2^v/2¹²⁸ if all repetitions differ by multiples of 2^v.
//
// SHA-256 would take many times as long. It would be no safer against crafted texts,
// since the hashes of words can be made to collide already.
func (b Bag) Digest() [16]byte {
	var sum0, sum1 uint64
	if b.Counts == nil {
		for _, h := range b.Set {
			sum0 += h
			sum1 += digestBlend(h, 1)
		}
	} else {
		counts := b.Counts[:len(b.Set)]
		for i, h := range b.Set {
			c := uint64(counts[i])
			sum0 += h * c
			sum1 += digestBlend(h, c)
		}
	}
	n := uint64(len(b.Set))
	var d [16]byte
	binary.LittleEndian.PutUint64(d[:], mix(sum0+n*multiplier+b.Total))
	binary.LittleEndian.PutUint64(d[8:], mix(sum1+b.Total*multiplier+n))
	return d
}

// digestBlend depends on a hash and its repetition through a square, unlike their
// product, so that no sum of it follows from sums of hashes.
func digestBlend(h, c uint64) uint64 {
	return blend(h^0x8bb84b93962eacc9, bits.RotateLeft64(h, 32)+c*0xe7037ed1a0b428db)
}
