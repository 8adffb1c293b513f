package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Collapse makes every run of Unicode white space in norm one space, in place,
// and trims both ends. What it returns is the stream of characters itself.
func Collapse(norm []byte) []byte {
	n, before := 0, uint8(1) // before: 1 after white space, which the start counts as
	for i := 0; i < len(norm); {
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
		// predicted: it is written as a space, which the next byte overwrites
		// when there was one before.
		space := asciiClass[c] / white
		norm[n] = c ^ (c^' ')&-space
		n += int(1 - space&before)
		before = space
		i += size
	}
	if n > 0 && before == 1 {
		n--
	}
	return norm[:n]
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
