package text

// This file reads Chinese and Japanese texts by a shorter way than the rules of
// UAX #29. Some characters are in no class that a rule joins to another one, so
// there is always a boundary before them, and one after them unless a combining
// or an invisible character follows (rule 4). These texts are mostly made of
// them. No rule sees over them either, so a text may be cut there.

import "unicode/utf8"

// isAlone reports that of a character, if it is one of the frequent ones.
func isAlone(r rune) bool {
	if 0x4e00 <= r && r < 0xa000 {
		return true
	}
	switch r >> 12 {
	case 0x2:
		return 0x2500 <= r && r < 0x25a0
	case 0x3:
		return 0x3001 <= r && r < 0x3004 || 0x3008 <= r && r < 0x3012 || 0x3041 <= r && r < 0x3097 || 0x3400 <= r
	case 0x4:
		return r < 0x4dc0
	}
	return false
}

// isAloneWord reports whether a character that is alone makes a word: all do but
// punctuation, and box drawing does not for the papers.
func (f Form) isAloneWord(r rune) bool { return r >= 0x3041 || r < 0x3000 && f&Papers == 0 }

// startsAlone reports whether norm starts with a character that stands alone.
func startsAlone(norm []byte) bool {
	if norm[0] < 0xe2 {
		return false
	}
	r, _ := utf8.DecodeRune(norm)
	return isAlone(r)
}

// startsApart reports whether norm starts with punctuation of ASCII or a space that
// belongs to no word if it is behind what stands alone, with such a character or one
// of ASCII behind it. Line ends and several spaces are left to the rules.
func startsApart(norm []byte) bool {
	if len(norm) < 2 || norm[0] >= utf8.RuneSelf || norm[1] >= utf8.RuneSelf && !startsAlone(norm[1:]) {
		return false
	}
	return norm[0] == ' ' && norm[1] != ' ' || asciiClass[norm[0]]&^(midLetter|midNum) == 0
}

// appendAlone appends the words among characters that stand alone, from pos to
// where another one begins or is joined to the last of them, and returns that
// place.
func (f Form) appendAlone(dst []Token, norm []byte, pos int) ([]Token, int) {
	if !startsAlone(norm[pos:]) {
		return dst, pos
	}
	r, size := utf8.DecodeRune(norm[pos:])
	for {
		end := pos + size
		next, nextSize := rune(0), 0
		if end < len(norm) && norm[end] >= utf8.RuneSelf {
			if next, nextSize = utf8.DecodeRune(norm[end:]); !isAlone(next) {
				return dst, pos // it may be joined
			}
		}
		if f.isAloneWord(r) {
			dst = append(dst, Token{pos, end})
		}
		pos = end
		if nextSize == 0 {
			for startsApart(norm[pos:]) {
				pos++
			}
			if pos == len(norm) || !startsAlone(norm[pos:]) {
				return dst, pos
			}
			next, nextSize = utf8.DecodeRune(norm[pos:])
		}
		r, size = next, nextSize
	}
}
