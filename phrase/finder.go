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
	one         [256]piece // phrases of one byte
}

// table holds phrases by the hash of their first bytes: a list for each, longest
// first.
type table struct {
	mask   uint64 // of the bytes that are hashed
	shift  uint8
	starts []uint16 // of each list, with one more at the end
	pieces []piece
}

// piece is all there is to know of a phrase, a quarter of a cache line.
type piece struct {
	bytes  uint64 // the first lowest
	symbol uint16
	code   code
	size   uint8 // in bytes
	rest   uint8 // bits of bytes that do not count
}

// hashFactor is 2⁶⁴ divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

// together is how many phrases of a list are compared at once.
const together = 4

// newFinder finds phrases, to be written by codes; nil while there are none.
func newFinder(phrases []string, codes []code) *finder {
	pieces := make([]piece, len(phrases))
	for s, p := range phrases {
		pieces[s] = piece{bytes: number(p), symbol: uint16(s), size: uint8(len(p)), rest: uint8(64 - 8*len(p))}
		if codes != nil {
			pieces[s].code = codes[s]
		}
	}
	f := &finder{long: newTable(pieces, 4, maxPhrase), short: newTable(pieces, 2, 3)}
	for _, p := range pieces {
		if p.size == 1 {
			f.one[p.bytes] = p
		}
	}
	return f
}

// newTable gathers the phrases of so many bytes.
func newTable(pieces []piece, least, most uint8) table {
	t := table{mask: ^uint64(0) >> (64 - 8*least), shift: 60}
	for _, p := range pieces {
		if p.size >= least && p.size <= most {
			t.pieces = append(t.pieces, p)
		}
	}
	for 1<<(64-t.shift) < 2*len(t.pieces) {
		t.shift--
	}
	slices.SortStableFunc(t.pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(t.hash(a.bytes), t.hash(b.bytes)), cmp.Compare(b.size, a.size))
	})
	t.starts = make([]uint16, 1<<(64-t.shift)+1)
	for _, p := range t.pieces {
		t.starts[t.hash(p.bytes)+1]++
	}
	for h := range t.starts[1:] {
		t.starts[h+1] += t.starts[h]
	}
	if len(t.pieces) > 0 { // more, so that as many as together can always be read
		t.pieces = append(t.pieces, slices.Repeat(t.pieces[:1], together)...)
	}
	return t
}

func (t *table) hash(v uint64) uint64 { return (v & t.mask) * hashFactor >> t.shift }

// find returns the longest phrase of the table that begins the bytes of v, or nil.
// It compares without branches, which the processor could not foresee. That it
// may look into the next list does no harm: what begins v there is a phrase too.
func (t *table) find(v uint64) *piece {
	h := t.hash(v)
	for i, end := int(t.starts[h]), int(t.starts[h+1]); i < end; i += together {
		p := (*[together]piece)(t.pieces[i:])
		hits := p[0].begins(v) | p[1].begins(v)<<1 | p[2].begins(v)<<2 | p[3].begins(v)<<3
		if hits != 0 {
			return &p[bits.TrailingZeros64(hits)&(together-1)]
		}
	}
	return nil
}

// begins is 1 if v begins with the phrase, else 0.
func (p *piece) begins(v uint64) uint64 {
	x := (v ^ p.bytes) << (p.rest & 63)
	return (x - 1) &^ x >> 63
}

// longest returns the longest phrase that the bytes of v, the first lowest, begin
// with. v may go on with zeros behind the end of a text.
func (f *finder) longest(v uint64) *piece {
	if p := f.long.find(v); p != nil {
		return p
	}
	if p := f.short.find(v); p != nil {
		return p
	}
	return f.single(v)
}

// single returns the phrase of one byte.
func (f *finder) single(v uint64) *piece { return &f.one[byte(v)] }

// number reads up to 8 bytes as a number, the first lowest.
func number(p string) (v uint64) {
	for i := range len(p) {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}
