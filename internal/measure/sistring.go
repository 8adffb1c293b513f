package measure

// This file is the measure patricia: how much of a text stands in another one,
// and in which passages. It is the tree of paper 001 as a sorted array
// (decision 0057).

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"unicode/utf8"
)

// SiStrings is an index of the semi-infinite strings of one text P: for each of
// its terms the text from there to the end (paper 001). In the paper a term starts at
// the start of P and after white space; the caller may choose more places. The index finds
// the passages of P that another text has. Matched/Len says how much of P that text accounts
// for.
//
// The paper keeps the sistrings in a Patricia tree, a binary digital tree over
// their bits. Here they are the leaves of that tree from left to right, an
// array in byte order. The longest match of a string is with one of its two
// neighbours in that order; in the tree it is with the leaves below the node where
// the descent ends. An array takes four bytes a term and is built by sorting. A tree
// needs a second walk to the leaf, to see which of the skipped bits were equal; an
// array does not. The branch bits of the tree are the first bits in which neighbours
// of the array differ.
//
// Building the array takes O(n log n) for any n terms (see sortTerms).
type SiStrings struct {
	text   []byte
	chars  int
	starts []uint32 // where the terms start, in the order of their sistrings
	short  heads    // of shortHead bytes
	long   heads    // of longHead bytes
}

// NewSiStrings indexes a text that text.Char.Normalize has normalised, by the terms of the
// paper: its UTF-8 is valid, and white space is single spaces. The index keeps p. p must
// not change, and must be shorter than 4 GiB.
func NewSiStrings(p []byte) *SiStrings { return NewSiStringsAt(p, termStarts(p)) }

// NewSiStringsAt is NewSiStrings with the starts of terms that the caller chooses, ascending:
// of code points, with those of the paper among them. The index keeps starts too.
func NewSiStringsAt(p []byte, starts []uint32) *SiStrings {
	sortTerms(p, starts)
	return &SiStrings{
		text:   p,
		chars:  utf8.RuneCount(p),
		starts: starts,
		short:  newHeads(p, starts, shortHead),
		long:   newHeads(p, starts, longHead),
	}
}

// termStarts returns where the paper's terms of a collapsed text start, ascending.
func termStarts(p []byte) []uint32 {
	if len(p) == 0 {
		return nil
	}
	starts := []uint32{0}
	for i, c := range p[:len(p)-1] {
		if c == ' ' {
			starts = append(starts, uint32(i+1))
		}
	}
	return starts
}

// Len returns the length of P in code points.
func (s *SiStrings) Len() int { return s.chars }

// A Passage stands in both texts: P[p.P:p.P+p.Bytes] = C[p.C:p.C+p.Bytes].
type Passage struct {
	P, C  int // where it starts, in bytes of the normalised texts
	Bytes int // its length in bytes
	Chars int // its length in code points
}

// How many bytes the heads have. The long ones serve the paper's 15 characters.
const (
	shortHead = 8
	longHead  = 16
)

// Passages scans the text C, normalised as P, by the paper's algorithm, from
// left to right. It looks for the longest match of the rest of C with the start
// of a sistring of P. If the match has more than min code points, it is a
// passage and is skipped. Otherwise the scan goes on one code point further.
// Passages do not overlap in C and stand in its order. In P they start at
// terms, and several of them may have the same place. If several places of P
// have the same match, any one is named, but always the same. A negative min is
// taken as 0.
//
// Where nothing matches, a step looks at a few bits. Where something does, it
// is a binary search. Its comparisons stop after min code points, or are paid
// for by what is skipped. At worst this is O(|C|·(1+min/8)·log n) for n terms.
func (s *SiStrings) Passages(c []byte, min int) []Passage {
	var all []Passage
	for p := s.next(c, 0, len(c), min); p.Bytes > 0; p = s.next(c, p.C+p.Bytes, len(c), min) {
		all = append(all, p)
	}
	return all
}

// Matched returns Σ Chars of Passages, without allocating. It may exceed Len:
// C may hold the same passage twice.
func (s *SiStrings) Matched(c []byte, min int) (chars int) {
	for p := s.next(c, 0, len(c), min); p.Bytes > 0; p = s.next(c, p.C+p.Bytes, len(c), min) {
		chars += p.Chars
	}
	return chars
}

// MatchedIn does what Matched does, for a caller who knows pieces of c,
// ascending, outside of which no passage starts.
func (s *SiStrings) MatchedIn(c []byte, pieces iter.Seq2[int, int], min int) (chars int) {
	for p := range s.PassagesIn(c, pieces, min) {
		chars += p.Chars
	}
	return chars
}

