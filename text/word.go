package text

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Words yields the UAX #29 word segments of norm that hold at least one letter
// or number (Unicode categories L and N).
//
// The rules come from the uax29 package; stretches of ASCII, where they are
// few, take a shorter way that yields the same. A text may be cut at a place
// with ASCII white space before it and another ASCII character, no white space,
// after it. There is always a boundary: the rules against one need a letter, a
// digit, a mark or the like right before it (3c to 13b, 15, 16), or white space
// on both sides (3, 3d), or a combining character right after it (4), and none
// of those is ASCII. No rule sees over it either: those that look one
// character further (6, 7, 11, 12) stop at white space as they do at the end of
// a text. White space before a non-ASCII character is not such a place: a
// combining mark would attach to it.
func Words(norm []byte) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for pos := 0; pos < len(norm); {
			end := pos + asciiPrefix(norm[pos:])
			if end < len(norm) {
				end = lastCut(norm, pos, end)
			}
			if !asciiWords(norm, pos, end, yield) || end == len(norm) {
				return
			}
			pos = nextCut(norm, end)
			if !segmentWords(norm, end, pos, yield) {
				return
			}
		}
	}
}

// lastCut returns the last place between start and end where norm may be cut,
// start if there is no other; norm[start:end] is ASCII.
func lastCut(norm []byte, start, end int) int {
	for p := end - 1; p > start; p-- {
		if cuttable(norm[p-1], norm[p]) {
			return p
		}
	}
	return start
}

// nextCut returns the first place after the first non-ASCII byte where norm
// may be cut, at the latest its end.
func nextCut(norm []byte, start int) int {
	p := start + asciiPrefix(norm[start:]) + 1
	for p < len(norm) && !cuttable(norm[p-1], norm[p]) {
		p++
	}
	return min(p, len(norm))
}

func cuttable(before, after byte) bool {
	return asciiClass[before]&white != 0 && asciiClass[after]&white == 0 && after < utf8.RuneSelf
}

// asciiWords yields the words of norm[pos:end], which is ASCII. It reports
// whether the caller wants more.
func asciiWords(norm []byte, pos, end int, yield func(Token) bool) bool {
	s := norm[:end]
	for pos < len(s) {
		if asciiClass[s[pos]]&inWord == 0 {
			pos++
			continue
		}
		start, seen := pos, uint8(0)
		for pos < len(s) {
			c := asciiClass[s[pos]]
			if c&inWord == 0 {
				if !joins(s, pos, c) {
					break
				}
				c = 0
			}
			seen |= c
			pos++
		}
		if seen&(letter|digit) != 0 && !yield(Token{start, pos}) {
			return false
		}
	}
	return true
}

// joins reports whether s[pos], of class c and not the first of its word,
// stands between two letters or two digits that it joins.
func joins(s []byte, pos int, c uint8) bool {
	return c&mid != 0 && pos+1 < len(s) && asciiClass[s[pos-1]]&asciiClass[s[pos+1]]&(c>>midShift) != 0
}

// segmentWords yields the words of norm[pos:end] by the tables.
func segmentWords(norm []byte, pos, end int, yield func(Token) bool) bool {
	for segments := words.FromBytes(norm[pos:end]); segments.Next(); {
		t := Token{pos + segments.Start(), pos + segments.End()}
		if holdsLetterOrNumber(segments.Value()) && !yield(t) {
			return false
		}
	}
	return true
}

func holdsLetterOrNumber(segment []byte) bool {
	for len(segment) > 0 {
		r, size := utf8.DecodeRune(segment)
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		segment = segment[size:]
	}
	return false
}
