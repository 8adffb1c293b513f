package sketch

import (
	"encoding/binary"
	"iter"
	"slices"
)

// GramSet is the grams chosen in a text, the one in which matches start at terms. It tells where
// another text can match it.
type GramSet struct {
	hashes []uint32
	bits   [1 << hashBits / 64]uint64 // which hashes there are: most look-ups end here
	first  [1<<hashBits + 1]uint32    // by hash: the first of its grams
	count  [1 << hashBits]uint8       // by hash: its distinct grams
	grams  []gramEntry
}

// gramEntry is a gram: its sides, and how many bytes before it terms start, a bit for
// each.
type gramEntry struct {
	sides  uint32
	starts uint16
}

// mostGrams is for how many grams of one hash their sides are looked at. Of so many
// nearly every gram of another text finds one that is alike, so that more would cost time,
// up to thousands of steps for each gram of a text of 16 MB, and tell nothing: then
// each one may be in a match.
const mostGrams = 48

// NewGramSet makes the set of a text whose terms start at these bytes, ascending.
func NewGramSet(norm []byte, starts []uint32) *GramSet {
	s := &GramSet{}
	chosen := ChooseGrams(norm)
	for _, key := range chosen.All() {
		s.first[key>>sideBits+1]++
	}
	for h := range s.count {
		n := s.first[h+1]
		if n > 0 {
			s.hashes = append(s.hashes, uint32(h))
			s.bits[h/64] |= 1 << (h % 64)
		}
		s.first[h+1] = s.first[h] + min(n, mostGrams)
	}
	s.grams = make([]gramEntry, s.first[1<<hashBits])
	for at, key := range chosen.All() {
		hash, e := key>>sideBits, gramEntry{sides: key & (1<<sideBits - 1)}
		for len(starts) > 0 && int(starts[0]) <= at-gramWindow {
			starts = starts[1:]
		}
		for _, start := range starts {
			if int(start) > at {
				break
			}
			e.starts |= 1 << (at - int(start))
		}
		if s.count[hash] < mostGrams && !slices.Contains(s.of(hash), e) {
			s.grams[s.first[hash]+uint32(s.count[hash])] = e
			s.count[hash]++
		}
	}
	return s
}

// of returns the distinct grams of a hash.
func (s *GramSet) of(hash uint32) []gramEntry {
	return s.grams[s.first[hash]:][:s.count[hash]]
}

// KeyRanges yields the ranges of the keys that the set's hashes have, ascending.
func (s *GramSet) KeyRanges() iter.Seq2[uint32, uint32] {
	return func(yield func(low, high uint32) bool) {
		for _, h := range s.hashes {
			if !yield(h<<sideBits, h<<sideBits|(1<<sideBits-1)) {
				return
			}
		}
	}
}

// has reports whether a gram of a hash is wanted. It may say so of a hash with many.
func (s *GramSet) has(hash uint32, want func(gramEntry) bool) bool {
	return s.count[hash] == mostGrams || slices.ContainsFunc(s.of(hash), want)
}

// Shares reports whether a gram of another text, by its key, may stand in a match
// with this one. A match is at least eight bytes longer than each gram in it: if l
// and r of them are before and after it, the greatest of 0, 2, 4, 6 that are at
// most l and r sum to at least six.
func (s *GramSet) Shares(key uint32) bool {
	hash := key >> sideBits
	return s.bits[hash/64]>>(hash%64)&1 != 0 && s.sharesSides(hash, key)
}

func (s *GramSet) sharesSides(hash, key uint32) bool {
	return s.has(hash, func(x gramEntry) bool {
		before, after := alike(x.sides, key)
		return before+after >= 6
	})
}

// alone reports whether a gram of another text may be the only one that both texts
// chose in a match. Then it is the choice of the match's first window, so that
// the match starts n < gramWindow bytes before it, at a term, and has at least
// MatchBytes − gramBytes − n bytes after it.
func (s *GramSet) alone(key uint32) bool {
	return s.has(key>>sideBits, func(x gramEntry) bool {
		before, after := alike(x.sides, key)
		for n := range gramWindow {
			if x.starts>>n&1 != 0 && before >= min(n, 6)/2*2 && after >= min(MatchBytes-gramBytes-n, 6)/2*2 {
				return true
			}
		}
		return false
	})
}

// alike returns how many bytes before and after two grams of one hash may be the
// same, as far as their sides tell: 0, 2, 4 or 6.
func alike(a, b uint32) (before, after int) {
	x := (a ^ b) & (1<<sideBits - 1)
	return equalLevels(x >> (sideBits / 2)), equalLevels(x & (1<<(sideBits/2) - 1))
}

func equalLevels(differ uint32) int {
	switch {
	case differ == 0:
		return 6
	case differ>>2 == 0:
		return 4
	case differ>>4 == 0:
		return 2
	}
	return 0
}

// Runs yields the pieces of another text, ascending, in which all its matches
// with this one lie. Pieces may overlap.
//
// A match's windows choose the same grams in both texts; let c be the first of
// them and d the last. No other chosen gram x of the other text lies between c and
// d. For x must come from a window that reaches beyond the match, to the left,
// say. Then x is in the match's first window, whose choice is c, and so has a
// greater hash than c, or an equal one and stands left of it. The window that chose
// x reaches from left of the match to x, beyond c, and would have chosen c. To
// the right it is the same with d. So the grams of a match stand in a row there,
// all of them shared. It does not begin more than gramWindow−1 bytes before the
// first of the row nor end more than MatchBytes bytes after the start of the last.
func (s *GramSet) Runs(grams Grams) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		first, last, n, only := 0, 0, 0, uint32(0) // the row so far, and its gram if it is the only one
		row := func() bool {
			return n == 0 || n == 1 && !s.alone(only) || yield(max(first-gramWindow+1, 0), last+MatchBytes)
		}
		at := -1
		for ; len(grams) >= 4; grams = grams[4:] { // All, without a call for each
			x := binary.LittleEndian.Uint32(grams)
			at += int(x >> keyBits)
			key := x & (1<<keyBits - 1)
			if s.Shares(key) {
				if n == 0 {
					first, only = at, key
				}
				last = at
				n++
			} else if n > 0 {
				if !row() {
					return
				}
				n = 0
			}
		}
		row()
	}
}
