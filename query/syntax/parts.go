package syntax

// What the parts of a text are, for those that show statements in colour.

import (
	"slices"
	"strings"
)

// Part is what a piece of a statement is.
type Part uint8

// The parts. What is none of the others is plain: names, signs and white space.
const (
	PlainPart Part = iota
	KeywordPart
	StringPart
	NumberPart
	CommentPart
)

// Parts says of each byte of a text which part it belongs to. The text may be one that is still
// being typed: what has no end yet reaches to the end.
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
