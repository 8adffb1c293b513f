package phrase

import (
	"cmp"
	"math/bits"
	"slices"
)

// finder finds the longest phrase that a text begins with. Those of 4 bytes and
// more are found by their first 4, those of 2 and 3 by their first 2.
type finder struct {
	long, short table
	one         [256]uint16 // phrases of one byte
}

// table holds phrases by the hash of their first bytes: a list for each, longest
// first.
type table struct {
	keyMask uint64 // of the bytes that are hashed
	shift   uint8
	starts  []uint16 // of each list, with one more at the end
	found   []found
	pieces  []piece
}

// found is a phrase: its bytes as a number, the first lowest, and which bits count.
type found struct{ bytes, mask uint64 }

// piece is a phrase by its symbol, and its length in bytes.
type piece struct{ symbol, size uint16 }

// hashFactor is 2⁶⁴ divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

// together is how many phrases of a list are compared at once.
const together = 4

func newFinder(phrases []string) finder {
	f := finder{long: newTable(phrases, 4, maxPhrase), short: newTable(phrases, 2, 3)}
	for s, p := range phrases {
		if len(p) == 1 {
			f.one[p[0]] = uint16(s)
		}
	}
	return f
}

// newTable gathers the phrases of so many bytes.
func newTable(phrases []string, least, most int) table {
	var symbols []uint16
	for s, p := range phrases {
		if len(p) >= least && len(p) <= most {
			symbols = append(symbols, uint16(s))
		}
	}
	t := table{keyMask: mask(least), shift: 60}
	for 1<<(64-t.shift) < 2*len(symbols) {
		t.shift--
	}
	hashOf := func(s uint16) uint64 { return t.hash(number(phrases[s])) }
	slices.SortStableFunc(symbols, func(a, b uint16) int {
		return cmp.Or(cmp.Compare(hashOf(a), hashOf(b)), cmp.Compare(len(phrases[b]), len(phrases[a])))
	})
	t.starts = make([]uint16, 1<<(64-t.shift)+1)
	for _, s := range symbols {
		t.found = append(t.found, found{number(phrases[s]), mask(len(phrases[s]))})
		t.pieces = append(t.pieces, piece{s, uint16(len(phrases[s]))})
		t.starts[hashOf(s)+1]++
	}
	for h := range t.starts[1:] {
		t.starts[h+1] += t.starts[h]
	}
	for range together { // so that as many can always be read
		t.found = append(t.found, found{bytes: 1}) // equal to nothing
	}
	return t
}

func (t *table) hash(v uint64) uint64 { return (v & t.keyMask) * hashFactor >> t.shift }

// find returns the longest phrase of the table that begins the bytes of v. It
// compares without branches, which the processor could not foresee; that it may
// look into the next list does no harm, for none there begins like this.
func (t *table) find(v uint64) (p piece, ok bool) {
	h := t.hash(v)
	for i, end := int(t.starts[h]), int(t.starts[h+1]); i < end; i += together {
		f := (*[together]found)(t.found[i:])
		hits := f[0].begins(v) | f[1].begins(v)<<1 | f[2].begins(v)<<2 | f[3].begins(v)<<3
		if hits != 0 {
			return t.pieces[i+bits.TrailingZeros64(hits)], true
		}
	}
	return p, false
}

// begins is 1 if v begins with the phrase, else 0.
func (f *found) begins(v uint64) uint64 {
	x := v&f.mask ^ f.bytes
	return (x - 1) &^ x >> 63
}

// longest returns the longest phrase that the bytes of v, the first lowest, begin
// with. v may go on with zeros behind the end of a text.
func (f *finder) longest(v uint64) piece {
	if p, ok := f.long.find(v); ok {
		return p
	}
	if p, ok := f.short.find(v); ok {
		return p
	}
	return f.single(v)
}

// single returns the phrase of one byte.
func (f *finder) single(v uint64) piece { return piece{f.one[byte(v)], 1} }

// number reads up to 8 bytes as a number, the first lowest.
func number(p string) (v uint64) {
	for i := range len(p) {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}

// mask covers the first n bytes of a number.
func mask(n int) uint64 { return ^uint64(0) >> (64 - 8*n) }
