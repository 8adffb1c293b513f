package text

// This file reads a text as characters: white space is collapsed, every code
// point is a token.

import (
	"encoding/binary"
	"iter"
	"unicode"
	"unicode/utf8"
)

// Collapse makes every run of Unicode white space in norm one space, in place,
// and trims both ends. What it returns is the stream of characters itself.
func Collapse(norm []byte) []byte {
	n, before := 0, uint64(1) // before: 1 after white space, which the start counts as
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
			case spaces == tops: // as where a line is indented
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
			// No branch on white space, which comes too irregularly to be
			// predicted: it is written as a space, which the next byte
			// overwrites when there was one before.
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

// whiteBytes sets the top bit of each byte of x, all below 0x80, that is white
// space. With such bytes a sum sets the top bit of a byte iff it is at least the
// bound, and a difference from 0x80 iff it is zero; no carry leaves it.
func whiteBytes(x uint64) uint64 {
	space := tops - (x ^ ones*' ')
	control := (x + ones*(0x80-'\t')) &^ (x + ones*(0x80-'\r'-1))
	return (space | control) & tops
}

// Chars yields the code points of a collapsed text.
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
