package syntax

// Splitting a script into statements. A script arrives in pieces, such as a typed line or
// a block of a file, and each statement can run as soon as it is complete.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitter cuts a stream of text into statements at the semicolons outside strings, quoted
// names and comments. It reads each byte once, so a long statement costs the same in many
// short lines as in one. The zero value is ready to use, by one goroutine.
type Splitter struct {
	buf   strings.Builder
	open  *enclosure // enclosure of the next byte; nil: none
	prev  byte
	solid int // bytes other than white space and comments

	next, begin passed // before the next byte, and before the first byte in buf
}

// passed is the text before a position of a script: complete lines, and code points in
// the line of the position.
type passed struct{ lines, columns int }

// Feed adds text and returns the statements that it completes, without semicolons. It omits
// empty statements.
func (s *Splitter) Feed(text string) []StatementText {
	var done []StatementText
	for i := range len(text) {
		c := text[i]
		s.pass(c)
		if s.open == nil && c == ';' {
			if s.solid > 0 {
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

// Rest returns the text since the last semicolon. It reports false if that is only white
// space and comments.
func (s *Splitter) Rest() (StatementText, bool) { return s.current(), s.Pending() }

// Pending reports whether a statement is incomplete. An unterminated comment counts: it may
// hide statements, so it must become an error.
func (s *Splitter) Pending() bool { return s.solid > 0 || s.Inside() && !s.open.endsWithText() }

// Inside reports whether the next byte belongs to a string, a quoted name or a comment.
func (s *Splitter) Inside() bool { return s.open != nil }

// Size returns the number of bytes since the last semicolon.
func (s *Splitter) Size() int { return s.buf.Len() }

// Skip advances the position past text outside of any statement.
func (s *Splitter) Skip(text string) {
	for i := range len(text) {
		s.pass(text[i])
	}
	s.reset()
}

// current returns the buffered text and its position.
func (s *Splitter) current() StatementText {
	return StatementText{s.buf.String(), Pos{s.begin.lines + 1, s.begin.columns + 1}}
}

// reset drops the statement, but keeps the position in the script.
func (s *Splitter) reset() { *s = Splitter{next: s.next, begin: s.next} }

// pass advances the position past c. A code point counts at its first byte.
func (s *Splitter) pass(c byte) {
	switch {
	case c == '\n':
		s.next = passed{lines: s.next.lines + 1}
	case utf8.RuneStart(c):
		s.next.columns++
	}
}

// step records that c opens or ends an enclosure.
func (s *Splitter) step(c byte) {
	prev := s.prev
	s.prev = c
	if s.open != nil {
		if isMark(s.open.end, prev, c) { // a doubled quote closes and reopens the string
			s.open, s.prev = nil, 0
		}
		return
	}
	if c >= utf8.RuneSelf || !unicode.IsSpace(rune(c)) {
		s.solid++
	}
	for i := range enclosures {
		if e := &enclosures[i]; isMark(e.start, prev, c) {
			s.open, s.prev = e, 0
			if e.comment {
				s.solid -= len(e.start)
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
