package ingest

// The fast decoder for a usual line of JSONL.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes that stand for themselves in a JSON string.
// firstSpecial finds the others in a word of eight bytes.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// scan decodes a line of valid UTF-8 that is a flat object with one id and
// one text. It returns false for every other line, valid or not. With one
// pass and one copy it is several times as fast as encoding/json, which is
// slower than decompression.
func (d *jsonDecoder) scan(line []byte) (doc Doc, ok bool) {
	s := scanner{b: line, scratch: d.scratch}
	defer func() { d.scratch = s.scratch }()
	var hasID, hasText bool
	if !s.token('{') {
		return doc, false
	}
	for {
		name, ok := s.name()
		if !ok || !s.token(':') {
			return doc, false
		}
		switch {
		case name == d.ids.field && !hasID:
			if doc.ID, ok = s.id(); !ok {
				return doc, false
			}
			hasID = true
		case name == d.ids.text && !hasText:
			if doc.Text, ok = s.string(); !ok {
				return doc, false
			}
			hasText = true
		case name == d.ids.field, name == d.ids.text:
			return doc, false
		default:
			value, ok := s.scalar()
			if !ok {
				return doc, false
			}
			if doc.Meta == nil {
				doc.Meta = make(map[string]any)
			}
			doc.Meta[name] = value
		}
		if s.token(',') {
			continue
		}
		return doc, s.token('}') && s.end() && hasID && hasText
	}
}

// scanner goes through a line. Each method moves past what it recognises.
type scanner struct {
	b       []byte
	at      int
	scratch []byte
}

func (s *scanner) space() {
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) end() bool {
	s.space()
	return s.at == len(s.b)
}

func (s *scanner) token(c byte) bool {
	s.space()
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

// firstSpecial returns how many bytes of a word, from the lowest, are plain
// before the first that is not. It returns 8 if all are.
func firstSpecial(w uint64) int { return bits.TrailingZeros64(specials(w)) / 8 }

// specials sets the top bit of the lowest byte that is not plain, and of no
// byte below it. A byte below its limit borrows in the subtraction, which
// changes bytes above it but never those below. So the lowest mark is right.
func specials(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, backslash := w^'"'*ones, w^'\\'*ones
	marks := (w-' '*ones)&^w | (quote-ones)&^quote | (backslash-ones)&^backslash
	return marks & tops
}

// run moves past bytes that stand for themselves.
func (s *scanner) run() []byte {
	start := s.at
	for len(s.b)-s.at >= 8 {
		n := firstSpecial(binary.LittleEndian.Uint64(s.b[s.at:]))
		s.at += n
		if n < 8 {
			return s.b[start:s.at]
		}
	}
	for s.at < len(s.b) && plain[s.b[s.at]] {
		s.at++
	}
	return s.b[start:s.at]
}

// name is a string without escapes.
func (s *scanner) name() (string, bool) {
	if !s.token('"') {
		return "", false
	}
	name := s.run()
	if s.at == len(s.b) || s.b[s.at] != '"' {
		return "", false
	}
	s.at++
	switch string(name) { // saves the copy of the usual names
	case "id":
		return "id", true
	case "text":
		return "text", true
	}
	return string(name), true
}

func (s *scanner) id() (string, bool) {
	s.space()
	if s.at < len(s.b) && s.b[s.at] == '"' {
		return s.string()
	}
	number, ok := s.number()
	return string(number), ok
}

func (s *scanner) string() (string, bool) {
	if !s.token('"') {
		return "", false
	}
	run := s.run()
	if s.at < len(s.b) && s.b[s.at] == '"' {
		s.at++
		return string(run), true
	}
	// An escape is longer than what it stands for, so this is room for the whole string.
	s.scratch = append(slices.Grow(s.scratch[:0], len(run)+len(s.b)-s.at), run...)
	for {
		s.unescape()
		if s.at == len(s.b) {
			return "", false
		}
		c := s.b[s.at]
		s.at++
		switch {
		case c == '"':
			return string(s.scratch), true
		case c != '\\' || s.at == len(s.b) || s.b[s.at] != 'u':
			return "", false
		}
		s.at++
		if !s.unicodeEscape() {
			return "", false
		}
	}
}

// escaped has the byte that each letter after a backslash stands for.
var escaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f',
}

