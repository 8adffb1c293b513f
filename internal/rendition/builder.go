package rendition

// The text under construction: words separated by one space, lines, and blocks
// separated by a blank line. It stops growing at its limit.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap separates the next word from the text before it.
type gap uint8

const (
	none gap = iota
	space
	line
	block
)

const defaultMaxText = 16 << 20

// builder collects the text of a rendition of at most max bytes. full means that more
// text was dropped.
type builder struct {
	b    strings.Builder
	max  int64
	gap  gap
	full bool
}

// newBuilder returns an empty builder; maxBytes ≤ 0 means the default.
func newBuilder(maxBytes int64) *builder {
	if maxBytes <= 0 {
		maxBytes = defaultMaxText
	}
	return &builder{max: maxBytes}
}

// need requests a gap before the next word; the widest request counts.
func (b *builder) need(g gap) { b.gap = max(b.gap, g) }

// words appends text. White space of any kind requests the gap space.
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

// isSpace reports whether r is white space, other than a no-break space.
func isSpace(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f' }

// lines is words, except that a line end requests the gap line.
func (b *builder) lines(s string) {
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			b.need(line)
		}
		b.words(l)
	}
}

// raw appends text unchanged.
func (b *builder) raw(s string) {
	if s != "" {
		b.add(s)
	}
}

// add appends the requested gap and s, or marks the builder full.
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

// err returns errTooLong if text was dropped, else err.
func (b *builder) err(err error) error {
	if b.full {
		return errTooLong
	}
	return err
}

// String returns the text in valid UTF-8, without NUL.
func (b *builder) String() string {
	s := strings.ToValidUTF8(b.b.String(), "\uFFFD")
	return strings.ReplaceAll(s, "\x00", "")
}
