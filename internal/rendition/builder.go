package rendition

// The text under construction: words with one space between them, lines, and blocks with
// a blank line between them. It stops growing at its limit.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap is what stands before the next word.
type gap uint8

const (
	none gap = iota
	space
	line
	block
)

const defaultMaxText = 16 << 20

type builder struct {
	b    strings.Builder
	max  int64
	gap  gap
	full bool
}

func newBuilder(maxBytes int64) *builder {
	if maxBytes <= 0 {
		maxBytes = defaultMaxText
	}
	return &builder{max: maxBytes}
}

// need asks for a gap before the next word; the widest that was asked for counts.
func (b *builder) need(g gap) { b.gap = max(b.gap, g) }

// words adds a text of which any white space is a space.
func (b *builder) words(s string) {
	for s != "" {
		at := strings.IndexFunc(s, isSpace)
		if at == 0 {
			b.need(space)
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			continue
		}
		if at < 0 {
			at = len(s)
		}
		b.add(s[:at])
		s = s[at:]
	}
}

// isSpace is true of white space, but not of that which keeps words together.
func isSpace(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f' }

// lines adds a text of which the ends of lines count, but no other white space.
func (b *builder) lines(s string) {
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			b.need(line)
		}
		b.words(l)
	}
}

// raw adds a text as it is.
func (b *builder) raw(s string) {
	if s != "" {
		b.add(s)
	}
}

func (b *builder) add(s string) {
	between := ""
	if b.b.Len() > 0 {
		between = [...]string{"", " ", "\n", "\n\n"}[b.gap]
	}
	b.gap = none
	if int64(b.b.Len()+len(between)+len(s)) > b.max {
		b.full = true
		return
	}
	b.b.WriteString(between)
	b.b.WriteString(s)
}

// err returns an error, or that the text is too long.
func (b *builder) err(err error) error {
	if b.full {
		return errTooLong
	}
	return err
}

// String returns the text. It is UTF-8, without NUL.
func (b *builder) String() string {
	s := strings.ToValidUTF8(b.b.String(), "\uFFFD")
	return strings.ReplaceAll(s, "\x00", "")
}
