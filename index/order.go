package index

// The order of shingles: building, querying and storing it, and comparing orders by the postings
// that searches would read.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// Order is the global order of shingles that defines prefixes: by class of document frequency,
// rarest first, then by hash. The frequencies are hashed counts over a sample of the collection,
// fixed when the order is built. A wrong count costs time but never a match, because probe and
// postings use the same Order. Immutable.
//
// The high bits of a hash select the counter, so an ascending set walks the table front to back.
// A class is a step of the count. Eight steps per octave distinguish common shingles; counts that
// saturate at 255 do not, and were 13 % slower on long sets.
type Order struct {
	bits    uint8   // log2 of the number of counters
	classes []uint8 // class of the counter h>>(64−bits)
	coarse  coarse
	sampled uint32 // number of sets counted
}

const (
	minOrderBits = 12
	maxOrderBits = 24
	orderClasses = 128 // more than the steps of a 16-bit count
)

// class returns the class of a shingle.
func (o *Order) class(h uint64) uint8 { return o.classes[h>>(64-o.bits)] }

// OrderBuilder counts the shingles of a sample of sets. Not safe for concurrent use.
type OrderBuilder struct {
	bits    uint8
	counts  []uint16 // saturating: 65,535 sets are common enough
	sampled uint32
}

// NewOrderBuilder returns a builder for a sample with about this number of members in total. It has
// 2^12 to 2^24 counters, if possible one for every two members.
func NewOrderBuilder(members uint64) *OrderBuilder {
	n := min(max(bits.Len64(members)-1, minOrderBits), maxOrderBits)
	return &OrderBuilder{bits: uint8(n), counts: make([]uint16, 1<<n)}
}

// Add counts one set.
func (b *OrderBuilder) Add(s shingle.Set) {
	b.sampled++
	for _, h := range s {
		if c := &b.counts[h>>(64-b.bits)]; *c < math.MaxUint16 {
			*c++
		}
	}
}

// Order returns the order of the counts so far. Counts 0 and 1 share the first class: a shingle
// missing from the sample is as rare as a shingle that occurs once.
func (b *OrderBuilder) Order() *Order {
	o := &Order{bits: b.bits, sampled: b.sampled, classes: make([]uint8, len(b.counts))}
	for i, c := range b.counts {
		o.classes[i] = uint8(step(uint32(max(c, 1))) - 1)
	}
	o.coarse, _ = newCoarse(o.classes)
	return o
}

// Counted returns the number of sets that the order was built from.
func (o *Order) Counted() int { return int(o.sampled) }

// Rank appends the members of s, rarest first: by class, and within a class by hash.
func (o *Order) Rank(dst []uint64, s shingle.Set) []uint64 { return o.First(dst, s, len(s)) }

// First appends the first k members of s in the order of Rank, or all if there are fewer. If at
// least k members have the first class, it stops reading soon after the kth. It may write to the
// free capacity of dst, which it grows to hold all of s.
func (o *Order) First(dst []uint64, s shingle.Set, k int) []uint64 {
	k = min(k, len(s))
	var few [1024]uint8
	classes := few[:] // of the members, as far as coarse classes tell
	if len(s) > len(few) {
		classes = make([]uint8, len(s))
	}
	classes = classes[:len(s)]
	var sizes [highClass + 1]int // of the coarse classes
	for from := 0; from < len(s) && sizes[0] < k; from += orderBlock {
		block := s[from:min(from+orderBlock, len(s))]
		for c, n := range o.coarseOf(classes[from:], block) {
			sizes[c] += int(n)
		}
		if sizes[0] >= k {
			s = s[:from+len(block)]
		}
	}
	var at [highClass + 1]int // next index for a class
	for c := range highClass {
		at[c+1] = at[c] + sizes[c]
	}
	high := at[highClass]
	start, end := len(dst), len(dst)+len(s)
	dst = slices.Grow(dst, len(s)+max(k-high, 0))[:end]
	ranked := dst[start:]
	for i, h := range s {
		to := &at[classes[i]%(highClass+1)]
		ranked[*to] = h
		*to++
	}
	if k > high {
		o.sortHigh(ranked[high:], dst[end:end+k-high], classes)
	}
	runtime.KeepAlive(o) // the counters may be outside of the Go heap
	return dst[:start+k]
}

const orderBlock = 64

// coarseOf sets the coarse classes of up to orderBlock members and returns the size of each
// class. No step depends on memory read by the previous one.
func (o *Order) coarseOf(classes []uint8, s []uint64) (sizes [highClass + 1]uint8) {
	sum := uint32(0) // one byte per class
	classes = classes[:len(s)]
	for i, h := range s {
		c := o.coarse.class(h >> (64 - o.bits))
		classes[i] = c
		sum += 1 << (8 * c)
	}
	binary.LittleEndian.PutUint32(sizes[:], sum)
	return sizes
}