// PassagesIn yields what Passages returns, for a caller who knows pieces of c,
// ascending, outside of which no passage starts.
func (s *SiStrings) PassagesIn(c []byte, pieces iter.Seq2[int, int], min int) iter.Seq[Passage] {
	return func(yield func(Passage) bool) {
		end := 0 // of the last passage
		for from, to := range pieces {
			for i := max(from, end); ; {
				for i < len(c) && !utf8.RuneStart(c[i]) {
					i++
				}
				p := s.next(c, i, to, min)
				if p.Bytes == 0 {
					break
				}
				if !yield(p) {
					return
				}
				end = p.C + p.Bytes
				i = end
			}
		}
	}
}

// next returns the first passage of c that starts at byte i or later and before
// stop. If there is none, it returns the zero Passage.
func (s *SiStrings) next(c []byte, i, stop, minChars int) Passage {
	minChars = max(minChars, 0)
	for ; i < stop && len(c)-i > minChars; i = nextChar(c, i) {
		// A passage here has more than minChars bytes, and c has them.
		if minChars >= longHead-1 {
			if !s.long.mayHold(c[i:]) {
				continue
			}
		} else if minChars >= shortHead-1 && !s.short.mayHold(c[i:]) {
			continue
		}
		at, n := s.longest(c[i:])
		if n <= minChars {
			continue // a code point has at least one byte
		}
		if chars := utf8.RuneCount(c[i : i+n]); chars > minChars {
			return Passage{P: at, C: i, Bytes: n, Chars: chars}
		}
	}
	return Passage{}
}

// nextChar returns where the code point after the one at i starts.
func nextChar(c []byte, i int) int {
	i++
	for i < len(c) && !utf8.RuneStart(c[i]) {
		i++
	}
	return i
}

// longest returns the sistring that has the longest match with the start of c,
// by its place in the array. It also returns how many bytes match, in whole
// code points.
//
// It is a binary search for the place of c among the sistrings. The sistrings
// between the two ends of the search have at least as much in common with c as
// the lesser of the ends has, so comparing starts there.
func (s *SiStrings) longest(c []byte) (at, n int) {
	low, high := 0, len(s.starts) // c comes after all below low and before all from high on
	lowCommon, highCommon := 0, 0 // what the nearest of each share with c
	for low < high {
		mid := int(uint(low+high) / 2)
		p := s.text[s.starts[mid]:]
		common := min(lowCommon, highCommon)
		common += commonPrefix(p[common:], c[common:])
		if common > n {
			at, n = int(s.starts[mid]), common
		}
		if common == len(c) {
			return at, n
		}
		if common == len(p) || p[common] < c[common] {
			low, lowCommon = mid+1, common
		} else {
			high, highCommon = mid, common
		}
	}
	// The search has looked at both neighbours of c's place: each was the last
	// mid to become an end.
	for n > 0 && n < len(c) && !utf8.RuneStart(c[n]) {
		n--
	}
	return at, n
}

// commonPrefix returns how many bytes a and b have in common from the start.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// heads is a set of the first size bytes of all sistrings that have so many. It
// may report some others too. It has two bits for each head, chosen by its
// hash, both in one word of 64. There is a word for every four heads. Nearly
// every character of an unrelated text fails here, without a binary search.
// With one bit for each head one character in thirty did not fail, and those
// took most of the time.
type heads struct {
	size  int
	words []uint64
	shift uint8 // from a 64-bit hash to the number of a word
}

func newHeads(p []byte, starts []uint32, size int) heads {
	const perWord = 4
	width := bits.Len(uint(len(starts) / perWord))
	h := heads{size: size, words: make([]uint64, 1<<width), shift: uint8(64 - width)}
	for _, at := range starts {
		if len(p)-int(at) >= size {
			word, two := h.place(p[at:])
			h.words[word] |= two
		}
	}
	return h
}

// place returns the word for the start of c, which has at least size bytes, and
// its two bits there.
func (h heads) place(c []byte) (word, two uint64) {
	const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ over the golden ratio, to spread by multiplication
	x := binary.LittleEndian.Uint64(c)
	x = (x ^ x>>29) * golden
	if h.size == longHead {
		x = (x ^ x>>29 ^ binary.LittleEndian.Uint64(c[8:])) * golden
	}
	x ^= x >> 32
	return x >> h.shift, 1<<(x%64) | 1<<(x/64%64)
}

func (h heads) mayHold(c []byte) bool {
	word, two := h.place(c)
	return h.words[word]&two == two
}
