package phrase

// Finding the longest phrase at a position of a text.

import (
	"math/bits"
	"slices"
)

// finder finds the longest phrase at the start of a text. It tests for each length
// whether so many bytes may be a phrase, without branches, because the processor could
// predict none of them.
//
// Phrases lie in buckets of one word, four per bucket. A bucket holds the tags of its
// phrases, 16 bits of the hash of each. So the look-ups of all lengths read at most 32
// kB for 4,096 phrases, and bytes are compared only if a tag matches.
type finder struct {
	buckets [1 << bucketBits]uint64 // four tags each
	first   [1 << bucketBits]uint16 // index in entries of the first phrase of each bucket
	entries []uint64                // number and found value of each phrase, by bucket
}

// found is the result of a search: the value of the phrase in the lower bits, its
// length less one above.
type found uint32

const valueBits = 24

func (f found) value() uint32 { return uint32(f) & (1<<valueBits - 1) }
func (f found) length() int   { return int(f>>valueBits) + 1 }

const (
	bucketTags = 4
	bucketBits = 12
	tagShift   = 32
	// hashFactor is 2⁶⁴ divided by the golden ratio.
	hashFactor = 0x9e3779b97f4a7c15
)

// salt times the length distinguishes lengths: "ab" and "ab\x00" are the same number.
const salt = 0x51b2a37

// hash returns the hash of a number of n+1 bytes.
func hash(v uint64, n int) uint64 { return (v ^ uint64(n*salt)) * hashFactor }

// bucket returns the bucket of a hash, by its highest bits.
func bucket(hash uint64) uint64 { return hash >> (64 - bucketBits) }

// tag returns the tag of a hash, by bits other than those of the bucket.
func tag(hash uint64) uint64 { return hash >> tagShift & 0xffff }

// newFinder indexes phrases, each with a value. All single bytes must be among them. Of
// equal phrases the first counts. A phrase with a full bucket is never found, and texts
// are cut into shorter phrases there. Single bytes always have a place.
func newFinder(phrases []string, values []uint32) *finder {
	f := new(finder)
	places := make([][]int, 1<<bucketBits)
	place := func(single bool) {
		for i, p := range phrases {
			if (len(p) == 1) != single {
				continue
			}
			in := &places[bucket(hash(number(p), len(p)-1))]
			same := func(j int) bool { return phrases[j] == p }
			if len(*in) < bucketTags && !slices.ContainsFunc(*in, same) {
				*in = append(*in, i)
			}
		}
	}
	place(true)
	place(false)
	for b, in := range places {
		f.first[b] = uint16(len(f.entries))
		for slot, i := range in {
			p := phrases[i]
			f.buckets[b] |= tag(hash(number(p), len(p)-1)) << (16 * slot)
			f.entries = append(f.entries, number(p), uint64(len(p)-1)<<valueBits|uint64(values[i]))
		}
	}
	// A free place of a bucket has the tag 0, which may match. The entries after the
	// bucket are compared then, so the last bucket needs some after it.
	f.entries = append(f.entries, slices.Repeat([]uint64{0, 1<<32 - 1}, bucketTags)...)
	return f
}

const (
	ones = 0x0001000100010001 // 1 in each place of a bucket
	tops = 0x8000 * ones
)

// may sets bit 16s+n if place s may hold a phrase equal to the first n+1 bytes of v.
// For a constant n it takes a dozen instructions. A phrase in an earlier place may set
// the bit wrongly.
func (f *finder) may(v uint64, n int) uint64 {
	h := hash(v&(1<<(8*n+8)-1), n)
	x := f.buckets[bucket(h)] ^ tag(h)*ones
	return (x - ones) &^ x & tops >> (15 - n)
}

// longest finds the longest phrase of at most most bytes at the start of v; the first
// byte of v is the lowest. The length is known before the value has been read.
func (f *finder) longest(v uint64, most int) (p found, length int) {
	may := f.may(v, 0) | f.may(v, 1) | f.may(v, 2) | f.may(v, 3) | f.may(v, 4) | f.may(v, 5) | f.may(v, 6) | f.may(v, 7)
	may &= (1<<(most&63) - 1) * ones
	for {
		either := may | may>>32
		n := bits.Len64((either|either>>16)&0xff) - 1
		slot := bits.TrailingZeros64(may >> (n & 63) & ones)
		v := v << (56 - 8*n&63) >> (56 - 8*n&63)
		e := int(f.first[bucket(hash(v, n))]) + slot/16*2
		if p := found(f.entries[e+1]); f.entries[e] == v && p.length() == n+1 {
			return p, n + 1
		}
		may &^= 1 << ((slot + n) & 63)
	}
}

// number reads up to 8 bytes as a number, the first lowest.
func number(p string) (v uint64) {
	for i := range len(p) {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}