// unescape appends plain bytes and single-letter escapes until something else
// comes. scratch must have room for the rest of the line.
func (s *scanner) unescape() {
	b, at := s.b, s.at
	out, to := s.scratch[:cap(s.scratch)], len(s.scratch)
	for {
		if len(b)-at >= 8 {
			w := binary.LittleEndian.Uint64(b[at:])
			binary.LittleEndian.PutUint64(out[to:], w)
			marks := specials(w)
			if marks == 0 { // the usual case, which need not wait for a count
				at, to = at+8, to+8
				continue
			}
			n := bits.TrailingZeros64(marks) / 8
			at, to = at+n, to+n
		}
		for at < len(b) && plain[b[at]] { // the last ones
			out[to] = b[at]
			at, to = at+1, to+1
		}
		if len(b)-at < 2 || b[at] != '\\' || escaped[b[at+1]] == 0 {
			break
		}
		out[to] = escaped[b[at+1]]
		at, to = at+2, to+1
	}
	s.at, s.scratch = at, out[:to]
}

// unicodeEscape appends the code point of \uXXXX or of a surrogate pair. It returns false
// for half a pair, which has to be told (hasHalfPair).
func (s *scanner) unicodeEscape() bool {
	r, ok := s.hex4()
	if ok && utf16.IsSurrogate(r) {
		if s.at+1 >= len(s.b) || s.b[s.at] != '\\' || s.b[s.at+1] != 'u' {
			return false
		}
		s.at += 2
		second, isHex := s.hex4()
		r = utf16.DecodeRune(r, second)
		ok = isHex && r != utf8.RuneError
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
	return ok
}

// hasHalfPair reports whether a string of valid JSON has half a surrogate pair, which
// encoding/json reads as U+FFFD without a word.
func hasHalfPair(line []byte) bool {
	s := scanner{b: line}
	for {
		i := bytes.IndexByte(s.b[s.at:], '\\')
		if i < 0 {
			return false
		}
		s.at += i + 2
		if line[s.at-1] == 'u' && !s.unicodeEscape() {
			return true
		}
	}
}

func (s *scanner) hex4() (rune, bool) {
	if len(s.b)-s.at < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s.b[s.at : s.at+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	s.at += 4
	return r, true
}

// scalar is any value but an object or an array.
func (s *scanner) scalar() (any, bool) {
	s.space()
	if s.at == len(s.b) {
		return nil, false
	}
	switch s.b[s.at] {
	case '"':
		return s.string()
	case 't':
		return true, s.word("true")
	case 'f':
		return false, s.word("false")
	case 'n':
		return nil, s.word("null")
	}
	number, ok := s.number()
	return json.Number(number), ok
}

func (s *scanner) word(want string) bool {
	if len(s.b)-s.at < len(want) || string(s.b[s.at:s.at+len(want)]) != want {
		return false
	}
	s.at += len(want)
	return true
}

// number is a JSON number as it is written.
func (s *scanner) number() ([]byte, bool) {
	start := s.at
	s.oneOf('-', '-')
	if !s.oneOf('0', '0') && s.digits() == 0 {
		return nil, false
	}
	if s.oneOf('.', '.') && s.digits() == 0 {
		return nil, false
	}
	if s.oneOf('e', 'E') {
		s.oneOf('+', '-')
		if s.digits() == 0 {
			return nil, false
		}
	}
	return s.b[start:s.at], true
}

func (s *scanner) oneOf(a, b byte) bool {
	if s.at < len(s.b) && (s.b[s.at] == a || s.b[s.at] == b) {
		s.at++
		return true
	}
	return false
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.b) && '0' <= s.b[s.at] && s.b[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}
