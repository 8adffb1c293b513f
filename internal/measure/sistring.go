package measure

// The measure patricia: the share of a text that another text contains, and the common
// passages. The tree of paper 001 is a sorted array here (decision 0057).

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"unicode/utf8"
)

// SiStrings is an index of the semi-infinite strings of a text P: for each term, the
// text from its start to the end of P (paper 001). In the paper a term starts at the start
// of P and after white space; the caller may choose more positions. The index finds the
// passages of P that another text contains. Matched/Len is the share of P that the
// other text accounts for.
//
// The paper keeps the sistrings in a Patricia tree, a binary digital tree over their
// bits. Here they are the leaves of that tree from left to right, an array in byte
// order. The longest match of a string is with one of its two neighbours in that order;
// in the tree it is with the leaves below the node where the descent ends. An array
// takes four bytes per term and is built by sorting. Unlike a tree it needs no second
// descent to a leaf to verify the skipped bits. The branch bits of the tree are the
// first differing bits of neighbours in the array.
//
// Building the array takes O(n log n) for any n terms (see sortTerms). An index is safe
// for concurrent use.
type SiStrings struct {
	text   []byte
	chars  int
	starts []uint32 // starts of the terms, in the order of their sistrings
	short  heads    // of shortHead bytes
	long   heads    // of longHead bytes
}

// NewSiStrings indexes the terms of the paper in a text normalised by
// text.Char.Normalize: valid UTF-8, with single spaces as white space. The index
// retains p, which must not change. p must be shorter than 4 GiB.
func NewSiStrings(p []byte) *SiStrings { return NewSiStringsAt(p, termStarts(p)) }

// NewSiStringsAt is NewSiStrings with terms chosen by the caller: starts of code
// points, ascending, which include the terms of the paper. The index retains starts
// too, and reorders it.
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

// termStarts returns the starts of the paper's terms in a normalised text, ascending.
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

// A Passage occurs in both texts: P[p.P:p.P+p.Bytes] = C[p.C:p.C+p.Bytes].
type Passage struct {
	P, C  int // start in each text, in bytes of the normal form
	Bytes int // its length in bytes
	Chars int // its length in code points
}

// Lengths of the heads in bytes. The long heads serve the paper's minimum of 15
// characters.
const (
	shortHead = 8
	longHead  = 16
)

// Passages scans the text C, normalised like P, by the paper's algorithm, from left to
// right. It finds the longest match of the rest of C with the start of a sistring of P.
// A match of more than min code points is a passage, and the scan skips it; otherwise
// the scan advances by one code point. Passages are in order and do not overlap in C.
// In P they start at terms, and several may have the same position. If several
// positions of P have the same match, the choice is arbitrary but deterministic. A
// negative min counts as 0.
//
// Without a match, a step examines a few bits. With a match, it is a binary search. Its
// comparisons stop after min code points, or are amortised by the skipped passage. The
// worst case is O(|C|·(1+min/8)·log n) for n terms.
func (s *SiStrings) Passages(c []byte, min int) []Passage {
	var all []Passage
	for p := s.next(c, 0, len(c), min); p.Bytes > 0; p = s.next(c, p.C+p.Bytes, len(c), min) {
		all = append(all, p)
	}
	return all
}

// Matched returns Σ Chars of Passages, without allocating. It may exceed Len: C may
// contain the same passage twice.
func (s *SiStrings) Matched(c []byte, min int) (chars int) {
	for p := s.next(c, 0, len(c), min); p.Bytes > 0; p = s.next(c, p.C+p.Bytes, len(c), min) {
		chars += p.Chars
	}
	return chars
}

// MatchedIn is Matched for ascending pieces of c. The caller must know that no passage
// starts outside of them.
func (s *SiStrings) MatchedIn(c []byte, pieces iter.Seq2[int, int], min int) (chars int) {
	for p := range s.PassagesIn(c, pieces, min) {
		chars += p.Chars
	}
	return chars
}

// PassagesIn yields the result of Passages, given ascending pieces of c. The caller must
// know that no passage starts outside of them.
func (s *SiStrings) PassagesIn(c []byte, pieces iter.Seq2[int, int], min int) iter.Seq[Passage] {
	return func(yield func(Passage) bool) {
		end := 0 // end of the last passage
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

// next returns the first passage of c that starts at byte i or later and before stop,
// the zero Passage if there is none.
func (s *SiStrings) next(c []byte, i, stop, minChars int) Passage {
	minChars = max(minChars, 0)
	for ; i < stop && len(c)-i > minChars; i = nextChar(c, i) {
		// A passage from here has more than minChars bytes, and c has room for it.
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

// nextChar returns the start of the code point after the one at i.
func nextChar(c []byte, i int) int {
	i++
	for i < len(c) && !utf8.RuneStart(c[i]) {
		i++
	}
	return i
}

// longest returns the start in P of the sistring that shares the longest prefix with c,
// and the length of that prefix in bytes, cut to whole code points.
//
// It is a binary search for the position of c among the sistrings. The sistrings
// between the two ends of the search share with c at least the lesser of the prefixes
// that the ends share, so comparison starts there.
func (s *SiStrings) longest(c []byte) (at, n int) {
	low, high := 0, len(s.starts) // c sorts after all below low and before all from high on
	lowCommon, highCommon := 0, 0 // prefix lengths shared with c at both ends
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
	// The search has examined both neighbours of c: each was the last mid to become an
	// end.
	for n > 0 && n < len(c) && !utf8.RuneStart(c[n]) {
		n--
	}
	return at, n
}

// commonPrefix returns the length of the common prefix of a and b in bytes.
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

// heads is a Bloom filter of the first size bytes of all sistrings of at least that
// length. A head sets two bits of one 64-bit word, all chosen by its hash; there is at
// least one word per four heads. The filter rejects nearly every character of an
// unrelated text without a binary search. With one bit per head it passed one character
// in thirty, which then took most of the time.
type heads struct {
	size  int
	words []uint64
	shift uint8 // from a 64-bit hash to the index of a word
}

// newHeads builds the filter of the heads of size bytes.
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

// place returns the index of the word for the start of c, which has at least size
// bytes, and its two bits there.
func (h heads) place(c []byte) (word, two uint64) {
	const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ over the golden ratio, for multiplicative hashing
	x := binary.LittleEndian.Uint64(c)
	x = (x ^ x>>29) * golden
	if h.size == longHead {
		x = (x ^ x>>29 ^ binary.LittleEndian.Uint64(c[8:])) * golden
	}
	x ^= x >> 32
	return x >> h.shift, 1<<(x%64) | 1<<(x/64%64)
}

// mayHold reports whether a sistring may start like c. If false, none does.
func (h heads) mayHold(c []byte) bool {
	word, two := h.place(c)
	return h.words[word]&two == two
}
