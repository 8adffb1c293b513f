package text

// Optional folds beyond the normal form.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Form is a set of optional folds. The zero value is plain Normalize; every flag but
// Papers changes the result of Normalize further.
type Form uint8

const (
	// Diacritics removes the marks of accents and vowels: all nonspacing marks, and the
	// strokes of a few letters.
	Diacritics Form = 1 << iota
	// Arabic folds letters and removes marks like Lucene's ArabicNormalizer.
	Arabic
	// Persian folds letters like Lucene's PersianNormalizer.
	Persian
	// Hyphenation joins words that a hyphen divides at the end of a line.
	Hyphenation
	// Papers reads a text as the papers do: NFC and simple lower case, and only letters
	// and numbers in words. It excludes the other flags and has no name in ParseForm.
	Papers
)

var formNames = []string{"diacritics", "arabic", "persian", "hyphenation"}

// ParseForm parses a comma-separated list of names; an empty list is the zero Form.
func ParseForm(s string) (f Form, err error) {
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(formNames, name)
		if i < 0 && (name != "" || strings.TrimSpace(s) != "") {
			return 0, fmt.Errorf("unknown name %q: want some of '%s'", name, strings.Join(formNames, ", "))
		}
		if i >= 0 {
			f |= 1 << i
		}
	}
	return f, nil
}

// String returns the names in the syntax of ParseForm.
func (f Form) String() string {
	var names []string
	for i, name := range formNames {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Normalize appends the normal form of doc to dst.
func (f Form) Normalize(dst []byte, doc string) []byte {
	switch {
	case f == 0:
		return Normalize(dst, doc)
	case f&Papers != 0:
		return appendSimple(dst, doc)
	}
	if f&Hyphenation != 0 {
		doc = joinHyphenated(doc)
	}
	start := len(dst)
	dst = Normalize(dst, doc)
	if f&^Hyphenation == 0 {
		return dst
	}
	var left []byte
	for _, r := range string(dst[start:]) {
		left = f.append(left, r)
	}
	return append(dst[:start], norm.NFC.Bytes(left)...)
}

// Chars returns the normal form of doc with collapsed white space, the input of the
// unit Char.
func (f Form) Chars(doc string) []byte { return Collapse(f.Normalize(nil, doc)) }

// append appends the folded character r of the normal form, before NFC.
func (f Form) append(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(dst, byte(r))
	}
	if f&Arabic != 0 {
		r = arabic(r)
	}
	if f&Persian != 0 {
		r = persian(r)
	}
	if r < 0 {
		return dst
	}
	if f&Diacritics == 0 {
		return utf8.AppendRune(dst, r)
	}
	for _, r := range norm.NFD.String(string(r)) {
		if !unicode.Is(unicode.Mn, r) {
			dst = utf8.AppendRune(dst, removeStroke(r))
		}
	}
	return dst
}

// arabic folds an Arabic letter; −1 removes a mark.
func arabic(r rune) rune {
	switch r {
	case 'آ', 'أ', 'إ':
		return 'ا'
	case 'ى':
		return 'ي'
	case 'ة':
		return 'ه'
	}
	if 0x64b <= r && r < 0x656 { // vowels; hamza and madda not composed with a letter
		return -1
	}
	return r
}

// persian folds a Persian letter; −1 removes a mark.
func persian(r rune) rune {
	switch r {
	case 'ی', 'ے':
		return 'ي'
	case 'ک':
		return 'ك'
	case 'ۀ', 'ہ', 'ۂ':
		return 'ه'
	case '\u0654': // hamza
		return -1
	}
	return r
}

// removeStroke returns a letter without its stroke, and the dotless i with its dot.
func removeStroke(r rune) rune {
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ŧ':
		return 't'
	case 'ı':
		return 'i'
	}
	return r
}

// joinHyphenated removes hyphens at line ends inside words.
func joinHyphenated(doc string) string {
	var b strings.Builder
	at := 0
	for t := range hyphenations(doc) {
		b.WriteString(doc[at:t.Start])
		at = t.End
	}
	if at == 0 {
		return doc
	}
	b.WriteString(doc[at:])
	return b.String()
}

// hyphenations yields the ranges that divide a word at a line end: a hyphen after a
// letter, the line end with white space around it, and then a small letter.
func hyphenations(doc string) func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		for at := 0; at < len(doc); {
			end, width := lineEnd(doc, at)
			at = end + width
			if width == 0 {
				return
			}
			line := strings.TrimRightFunc(doc[:end], isBlankInLine)
			hyphen, size := utf8.DecodeLastRuneInString(line)
			if hyphen != '-' && hyphen != '\u2010' && hyphen != '\u00ad' {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(line[:len(line)-size])
			next := strings.TrimLeftFunc(doc[at:], isBlankInLine)
			after, _ := utf8.DecodeRuneInString(next)
			if unicode.IsLetter(before) && unicode.IsLower(after) && !yield(Token{len(line) - size, len(doc) - len(next)}) {
				return
			}
		}
	}
}

// isBlankInLine reports whether r is white space other than a line end.
func isBlankInLine(r rune) bool {
	return unicode.IsSpace(r) && newline(string(r)) == 0
}
