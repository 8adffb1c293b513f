package sketch

import (
	"encoding/binary"
	"iter"
	"slices"
)

// GramSet holds the grams chosen in a text, the one with matches that start at terms.
// It limits where another text can match.
type GramSet struct {
	hashes []uint32
	bits   [1 << hashBits / 64]uint64 // hashes present: most look-ups end here
	first  [1<<hashBits + 1]uint32    // by hash: its first gram
	count  [1 << hashBits]uint8       // by hash: number of its distinct grams
	grams  []gramEntry
}

// gramEntry is a gram: its sides, and a bit for each number of bytes before it at which
// a term starts.
type gramEntry struct {
	sides  uint32
	starts uint16
}

// mostGrams is the number of grams of one hash up to which their sides are compared.
// Among more, nearly every gram of another text finds a similar one, so comparison
// would decide nothing and could take thousands of steps for each gram of a text of 16
// MB. Beyond the limit every gram counts as a possible match.
const mostGrams = 48

// NewGramSet indexes the chosen grams of a normalised text; starts are the starts of
// its terms, in bytes, ascending.
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

// of returns the distinct grams of a hash, at most mostGrams.
func (s *GramSet) of(hash uint32) []gramEntry {
	return s.grams[s.first[hash]:][:s.count[hash]]
}

// KeyRanges yields the ranges of keys with a hash in the set, ascending.
func (s *GramSet) KeyRanges() iter.Seq2[uint32, uint32] {
	return func(yield func(low, high uint32) bool) {
		for _, h := range s.hashes {
			if !yield(h<<sideBits, h<<sideBits|(1<<sideBits-1)) {
				return
			}
		}
	}
}

// has reports whether a gram of a hash satisfies want. For a hash with mostGrams it is
// always true.
func (s *GramSet) has(hash uint32, want func(gramEntry) bool) bool {
	return s.count[hash] == mostGrams || slices.ContainsFunc(s.of(hash), want)
}

// Shares reports whether a gram of another text, given by its key, may lie in a match
// with this text. A match is at least eight bytes longer than each gram in it. With l
// and r bytes before and after the gram, the greatest numbers among 0, 2, 4, 6 not
// above l and r therefore sum to at least six.
func (s *GramSet) Shares(key uint32) bool {
	hash := key >> sideBits
	return s.bits[hash/64]>>(hash%64)&1 != 0 && s.sharesSides(hash, key)
}

// sharesSides is Shares for a hash that is present.
func (s *GramSet) sharesSides(hash, key uint32) bool {
	return s.has(hash, func(x gramEntry) bool {
		before, after := alike(x.sides, key)
		return before+after >= 6
	})
}

// alone reports whether a gram of another text may be the only one in a match that both
// texts chose. Then the first window of the match chose it, so that the match starts n
// < gramWindow bytes before it, at a term, and has at least MatchBytes − gramBytes − n
// bytes after it.
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

// alike returns the number of bytes before and after two grams of one hash that may be
// equal, as far as their sides show: 0, 2, 4 or 6.
func alike(a, b uint32) (before, after int) {
	x := (a ^ b) & (1<<sideBits - 1)
	return equalLevels(x >> (sideBits / 2)), equalLevels(x & (1<<(sideBits/2) - 1))
}

// equalLevels returns the number of bytes of a side that may be equal, given the XOR of
// the hashes of the side.
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

// Runs yields the pieces of another text, ascending, that contain all its matches with
// this text. Pieces may overlap.
//
// The windows of a match choose the same grams in both texts; let c be the first of
// them and d the last. No other chosen gram x of the other text lies between c and d.
// Suppose x came from a window that extends beyond the match, say to the left. Then x
// is in the first window of the match, which chose c, so x has a greater hash than c,
// or an equal one further left. But the window that chose x extends from the left of
// the match to x, hence over c, and would have chosen c. The case of d is symmetric. So
// the grams of a match are consecutive in the other text, and all are shared. The match
// begins at most gramWindow−1 bytes before the first of them and ends at most
// MatchBytes bytes after the start of the last.
func (s *GramSet) Runs(grams Grams) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		first, last, n, only := 0, 0, 0, uint32(0) // the current row, and its gram if it has only one
		row := func() bool {
			return n == 0 || n == 1 && !s.alone(only) || yield(max(first-gramWindow+1, 0), last+MatchBytes)
		}
		at := -1
		for ; len(grams) >= 4; grams = grams[4:] { // as All, without a call per gram
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
