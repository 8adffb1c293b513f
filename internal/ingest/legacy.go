package ingest

// Records in a charset of their own, as old spreadsheets and databases write them.

import (
	"bufio"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// legacyText is a text as UTF-8. One that is in another charset is recognised by the first bytes
// that are not UTF-8, unless characters of UTF-8 stand before or about them: then they are faults.
type legacyText struct {
	in       *bufio.Reader
	renderer any
	out      io.Reader // decodes, once the charset is known
	charset  string
	seen     bool // a character of UTF-8 beyond ASCII
}

// recoder is a Renderer that also knows charsets.
type recoder interface {
	// Recode returns the charset that a text with such bytes is in, and what decodes it.
	Recode(sample []byte, in io.Reader) (charset string, out io.Reader)
}

func (l *legacyText) Read(p []byte) (int, error) {
	if l.out != nil {
		return l.out.Read(p)
	}
	part, err := l.in.Peek(1)
	if len(part) == 0 {
		return 0, err
	}
	part, _ = l.in.Peek(min(l.in.Buffered(), len(p)))
	if !l.seen {
		good := asciiLen(part)
		if good == 0 {
			if sample, _ := l.in.Peek(bufferBytes / 2); !isUTF8(sample) && l.decode(sample) {
				return l.out.Read(p)
			}
			part, _ = l.in.Peek(min(l.in.Buffered(), len(p))) // it has moved
			l.seen, good = true, len(part)
		}
		part = part[:good]
	}
	n := copy(p, part)
	l.in.Discard(n)
	return n, nil
}

// isUTF8 reports whether more characters of UTF-8 than other bytes are beyond ASCII.
func isUTF8(sample []byte) bool {
	good, bad := 0, 0
	for len(sample) > 0 {
		r, size := utf8.DecodeRune(sample)
		switch {
		case size > 1:
			good++
		case r == utf8.RuneError && utf8.FullRune(sample):
			bad++
		}
		sample = sample[size:]
	}
	return good >= bad
}

// decode reports whether the charset is known, and decodes it from here on.
func (l *legacyText) decode(sample []byte) bool {
	if r, ok := l.renderer.(recoder); ok {
		l.charset, l.out = r.Recode(sample, l.in)
		return l.out != nil
	}
	l.charset, l.out = "windows-1252", charmap.Windows1252.NewDecoder().Reader(l.in)
	return true
}

func notUTF8(charset string) string { return "it is not UTF-8; read as " + charset }

func asciiLen(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}
