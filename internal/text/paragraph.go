package text

// Segmentation into paragraphs, for the measures that compare them.

import (
	"iter"
	"strings"
	"unicode"
)

// Paragraphs yields the runs of lines between blank lines, without surrounding white
// space. A blank line holds only white space; a form feed and U+2029 end a paragraph
// too. The tokens are byte ranges of doc, which may hold any bytes.
func Paragraphs(doc string) iter.Seq[Token] {
	never := func(string) bool { return false }
	return func(yield func(Token) bool) {
		for b := range blocks(doc, isBlank, never, never) {
			if !yield(trim(doc, b)) {
				return
			}
		}
	}
}

// blocks yields the runs of lines between lines that satisfy isNone. A line that
// satisfies isAlone is a block by itself; isFirst starts a new block.
func blocks(doc string, isNone, isAlone, isFirst func(line string) bool) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		start, end := -1, 0 // the current block; start < 0: none
		for l := range lines(doc) {
			s := doc[l.Start:l.End]
			none, alone := isNone(s), isAlone(s)
			if start >= 0 && (none || alone || isFirst(s)) {
				if !yield(Token{start, end}) {
					return
				}
				start = -1
			}
			if none {
				continue
			}
			if start < 0 {
				start = l.Start
			}
			end = l.End
			if alone || l.last {
				if !yield(Token{start, end}) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(Token{start, end})
		}
	}
}

// A line is a range of a text without its line end. If last, it ends its paragraph.
type line struct {
	Token
	last bool
}

// lines yields the lines of doc. They end at the line ends of Unicode: LF, CR LF, CR, VT, FF,
// U+0085, U+2028 and U+2029.
func lines(doc string) iter.Seq[line] {
	return func(yield func(line) bool) {
		for start := 0; start < len(doc); {
			end, width := lineEnd(doc, start)
			ending := doc[end : end+width]
			if !yield(line{Token{start, end}, ending == "\f" || ending == "\u2029"}) {
				return
			}
			start = end + width
		}
	}
}

// lineEnd returns the end of the line that begins at start, and the width of its line
// end in bytes: 0 at the end of doc.
func lineEnd(doc string, start int) (end, width int) {
	for i := start; i < len(doc); i++ {
		if c := doc[i]; '\r' < c && c < 0xC2 { // as nearly all bytes
			continue
		}
		if w := newline(doc[i:]); w > 0 {
			return i, w
		}
	}
	return len(doc), 0
}

// newline returns the width in bytes of the line end at the start of s, 0 if there is
// none.
func newline[T string | []byte](s T) int {
	switch c := s[0]; {
	case c == '\r' && len(s) > 1 && s[1] == '\n':
		return 2
	case '\n' <= c && c <= '\r':
		return 1
	case c == 0xC2 && len(s) > 1 && s[1] == 0x85: // U+0085
		return 2
	case c == 0xE2 && len(s) > 2 && s[1] == 0x80 && s[2]&^1 == 0xA8: // U+2028, U+2029
		return 3
	}
	return 0
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// trim returns t without white space at its ends.
func trim(doc string, t Token) Token {
	s := strings.TrimLeftFunc(doc[t.Start:t.End], unicode.IsSpace)
	t.Start = t.End - len(s)
	t.End = t.Start + len(strings.TrimRightFunc(s, unicode.IsSpace))
	return t
}
