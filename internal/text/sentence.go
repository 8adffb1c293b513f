package text

// Segmentation into sentences, the chunks of the measure versions.

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Sentences yields the sentences of doc by UAX #29, without surrounding white space.
// The tokens are byte ranges of doc, which may hold any bytes.
//
// UAX #29 ends a sentence at every line end, which would cut a wrapped text into lines.
// So the rules see the lines of a block joined by spaces. A block ends, with its last
// sentence, where a reader sees an end: at the end of a paragraph, before a list item,
// before and after a Markdown heading, and around a line without letters and digits,
// such as the rule under a title.
//
// A range of only ASCII signs, punctuation and white space is no sentence: rules and
// borders of tables occur in unrelated texts.
func Sentences(doc string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		var buffer []byte
		for b := range blocks(doc, holdsNothing, isHeading, isItem) {
			buffer = append(buffer[:0], doc[b.Start:b.End]...)
			joined := buffer
			joinLines(joined)
			hideMark(joined)
			for at := b.Start; len(joined) > 0; {
				n := sentenceLen(joined)
				t := trim(doc, Token{at, at + n})
				if holdsWriting(doc[t.Start:t.End]) && !yield(t) {
					return
				}
				at, joined = at+n, joined[n:]
			}
		}
	}
}

// sentenceLen returns the length of the first sentence of s, which is not empty and has
// no line ends.
//
// Every rule that ends a sentence needs a full stop, question or exclamation mark, and
// looks back at most to the character before it (SB7). So the scan skips ASCII without
// these marks, but for its last character.
func sentenceLen(s []byte) int {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf && s[n] != '.' && s[n] != '!' && s[n] != '?' {
		n++
	}
	if n == len(s) {
		return n
	}
	n = max(n-1, 0)
	rules := sentences.FromBytes(s[n:])
	rules.Next()
	return n + rules.End()
}

// joinLines overwrites line ends with spaces of the same width, so offsets remain
// valid.
func joinLines(s []byte) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; '\r' < c && c < 0xC2 { // as nearly all bytes
			continue
		}
		width := newline(s[i:])
		for j := range width {
			s[i+j] = ' '
		}
		i += max(width, 1) - 1
	}
}

// isHeading reports whether a line is a Markdown heading: "## Title".
func isHeading(line string) bool {
	title := strings.TrimLeft(line, "#")
	level := len(line) - len(title)
	return 0 < level && level <= 6 && (strings.HasPrefix(title, " ") || strings.HasPrefix(title, "\t"))
}

// hideMark replaces the dots in the mark of a list item, so that no rule takes "1.
// Title" for two sentences.
func hideMark(s []byte) {
	mark := s[:itemMark(string(s[:min(len(s), maxMark)]))]
	for i, c := range mark {
		if c == '.' {
			mark[i] = ','
		}
	}
}

const maxMark = 64 // longest item mark, in bytes, with the indent

// itemMark returns the length of the mark at the start of a list item, with the indent:
// a bullet, or a number or letter with a dot or bracket, followed by white space. 0:
// the line is no item.
func itemMark(line string) int {
	line = line[:min(len(line), maxMark)]
	mark := strings.TrimLeftFunc(line, unicode.IsSpace)
	indent := len(line) - len(mark)
	end := strings.IndexFunc(mark, unicode.IsSpace)
	if end < 0 {
		return 0
	}
	mark = mark[:end]
	switch mark {
	case "-", "*", "+", "•", "◦", "‣", "–", "—", "·":
		return indent + end
	}
	inner := strings.TrimPrefix(mark, "(")
	label := strings.TrimRight(inner, ".)")
	if label != inner && (isDigits(label) || len(label) == 1 && asciiClass[label[0]]&letter != 0) {
		return indent + end
	}
	return 0
}

func isItem(line string) bool { return itemMark(line) > 0 }

// isDigits reports whether s is a number of up to three digits, or several with dots
// between: "1", "2.13". Four digits are a year.
func isDigits(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

func holdsNothing(s string) bool { return !holdsWriting(s) }

// holdsWriting reports whether s has a letter, a number or a non-ASCII sign other than
// punctuation.
func holdsWriting(s string) bool {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if asciiClass[r]&(letter|digit) != 0 {
				return true
			}
		case !unicode.IsSpace(r) && !unicode.IsPunct(r):
			return true
		}
	}
	return false
}
