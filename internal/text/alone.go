package text

// This file reads Chinese and Japanese texts by a shorter way than the rules of
// UAX #29. Some characters are in no class that a rule joins to another one, so
// there is always a boundary before them, and one after them unless a combining
// or an invisible character follows (rule 4). These texts are mostly made of
// them. No rule sees over them either, so a text may be cut there.

import "unicode/utf8"

// isAlone reports that of a character, if it is one of the frequent ones.
func isAlone(r rune) bool {
	switch r >> 12 {
	case 0x2:
		return 0x2010 <= r && r < 0x2016 || 0x201c <= r && r < 0x201f || r == 0x2026 || 0x2500 <= r && r < 0x25a0
	case 0x3:
		return 0x3001 <= r && r < 0x3004 || 0x3008 <= r && r < 0x3012 || 0x3041 <= r && r < 0x3097 || 0x3400 <= r
	case 0x4:
		return r < 0x4dc0 || 0x4e00 <= r
	case 0xf:
		return r == 0xff01 || r == 0xff08 || r == 0xff09 || r == 0xff1f
	}
	return 0x5000 <= r && r < 0xa000
}

// isAloneWord reports whether a character that is alone makes a word.
func isAloneWord(r rune) bool { return r >= 0x3041 && r < 0xa000 }

// isMiddle reports whether a character stands alone except between two letters,
// or two digits: comma, colon and semicolon of Chinese and Japanese.
func isMiddle(r rune) bool { return r == 0xff0c || r == 0xff1a || r == 0xff1b }

// startsAlone reports whether norm starts with a character that stands alone
// whatever is before it, at least on its left side.
func startsAlone(norm []byte) bool {
	if norm[0] < 0xe2 {
		return false
	}
	r, size := utf8.DecodeRune(norm)
	if isMiddle(r) {
		r, _ = utf8.DecodeRune(norm[size:])
	}
	return isAlone(r)
}

// appendAlone appends the words among characters that stand alone, from pos to
// where another one begins or is joined to the last of them, and returns that
// place.
func appendAlone(dst []Token, norm []byte, pos int) ([]Token, int) {
	if !startsAlone(norm[pos:]) {
		return dst, pos
	}
	r, size := utf8.DecodeRune(norm[pos:])
	for {
		next, nextSize := rune(0), 0
		if pos+size < len(norm) {
			next, nextSize = utf8.DecodeRune(norm[pos+size:])
		}
		alone := isAlone(next) || isMiddle(next)
		if !alone && next >= utf8.RuneSelf {
			return dst, pos // it may be joined
		}
		if isAloneWord(r) {
			dst = append(dst, Token{pos, pos + size})
		}
		pos += size
		if !alone {
			return dst, pos
		}
		r, size = next, nextSize
	}
}
