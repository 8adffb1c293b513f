package text

// The table that folds characters of the same look or meaning into one: NFKC_Casefold
// of Unicode, and a few more.

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folding encodes the replacement of a character:
//
//	0 to MaxRune     the character with this number
//	joins and above  a string that NFC may join to the preceding character
//	dropped          nothing
//	below dropped    a string that NFC does not join
type folding int32

const (
	dropped folding = -1
	joins   folding = unicode.MaxRune + 1
)

// A foldPage holds the foldings of 256 characters. It is computed on first use:
// computing all pages takes a tenth of a second.
type foldPage struct {
	one     [256]folding
	strings []string // the string of folding f has index f-joins or dropped-1-f
}

// foldPages is filled concurrently. A page never changes once stored.
var foldPages [(unicode.MaxRune + 1) / 256]atomic.Pointer[foldPage]

// pageOf returns the page of r, and computes it on first use.
func pageOf(r rune) *foldPage {
	if p := foldPages[r>>8].Load(); p != nil {
		return p
	}
	return newFoldPage(r >> 8)
}

// newFoldPage computes and stores a page. Concurrent calls may do so twice, with equal
// results.
func newFoldPage(number rune) *foldPage {
	p := new(foldPage)
	for i := range p.one {
		folded := foldOf(number<<8 + rune(i))
		first, size := utf8.DecodeRuneInString(folded)
		f := folding(first)
		switch {
		case folded == "":
			f = dropped
		case joinsBefore(folded):
			f = joins + folding(len(p.strings))
		case size < len(folded):
			f = dropped - 1 - folding(len(p.strings))
		}
		if f < dropped || f >= joins {
			p.strings = append(p.strings, folded)
		}
		p.one[i] = f
	}
	foldPages[number].Store(p) // replaces an equal page at most
	return p
}

// of returns the folding of a character of the page.
func (p *foldPage) of(r rune) folding { return p.one[byte(r)] }

// append appends the replacement that f encodes.
func (p *foldPage) append(dst []byte, f folding) []byte {
	switch {
	case f >= joins:
		return append(dst, p.strings[f-joins]...)
	case f >= 0:
		return utf8.AppendRune(dst, rune(f))
	case f == dropped:
		return dst
	}
	return append(dst, p.strings[dropped-1-f]...)
}

// joinsBefore reports whether NFC may join a character of s to the one before it.
func joinsBefore(s string) bool {
	for len(s) > 0 {
		p := norm.NFC.PropertiesString(s)
		if !p.BoundaryBefore() {
			return true
		}
		s = s[p.Size():]
	}
	return false
}

// foldOf derives the replacement of r.
func foldOf(r rune) string {
	if r == '´' { // Unicode folds it into a space with a mark
		return "'"
	}
	if unicode.SimpleFold(r) == r && !isIgnorable(r) && norm.NFKC.PropertiesString(string(r)).Decomposition() == nil {
		if sign := sign(r); sign != r {
			return string(sign)
		}
		return dropTatweel(r)
	}
	folded := caseFolded(caseFolded(string(r))) // the second pass changes few characters, a third would change none
	var b []byte
	for _, r := range folded {
		b = append(b, dropTatweel(sign(r))...)
	}
	return string(b)
}

// caseFolded does one round of the NFKC_Casefold iteration. On decomposed characters
// full case folding equals the simple one, except for ß.
func caseFolded(s string) string {
	var b []byte
	for _, r := range norm.NFKD.String(s) {
		switch r = simpleFold(r); {
		case r == 'ß':
			b = append(b, "ss"...)
		case !isIgnorable(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return norm.NFKC.String(string(b))
}

// simpleFold returns the simple case folding of r: the small letter, but for Cherokee
// the capital.
func simpleFold(r rune) rune {
	switch {
	case unicode.SimpleFold(r) == r:
		return r
	case unicode.Is(unicode.Cherokee, r):
		return unicode.ToUpper(r)
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// isIgnorable implements the property Default_Ignorable_Code_Point of Unicode.
func isIgnorable(r rune) bool {
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.In(r, unicode.Prepended_Concatenation_Mark, unicode.White_Space) &&
		!(0xfff9 <= r && r <= 0xfffb) && !(0x13430 <= r && r < 0x13440) // annotations and Egyptian joiners are visible
}

// sign maps the apostrophes, quotes and hyphens of all scripts to ASCII.
func sign(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u02b9', '\u02bb', '\u02bc', '\u02bd', '\u2032', '\u05f3', '\u055a', '\ua78b', '\ua78c':
		return '\''
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u05f4':
		return '"'
	case '\u2043', '\u2212', '\u058a', '\u05be':
		return '-'
	}
	if '\u2010' <= r && r <= '\u2015' {
		return '-'
	}
	return r
}

// dropTatweel returns r as a string, empty for the tatweel, which only widens Arabic
// words.
func dropTatweel(r rune) string {
	if r == '\u0640' {
		return ""
	}
	return string(r)
}
