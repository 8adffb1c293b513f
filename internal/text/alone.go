package text

// A fast path of word segmentation for Chinese and Japanese. Some characters belong to
// no class that a rule of UAX #29 joins to another, so there is always a boundary
// before them, and one after them unless a combining or an invisible character follows
// (rule 4). Such texts consist mostly of these characters. No rule looks across them
// either, so a text may be cut there.

import "unicode/utf8"

// isAlone reports whether r is one of the frequent characters with a boundary on both
// sides.
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

// isAloneWord reports whether an alone character is a word: all but punctuation are,
// and for Papers all but box drawing.
func (f Form) isAloneWord(r rune) bool { return r >= 0x3041 || r < 0x3000 && f&Papers == 0 }

// startsAlone reports whether norm starts with an alone character.
func startsAlone(norm []byte) bool {
	if norm[0] < 0xe2 {
		return false
	}
	r, _ := utf8.DecodeRune(norm)
	return isAlone(r)
}

// startsApart reports whether norm starts with ASCII punctuation or a space that
// belongs to no word if an alone character precedes it, followed by an alone or an
// ASCII character. It leaves line ends and runs of spaces to the rules.
func startsApart(norm []byte) bool {
	if len(norm) < 2 || norm[0] >= utf8.RuneSelf || norm[1] >= utf8.RuneSelf && !startsAlone(norm[1:]) {
		return false
	}
	return norm[0] == ' ' && norm[1] != ' ' || asciiClass[norm[0]]&^(midLetter|midNum) == 0
}

// appendAlone appends the words among the alone characters from pos on. It returns its
// end: before the next other character, or before the last alone one if that may be
// joined to it.
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
