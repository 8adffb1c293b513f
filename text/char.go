package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Collapse makes every run of Unicode white space in norm one space, in place,
// and trims both ends. What it returns is the stream of characters itself.
func Collapse(norm []byte) []byte {
	n, space := 0, true // a space at the start is dropped like one after a space
	for i := 0; i < len(norm); {
		c := norm[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(norm[i:])
			if !unicode.IsSpace(r) {
				n += copy(norm[n:], norm[i:i+size])
				i += size
				space = false
				continue
			}
			c = ' '
			i += size
		} else {
			i++
		}
		// No branch on white space: it comes too irregularly to be predicted.
		isSpace := asciiClass[c]&white != 0
		if isSpace {
			c = ' '
		}
		norm[n] = c
		if !(isSpace && space) {
			n++
		}
		space = isSpace
	}
	if n > 0 && space {
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