// sortHigh moves the len(first) members that are first in the order to the front. All members are
// of classes from highClass on. first and classes are scratch space; classes is at least as long as
// members.
func (o *Order) sortHigh(members, first []uint64, classes []uint8) {
	classes = classes[:len(members)]
	var at [orderClasses]int // next index for a class
	for i, h := range members {
		c := o.class(h) % orderClasses
		classes[i] = c
		at[c]++
	}
	sum := 0
	for c, n := range at {
		at[c] = sum
		sum += n
	}
	for i, h := range members {
		c := classes[i] % orderClasses
		if at[c] < len(first) {
			first[at[c]] = h
			at[c]++
		}
	}
	copy(members, first)
}

// Frequency estimates how many of n sets contain the shingle, for the planner.
func (o *Order) Frequency(h uint64, n int) float64 {
	if o.sampled == 0 {
		return 1
	}
	c := int(o.class(h)) + 1
	runtime.KeepAlive(o)
	count := float64(stepStart(c)+stepStart(c+1)-1) / 2 // the middle of the class
	return min(count*float64(n)/float64(o.sampled), float64(n))
}

// An encoded order has: format 1, log2 of the number of counters, the number of sampled sets
// (u32), one byte per counter.
const (
	orderFormat = 1
	orderHeader = 6
)

// Encode returns the encoded order.
func (o *Order) Encode() []byte {
	b := make([]byte, 0, orderHeader+len(o.classes))
	b = append(b, orderFormat, o.bits)
	b = binary.LittleEndian.AppendUint32(b, o.sampled)
	return append(b, o.classes...)
}

// EncodedOrder returns the length of the encoded order at the start of b. ErrPage if b has no
// valid header.
func EncodedOrder(b []byte) (size int, err error) {
	switch {
	case len(b) < orderHeader || b[0] != orderFormat:
		return 0, fmt.Errorf("%w: order of %d bytes has no header", ErrPage, len(b))
	case b[1] > maxOrderBits:
		return 0, fmt.Errorf("%w: order of 2^%d counters", ErrPage, b[1])
	}
	return orderHeader + 1<<b[1], nil
}

// DecodeOrder decodes an order, which aliases b. Invalid bytes are ErrPage, never a panic.
func DecodeOrder(b []byte) (*Order, error) {
	size, err := EncodedOrder(b)
	if err != nil {
		return nil, err
	}
	if len(b) != size {
		return nil, fmt.Errorf("%w: order of %d bytes for 2^%d counters", ErrPage, len(b), b[1])
	}
	o := &Order{bits: b[1], sampled: binary.LittleEndian.Uint32(b[2:]), classes: b[orderHeader:]}
	var ok bool
	if o.coarse, ok = newCoarse(o.classes); !ok {
		return nil, fmt.Errorf("%w: order has a class of %d or above", ErrPage, orderClasses)
	}
	return o, nil
}

// coarse holds the classes of an order in two bits each: 0, 1, 2, and 3 for all higher ones. All
// classes often exceed the cache; a quarter of their bytes often fits, and usually suffices,
// since at least two thirds of the shingles of a text are in the first three classes.
type coarse []uint8

const (
	coarseBits = 2
	highClass  = 1<<coarseBits - 1
)

// newCoarse packs classes; false if one is out of range.
func newCoarse(classes []uint8) (c coarse, ok bool) {
	c = make(coarse, (len(classes)+3)/4)
	any := uint64(0)
	whole := len(classes) &^ 7
	for i := 0; i < whole; i += 8 {
		x := binary.LittleEndian.Uint64(classes[i:])
		any |= x
		binary.LittleEndian.PutUint16(c[i/4:], coarsen(x))
	}
	for i, x := range classes[whole:] {
		any |= uint64(x)
		c[(whole+i)/4] |= min(x, highClass) << (i % 4 * coarseBits)
	}
	return c, any&^(0x0101010101010101*(orderClasses-1)) == 0
}

// coarsen packs eight classes into two bits each.
func coarsen(classes uint64) uint16 {
	const each = 0x0101010101010101
	high := (classes&(each*(0x7f&^highClass)) + each*0x7f) >> 7 & each // 1 for those above 3
	x := (classes | high*highClass) & (each * highClass)
	x = (x | x>>6) & 0x000f000f000f000f
	x = (x | x>>12) & 0x000000ff000000ff
	return uint16(x | x>>24)
}

// class returns the class of a counter, at most highClass.
func (c coarse) class(counter uint64) uint8 {
	return c[counter/4] >> (counter % 4 * coarseBits) % (highClass + 1)
}

// Meetings measures an order: the number of pairs of sets that share a posted shingle, once per
// shingle, at the usual threshold of searches. A search for each of the sets reads twice as many
// postings, plus the postings of the sets themselves.
func Meetings(o *Order, sets []shingle.Set) (pairs uint64) {
	var posted, ranked []uint64
	for _, s := range sets {
		ranked = o.First(ranked[:0], s, PrefixLen(len(s), nearSim))
		posted = append(posted, ranked...)
	}
	slices.Sort(posted)
	for i := 0; i < len(posted); {
		n := i + 1
		for n < len(posted) && posted[n] == posted[i] {
			n++
		}
		have := uint64(n - i)
		pairs += have * (have - 1) / 2
		i = n
	}
	return pairs
}
