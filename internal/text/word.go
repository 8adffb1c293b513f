package text

// Segmentation into words by UAX #29, with an equivalent fast path for ASCII.

import (
	"iter"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Words yields the words of norm: its UAX #29 word segments with at least one letter,
// number or symbol (Unicode categories L, N, Sm, Sc and So), and the signs that change
// a word (see quoting.marks). A > that quotes, as in mails, is none.
//
// The uax29 package implements the rules; stretches of ASCII, where few rules apply,
// take a fast path with the same result. A text may be cut between ASCII white space
// and another ASCII character. There is always a boundary: the rules against a boundary
// need a letter, a digit, a mark or the like right before it (3c to 13b, 15, 16), or
// white space on both sides (3, 3d), or a combining character right after it (4), which
// ASCII has not. No rule looks across the cut either: the rules that look one character
// further (6, 7, 11, 12) stop at white space as at the end of a text.
//
// Two exceptions: White space before a non-ASCII character is no cut, as a combining
// mark would attach to it, unless the character is alone (see isAlone), before which a
// cut is always allowed. Nor is there a cut before a >, so that the piece holds all
// that decides whether the > quotes (see quotes).
func Words(norm []byte) iter.Seq[Token] { return Form(0).Words(norm) }

// Words yields the words of a text normalised by f.Normalize, like the function Words.
func (f Form) Words(norm []byte) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		var few [64]Token
		words := few[:0]
		for pos := 0; pos < len(norm); {
			words, pos = f.appendSomeWords(words[:0], norm, pos, someWords)
			for _, t := range words {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// AppendWordsFrom appends the words of norm from pos on, until dst holds at least most
// words, and returns the position reached. It lets a caller that reads each word once
// work in blocks: a text of 16 MB may have 8 million words.
func (f Form) AppendWordsFrom(dst []Token, norm []byte, pos, most int) (_ []Token, end int) {
	for pos < len(norm) && len(dst) < most {
		dst, pos = f.appendSomeWords(dst, norm, pos, 2*most) // a word and the gap before it take at least two characters
	}
	return dst, pos
}

// someWords is the number of ASCII characters that Words examines before it yields
// their words.
const someWords = 256

// appendSomeWords appends the words of a stretch of norm that begins at pos, and
// returns its end. A stretch of ASCII ends at the first cut after most bytes.
func (f Form) appendSomeWords(dst []Token, norm []byte, pos, most int) ([]Token, int) {
	if norm[pos] >= utf8.RuneSelf {
		dst, end := f.appendAlone(dst, norm, pos)
		if end == pos {
			end = nextCut(norm, pos)
			dst = f.appendSegments(dst, norm, pos, end)
		}
		return dst, end
	}
	end := min(pos+most, len(norm))
	end = pos + asciiPrefix(norm[pos:end])
	for end < len(norm) && norm[end] < utf8.RuneSelf && !cuttable(norm[end-1], norm[end]) {
		end++
	}
	if end < len(norm) && norm[end] >= utf8.RuneSelf && !startsAlone(norm[end:]) {
		cut := lastCut(norm, pos, end)
		if cut == pos {
			end = nextCut(norm, end)
			return f.appendSegments(dst, norm, pos, end), end
		}
		end = cut
	}
	return f.appendASCIIWords(dst, norm, pos, end), end
}

// lastCut returns the last cut between start and end, or start if there is no other;
// norm[start:end] is ASCII.
func lastCut(norm []byte, start, end int) int {
	for p := end - 1; p > start; p-- {
		if cuttable(norm[p-1], norm[p]) {
			return p
		}
	}
	return start
}

// nextCut returns the first cut after the non-ASCII byte at p, at the latest the end of
// norm.
func nextCut(norm []byte, p int) int {
	p++
	for p < len(norm) && !cuttable(norm[p-1], norm[p]) && !startsAlone(norm[p:]) {
		p++
	}
	return p
}

// cuttable reports whether a text may be cut between two ASCII bytes; see Words.
func cuttable(before, after byte) bool {
	return asciiClass[before]&white != 0 && asciiClass[after]&white == 0 && after < utf8.RuneSelf && after != '>'
}

// appendASCIIWords appends the words of norm[pos:end], which is ASCII.
//
// It processes 64 characters at a time, as bits: a loop over the characters mispredicts
// the end of every word, which costs more than examining the characters.
func (f Form) appendASCIIWords(dst []Token, norm []byte, pos, end int) []Token {
	start, before := -1, uint8(0) // start of the open word or -1, class of the character before
	q := quoting{from: pos}
	for ; pos < end; pos += 64 {
		next := min(pos+64, end)
		after := uint8(0)
		if next < end {
			after = asciiClass[norm[next]]
		}
		word, marks := wordBits(norm[pos:next], before, after)
		before = asciiClass[norm[next-1]]
		if marks != 0 {
			marks = f.wordMarks(norm, pos, marks, &q)
		}
		edges := word ^ word<<1
		if start >= 0 {
			edges ^= 1
		}
		for ; edges != 0; edges &= edges - 1 {
			i := bits.TrailingZeros64(edges)
			if marks&(1<<i-1) != 0 { // before this position
				dst = appendMarks(dst, pos, marks&(1<<i-1))
				marks &^= 1<<i - 1
			}
			at := pos + i
			if start < 0 {
				start = at
				continue
			}
			if asciiClass[norm[start]] != connector || !onlyConnectors(norm[start:at]) {
				dst = append(dst, Token{start, at})
			}
			start = -1
		}
		if marks != 0 {
			dst = appendMarks(dst, pos, marks)
		}
	}
	if start >= 0 && !onlyConnectors(norm[start:end]) {
		dst = append(dst, Token{start, end})
	}
	return dst
}

// appendMarks appends a word for each bit, bit i for byte pos+i.
func appendMarks(dst []Token, pos int, marks uint64) []Token {
	for ; marks != 0; marks &= marks - 1 {
		at := pos + bits.TrailingZeros64(marks)
		dst = append(dst, Token{at, at + 1})
	}
	return dst
}

// onlyConnectors reports whether a word has neither letter nor number.
func onlyConnectors(word []byte) bool {
	for _, c := range word {
		if asciiClass[c] != connector {
			return false
		}
	}
	return true
}

// wordBits returns two bit sets over a block of at most 64 characters: the characters
// that are part of a word, and the marks. before and after are the classes of
// the characters around the block, 0 at the ends of the text.
func wordBits(block []byte, before, after uint8) (word, marks uint64) {
	var c classBits
	if len(block) == 64 {
		c.set((*[64]byte)(block))
	} else {
		var padded [64]byte
		copy(padded[:], block)
		c.set(&padded)
	}
	letters, digits := c[0], c[1]
	last := len(block) - 1
	midLetters := c[3] & (letters<<1 | uint64(before&letter)/letter) & (letters>>1 | uint64(after&letter)/letter<<last)
	midNums := c[4] & (digits<<1 | uint64(before&digit)/digit) & (digits>>1 | uint64(after&digit)/digit<<last)
	return letters | digits | c[2] | midLetters | midNums, c[5]
}

// appendSegments appends the words of norm[pos:end] by the rules of the uax29 package.
func (f Form) appendSegments(dst []Token, norm []byte, pos, end int) []Token {
	q := quoting{from: pos}
	for segments := words.FromBytes(norm[pos:end]); segments.Next(); {
		t := Token{pos + segments.Start(), pos + segments.End()}
		if f.isWord(norm, t, &q) {
			dst = append(dst, t)
		}
	}
	return dst
}

// isWord reports whether the segment t is a word.
func (f Form) isWord(norm []byte, t Token, q *quoting) bool {
	if c := norm[t.Start]; f&Papers == 0 && asciiClass[c]&mark != 0 && q.marks(norm, t.Start) {
		return true
	}
	for at := t.Start; at < t.End; {
		r, size := utf8.DecodeRune(norm[at:t.End])
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		if r >= utf8.RuneSelf && f&Papers == 0 && isSymbol(r) {
			return true
		}
		at += size
	}
	return false
}
