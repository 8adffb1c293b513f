package ingest

// Records in a legacy charset, as written by old spreadsheets and databases.

import (
	"bufio"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// legacyText converts a text to UTF-8. The first invalid bytes reveal another charset, unless the
// text before or around them contains UTF-8 characters: then they are errors in UTF-8.
type legacyText struct {
	in       *bufio.Reader
	renderer any
	out      io.Reader // decodes once the charset is known
	charset  string
	seen     bool // found a UTF-8 character beyond ASCII
}

// recoder is a Renderer that also detects charsets.
type recoder interface {
	// Recode returns the likely charset of a text from a sample of its bytes, and a reader that
	// decodes in; nil if it finds none.
	Recode(sample []byte, in io.Reader) (charset string, out io.Reader)
}

// Read returns ASCII unchanged, until the first other byte determines the charset.
func (l *legacyText) Read(p []byte) (int, error) {
	if l.out != nil {
		return l.out.Read(p)
	}
	part, err := l.in.Peek(1)
	if len(part) == 0 {
		return 0, err
	}
	part, _ = l.in.Peek(min(l.in.Buffered(), len(p)))
	// Once a valid character beyond ASCII has been read, the text is UTF-8, and later invalid bytes
	// are errors of the data.
	if !l.seen {
		good := asciiLen(part)
		if good == 0 {
			if sample, _ := l.in.Peek(bufferBytes / 2); !isUTF8(sample) && l.decode(sample) {
				return l.out.Read(p)
			}
			part, _ = l.in.Peek(min(l.in.Buffered(), len(p))) // Peek has moved the buffer
			l.seen, good = true, len(part)
		}
		part = part[:good]
	}
	n := copy(p, part)
	l.in.Discard(n)
	return n, nil
}

// isUTF8 reports whether a sample has at least as many valid non-ASCII characters of UTF-8 as
// invalid bytes.
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

// decode detects the charset and decodes the rest of the text. It returns false if the charset is
// unknown.
func (l *legacyText) decode(sample []byte) bool {
	if r, ok := l.renderer.(recoder); ok {
		l.charset, l.out = r.Recode(sample, l.in)
		return l.out != nil
	}
	l.charset, l.out = "windows-1252", charmap.Windows1252.NewDecoder().Reader(l.in)
	return true
}

// notUTF8 returns the warning for a text in another charset.
func notUTF8(charset string) string { return "it is not UTF-8; read as " + charset }

// asciiLen returns the length of the ASCII prefix.
func asciiLen(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}
