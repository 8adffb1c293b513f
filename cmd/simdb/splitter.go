package main

import (
	"strings"
	"unicode/utf8"
)

// A splitter cuts a stream of text into statements at the semicolons that
// stand outside strings, quoted names and comments. It looks at each byte once,
// so that a long statement in short lines costs no more than in one.
type splitter struct {
	buf    strings.Builder
	inside inside
	prev   byte
	words  int // bytes that are neither white space nor comment

	place, begin place // of the next byte, and of the first in buf
}

// place is a point in a script: lines stand before it, and on its own line
// columns, counted in code points.
type place struct{ lines, columns int }

// piece is one statement of a script and where it begins.
type piece struct {
	text string
	at   place
}

// inside says what the next byte is part of.
type inside byte

const (
	code inside = iota
	singleQuotes
	doubleQuotes
	dollars
	lineComment
	blockComment
)

// feed adds text and returns the statements it completed, without their
// semicolons. Empty ones are left out.
func (s *splitter) feed(text string) []piece {
	var done []piece
	for i := range len(text) {
		c := text[i]
		s.place.pass(c)
		if s.inside == code && c == ';' {
			if s.words > 0 {
				done = append(done, s.piece())
			}
			s.reset()
			continue
		}
		s.buf.WriteByte(c)
		s.step(c)
	}
	return done
}

// rest returns what has come since the last semicolon, and false if that is
// only white space and comments. A comment without its end counts: it hides
// statements, so that there must be an error.
func (s *splitter) rest() (piece, bool) { return s.piece(), s.pending() }

func (s *splitter) piece() piece { return piece{s.buf.String(), s.begin} }

// pending reports whether a statement has begun and not ended.
func (s *splitter) pending() bool { return s.words > 0 || s.inside == blockComment }

func (s *splitter) size() int { return s.buf.Len() }

// reset forgets what has come, but not how far the script has come.
func (s *splitter) reset() { *s = splitter{place: s.place, begin: s.place} }

// skip goes over text that belongs to no statement.
func (s *splitter) skip(text string) {
	for i := range len(text) {
		s.place.pass(text[i])
	}
	s.reset()
}

func (p *place) pass(c byte) {
	switch {
	case c == '\n':
		*p = place{lines: p.lines + 1}
	case !utf8.RuneStart(c): // counted with the byte that began it
	default:
		p.columns++
	}
}

func (s *splitter) step(c byte) {
	pair := string([]byte{s.prev, c})
	s.prev = c
	switch s.inside {
	case code:
		s.enter(c, pair)
	case singleQuotes: // a doubled quote leaves and enters again
		s.leave(c == '\'')
	case doubleQuotes:
		s.leave(c == '"')
	case dollars:
		s.leave(pair == "$$")
	case lineComment:
		s.leave(c == '\n')
	case blockComment:
		s.leave(pair == "*/")
	}
}

func (s *splitter) enter(c byte, pair string) {
	if c > ' ' {
		s.words++
	}
	switch {
	case c == '\'':
		s.inside = singleQuotes
	case c == '"':
		s.inside = doubleQuotes
	case pair == "$$":
		s.inside, s.prev = dollars, 0
	case pair == "--":
		s.inside = lineComment
		s.words -= len(pair)
	case pair == "/*":
		s.inside, s.prev = blockComment, 0
		s.words -= len(pair)
	}
}

func (s *splitter) leave(done bool) {
	if done {
		s.inside, s.prev = code, 0
	}
}
