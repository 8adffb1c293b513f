package syntax

// From a script to its statements. A script arrives in pieces: a line that a
// person types, or a block of a file. Each statement runs as soon as it is
// complete.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitter cuts a stream of text into statements, at the semicolons outside
// strings, quoted names and comments. It looks at each byte once, so a long
// statement in many short lines costs no more than in one line. The zero value
// is ready to use.
type Splitter struct {
	buf   strings.Builder
	open  *enclosure // what the next byte is in; nil: nothing
	prev  byte
	words int // bytes that are neither white space nor comment

	next, begin passed // before the next byte, and before the first in buf
}

// passed is how much of a script lies before a place: how many lines, and how
// many code points of its own line.
type passed struct{ lines, columns int }

// Feed adds text and returns the statements that it completed, without their
// semicolons. It leaves out empty ones.
func (s *Splitter) Feed(text string) []StatementText {
	var done []StatementText
	for i := range len(text) {
		c := text[i]
		s.pass(c)
		if s.open == nil && c == ';' {
			if s.words > 0 {
				done = append(done, s.current())
			}
			s.reset()
			continue
		}
		s.buf.WriteByte(c)
		s.step(c)
	}
	return done
}

// Rest returns what has come since the last semicolon. It reports false if that
// is only white space and comments.
func (s *Splitter) Rest() (StatementText, bool) { return s.current(), s.Pending() }

// Pending reports whether a statement has begun and not ended. A comment
// without an end counts: it hides statements, so there must be an error.
func (s *Splitter) Pending() bool { return s.words > 0 || s.Inside() && !s.open.endsWithText() }

// Inside reports whether the next byte belongs to a string, a quoted name or a
// comment.
func (s *Splitter) Inside() bool { return s.open != nil }

// Size returns how many bytes have come since the last semicolon.
func (s *Splitter) Size() int { return s.buf.Len() }

// Skip passes over text that belongs to no statement.
func (s *Splitter) Skip(text string) {
	for i := range len(text) {
		s.pass(text[i])
	}
	s.reset()
}

func (s *Splitter) current() StatementText {
	return StatementText{s.buf.String(), Pos{s.begin.lines + 1, s.begin.columns + 1}}
}

// reset forgets the statement, but not how far the script has come.
func (s *Splitter) reset() { *s = Splitter{next: s.next, begin: s.next} }

// pass moves the place behind c. A code point counts with its first byte.
func (s *Splitter) pass(c byte) {
	switch {
	case c == '\n':
		s.next = passed{lines: s.next.lines + 1}
	case utf8.RuneStart(c):
		s.next.columns++
	}
}

// step notes whether c opens or ends an enclosure.
func (s *Splitter) step(c byte) {
	prev := s.prev
	s.prev = c
	if s.open != nil {
		if isMark(s.open.end, prev, c) { // a doubled quote leaves and enters again
			s.open, s.prev = nil, 0
		}
		return
	}
	if c >= utf8.RuneSelf || !unicode.IsSpace(rune(c)) {
		s.words++
	}
	for i := range enclosures {
		if e := &enclosures[i]; isMark(e.start, prev, c) {
			s.open, s.prev = e, 0
			if e.comment {
				s.words -= len(e.start)
			}
			return
		}
	}
}

// isMark reports whether c completes a mark of one or two bytes.
func isMark(mark string, prev, c byte) bool {
	last := len(mark) - 1
	return mark[last] == c && (last == 0 || mark[0] == prev)
}
