package phrase

import (
	"math/bits"
	"slices"
)

// finder finds the longest phrase that a text begins with. It asks for each length
// whether the next so many bytes may be a phrase, and all of that without a
// branch, as the processor could foresee none of them.
//
// A phrase is known by 16 bits of its hash, its tag, in one of the four places of
// a bucket, which is one word: what all lengths have to read is 32 kB for 4,096
// phrases. Only of what is found so the bytes are compared.
type finder struct {
	shift   uint64   // of a hash, leaves its bucket
	buckets []uint64 // four tags each
	first   []uint16 // of each bucket, the place of its first phrase, times two
	entries []uint64 // of each phrase by buckets, its number and what is found
}

// found tells a phrase: a value that it has been given in the lower bits, and its
// length less one above.
type found uint32

const valueBits = 24

func (f found) value() uint32 { return uint32(f) & (1<<valueBits - 1) }
func (f found) length() int   { return int(f>>valueBits) + 1 }

const (
	bucketTags    = 4
	minBucketBits = 10
	maxBucketBits = 14
	tagShift      = 32
	// hashFactor is 2⁶⁴ divided by the golden ratio.
	hashFactor = 0x9e3779b97f4a7c15
)

// keep has the bytes of each length, and salts tell the lengths apart: "ab" and
// "ab\x00" are the same number.
var keep, salts [maxPhrase]uint64

func init() {
	for n := range keep {
		keep[n] = 1<<(8*n+8) - 1
		salts[n] = bits.RotateLeft64(0xd1b54a32d192ed03, 7*n)
	}
}

// hash is that of a number of n+1 bytes.
func hash(v uint64, n int) uint64 { return (v ^ salts[n]) * hashFactor }

func tag(hash uint64) uint64 { return hash >> tagShift & 0xffff }

// newFinder finds phrases, all single bytes among them, and a value for each. Of
// equal phrases the first counts. Those that find their bucket full are not
// found: a text is then cut into shorter ones. Single bytes never do.
func newFinder(phrases []string, values []uint32) *finder {
	b := min(max(bits.Len(uint(len(phrases)-1)), minBucketBits), maxBucketBits)
	f := &finder{shift: uint64(64 - b), buckets: make([]uint64, 1<<b), first: make([]uint16, 1<<b)}
	places := make([][]int, 1<<b)
	place := func(single bool) {
		for i, p := range phrases {
			if (len(p) == 1) != single {
				continue
			}
			in := &places[hash(number(p), len(p)-1)>>f.shift]
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
	// A free place has a tag too, that of no phrase: what stands behind a bucket is compared.
	f.entries = append(f.entries, slices.Repeat([]uint64{0, 1<<32 - 1}, bucketTags)...)
	return f
}

const (
	ones     = 0x0001000100010001 // 1 in each place of a bucket
	belowTop = 0x7fff * ones
)

// longest finds the longest phrase that v begins with, the first byte lowest, among
// those of at most most bytes.
func (f *finder) longest(v uint64, most int) found {
	// Bit 16s+n is set if place s may have a phrase of n+1 bytes.
	var may uint64
	for n := range maxPhrase {
		h := hash(v&keep[n], n)
		x := f.buckets[h>>(f.shift&63)] ^ tag(h)*ones
		may |= ^((x&belowTop + belowTop) | x | belowTop) >> (15 - n)
	}
	may &= (1<<most - 1) * ones
	for {
		n := bits.Len8(uint8(may|may>>16|may>>32|may>>48)) - 1
		v := v & keep[n]
		slot := bits.TrailingZeros64(may >> n & ones)
		e := int(f.first[hash(v, n)>>(f.shift&63)]) + slot/16*2
		if p := found(f.entries[e+1]); f.entries[e] == v && p.length() == n+1 {
			return p
		}
		may &^= 1 << (slot + n)
	}
}

// number reads up to 8 bytes as a number, the first lowest.
func number(p string) (v uint64) {
	for i := range len(p) {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}
