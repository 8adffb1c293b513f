package syntax

// The lexical parts of a text, for syntax colouring.

import (
	"slices"
	"strings"
)

// Part is the lexical class of a byte.
type Part uint8

// The classes. Names, punctuation and white space are plain.
const (
	PlainPart Part = iota
	KeywordPart
	StringPart
	NumberPart
	CommentPart
)

// Parts returns the class of each byte of a text. It accepts incomplete statements: an
// unterminated string or comment extends to the end.
func Parts(text string) []Part {
	parts := make([]Part, len(text))
	mark := func(from, to int, p Part) {
		for i := from; i < to; i++ {
			parts[i] = p
		}
	}
	words := Keywords()
	for l := newLexer(text); ; {
		from := l.off
		t := l.next()
		if strings.TrimSpace(text[from:t.off]) != "" {
			mark(from, t.off, CommentPart)
		}
		switch t.kind {
		case tokEnd:
			return parts
		case tokBad:
			l.mark = t.mark
			switch e := l.opening(); {
			case e == nil:
				l.step() // over a character that cannot stand here
			case e.comment:
				mark(t.off, len(text), CommentPart)
				return parts
			default:
				mark(t.off, len(text), StringPart)
				return parts
			}
		case tokName:
			if _, ok := slices.BinarySearch(words, strings.ToUpper(t.text)); ok {
				mark(t.off, t.end, KeywordPart)
			}
		case tokString:
			mark(t.off, t.end, StringPart)
		case tokNumber:
			mark(t.off, t.end, NumberPart)
		}
	}
}
