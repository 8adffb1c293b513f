package text

// Reading a text as characters: each code point is a token, white space is collapsed.

import (
	"encoding/binary"
	"iter"
	"unicode"
	"unicode/utf8"
)

// Collapse replaces each run of Unicode white space in norm by one space, in place, and
// trims both ends. The result is the stream of characters itself.
func Collapse(norm []byte) []byte {
	n, before := 0, uint64(1) // before: 1 after white space and at the start
	for i := 0; i < len(norm); {
		end := i + 1
		if len(norm)-i >= 8 {
			x := binary.LittleEndian.Uint64(norm[i:])
			spaces := whiteBytes(x)
			switch {
			case x&tops != 0:
			case spaces&(spaces<<8|before<<7) == 0: // no two in a row
				bytes := spaces >> 7 * 0xff
				binary.LittleEndian.PutUint64(norm[n:], x&^bytes|bytes&(ones*' ')) // n ≤ i
				n += 8
				i += 8
				before = spaces >> 63
				continue
			case spaces == tops: // an indented line
				norm[n] = ' '
				n += int(1 - before)
				i += 8
				before = 1
				continue
			}
			end = i + 8
		}
		for i < end {
			c, size := norm[i], 1
			if c >= utf8.RuneSelf {
				var r rune
				r, size = utf8.DecodeRune(norm[i:])
				if !unicode.IsSpace(r) {
					n += copy(norm[n:], norm[i:i+size])
					i += size
					before = 0
					continue
				}
				c = ' '
			}
			// No branch on white space, which is too irregular to predict: write a
			// space, and let the next byte overwrite it if a space precedes it.
			space := asciiClass[c] / white
			norm[n] = c ^ (c^' ')&-space
			n += int(1 - uint64(space)&before)
			before = uint64(space)
			i += size
		}
	}
	if n > 0 && before == 1 {
		n--
	}
	return norm[:n]
}

// whiteBytes sets the top bit of each white-space byte of x; all bytes must be below
// 0x80. For such bytes a sum sets the top bit of a byte iff the byte is at least the
// bound, and a difference from 0x80 iff the byte is zero; no carry crosses bytes.
func whiteBytes(x uint64) uint64 {
	space := tops - (x ^ ones*' ')
	control := (x + ones*(0x80-'\t')) &^ (x + ones*(0x80-'\r'-1))
	return (space | control) & tops
}

// Chars yields the code points of a collapsed text, in order.
func Chars(norm []byte) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(norm); {
			size := 1
			if norm[i] >= utf8.RuneSelf {
				_, size = utf8.DecodeRune(norm[i:])
			}
			if !yield(Token{i, i + size}) {
				return
			}
			i += size
		}
	}
}
