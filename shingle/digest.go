package shingle

import "encoding/binary"

// Digest is a 128-bit hash of the whole bag. Texts with equal digests have
// the same shingles as often and are stored as one set.
//
// It is two sums modulo 2⁶⁴ over the members, each of a different bijection of
// the hash with the repetition, and both are mixed with the sizes. Bags of the
// same sizes get the same digest iff both sums over what is not common to them
// are equal. If a single hash differs, they never are; otherwise this asks of
// 64-bit hashes that behave as random to hit two unrelated 64-bit targets at
// once, a chance of 2⁻¹²⁸. Two seeds of xxhash64 would be weaker: a difference
// in two words of one lane that cancels under one seed often cancels under the
// other. SHA-256 would be no safer against texts made to collide, since the
// hashes of words can be made to collide already, and would take a fifth of the
// time of a char 5 analysis, twice as long as this.
func (b Bag) Digest() [16]byte {
	var sum0, sum1 uint64
	for i, h := range b.Set {
		c := uint64(b.Count(i))
		sum0 += mix(h + c*0xa0761d6478bd642f)
		sum1 += mix((h ^ 0x8bb84b93962eacc9) - c*0xe7037ed1a0b428db)
	}
	n := uint64(len(b.Set))
	var d [16]byte
	binary.LittleEndian.PutUint64(d[:], mix(sum0+n*multiplier+b.Total))
	binary.LittleEndian.PutUint64(d[8:], mix(sum1+b.Total*multiplier+n))
	return d
}
