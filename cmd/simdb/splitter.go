package main

import "strings"

// A splitter cuts a stream of text into statements at the semicolons that
// stand outside strings, quoted names and comments. It looks at each byte once,
// so that a long statement in short lines costs no more than in one.
type splitter struct {
	buf    strings.Builder
	inside inside
	prev   byte
	words  int // bytes that are neither white space nor comment
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
func (s *splitter) feed(text string) []string {
	var done []string
	for i := range len(text) {
		c := text[i]
		if s.inside == code && c == ';' {
			if s.words > 0 {
				done = append(done, s.buf.String())
			}
			s.reset()
			continue
		}
		s.buf.WriteByte(c)
		s.step(c)
	}
	return done
}

// rest returns what has come since the last semicolon, "" if that is only
// white space and comments.
func (s *splitter) rest() string {
	if s.words == 0 {
		return ""
	}
	return s.buf.String()
}

// pending reports whether a statement has begun and not ended.
func (s *splitter) pending() bool { return s.words > 0 || s.inside == blockComment }

func (s *splitter) size() int { return s.buf.Len() }

func (s *splitter) reset() { *s = splitter{} }

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
