// Package definition reads texts as docs/format.md defines it: bytes become a normal form, the
// normal form tokens, and tokens shingles. It takes in a text and gives back strings. It is
// slow and shares nothing with the packages of simdb, and it cuts words with another library, so
// that equal answers mean that two readings of one page agree.
package definition

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A Char is a code point of a normal form, and the bytes of the text that it came from.
type Char struct {
	Rune       rune
	Start, End int
}

// String joins the code points.
func String(chars []Char) string {
	var b strings.Builder
	for _, c := range chars {
		b.WriteRune(c.Rune)
	}
	return b.String()
}

// decode makes each byte that is not part of valid UTF-8 one U+FFFD.
func decode(text string) (out []Char) {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		out = append(out, Char{r, at, at + n})
		at += n
	}
	return out
}

// replace puts other code points in the place of each. What is dropped belongs to what is before.
func replace(chars []Char, by func(rune) []rune) (out []Char) {
	for _, c := range chars {
		others := by(c.Rune)
		for _, r := range others {
			out = append(out, Char{r, c.Start, c.End})
		}
		if last := len(out) - 1; len(others) == 0 && last >= 0 {
			out[last].End = c.End
		}
	}
	return out
}

// compose normalises to NFC. A base with its marks leads back to all its code points if NFC
// changes any of them, otherwise each to its own. A U+034F that the Stream-Safe Text Format puts in
// begins another such piece.
func compose(chars []Char) (out []Char) {
	for len(chars) > 0 {
		n := 1
		for n < len(chars) && !norm.NFC.PropertiesString(string(chars[n].Rune)).BoundaryBefore() {
			n++
		}
		piece, was := chars[:n], String(chars[:n])
		is := []rune(norm.NFC.String(was))
		if at := slices.Index(is, 0x34F); at >= 0 && !strings.ContainsRune(was, 0x34F) && string(is[:at]) == String(piece[:min(at, n)]) {
			out = append(out, piece[:at]...)
			piece, is = piece[at:], is[at:]
		}
		if string(is) == String(piece) {
			out = append(out, piece...)
		} else {
			for _, r := range is {
				out = append(out, Char{r, piece[0].Start, piece[len(piece)-1].End})
			}
		}
		chars = chars[n:]
	}
	return out
}

// ignorable says whether a code point has the property Default_Ignorable_Code_Point, as
// DerivedCoreProperties.txt derives it.
func ignorable(r rune) bool {
	switch {
	case unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark),
		r >= 0xFFF9 && r <= 0xFFFB,   // interlinear annotation
		r >= 0x13430 && r <= 0x13440: // format controls of Egyptian hieroglyphs
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector)
}

// caseFold is the full case folding of CaseFolding.txt. Cherokee folds to capitals; cases.Fold
// makes them small and capital in turn.
func caseFold(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 0x13A0 && r <= 0x13F5:
			b.WriteRune(r)
		case r >= 0x13F8 && r <= 0x13FD:
			b.WriteRune(r - 8)
		case r >= 0xAB70 && r <= 0xABBF:
			b.WriteRune(r - 0xAB70 + 0x13A0)
		default:
			b.WriteString(cases.Fold().String(string(r)))
		}
	}
	return b.String()
}

// nfkcCasefold is NFKC_Casefold of a code point, as DerivedNormalizationProps.txt derives it:
// folded, decomposed and without what is ignorable, until nothing changes any more.
func nfkcCasefold(r rune) string {
	drop := func(s string) string {
		return strings.Map(func(r rune) rune {
			if ignorable(r) {
				return -1
			}
			return r
		}, s)
	}
	for s := string(r); ; {
		next := drop(norm.NFKC.String(caseFold(norm.NFKC.String(s))))
		if next == s {
			return s
		}
		s = next
	}
}

// alike are the signs that become one.
var alike = map[rune]string{
	'\'': "\u2018\u2019\u201A\u201B\u02B9\u02BB\u02BC\u02BD\u2032\u05F3\u055A\uA78B\uA78C",
	'"':  "\u201C\u201D\u201E\u201F\u05F4",
	'-':  "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u058A\u05BE",
}

const (
	acute   = '\u00B4' // NFKC makes it a space and a mark
	tatweel = '\u0640' // lengthens a word of Arabic
)

var folded sync.Map // of each code point met: fold is slow

// fold is the replacement of a code point.
func fold(r rune) []rune {
	if known, ok := folded.Load(r); ok {
		return known.([]rune)
	}
	out := []rune{}
	for _, x := range nfkcCasefold(r) {
		for one, many := range alike {
			if strings.ContainsRune(many, x) {
				x = one
			}
		}
		if x != tatweel {
			out = append(out, x)
		}
	}
	if r == acute {
		out = []rune{'\''}
	}
	folded.Store(r, out)
	return out
}

// Normal is the normal form of a text under a setting normalize.
func Normal(text, normalize string) []Char {
	chars := decode(text)
	var names []string
	for name := range strings.SplitSeq(normalize, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	if slices.Contains(names, "hyphenation") {
		chars = joinLines(chars)
	}
	chars = compose(replace(chars, fold))
	for _, name := range []string{"arabic", "persian", "diacritics"} {
		if slices.Contains(names, name) {
			chars = compose(replace(chars, settings[name]))
		}
	}
	return chars
}

// Collapsed is the normal form as unit=char reads it: a run of white space is one space, and
// there is none at the ends.
func Collapsed(text, normalize string) []Char { return collapse(Normal(text, normalize)) }

func collapse(chars []Char) (out []Char) {
	space := false
	for _, c := range chars {
		is := unicode.Is(unicode.White_Space, c.Rune)
		switch {
		case is && space:
			out[len(out)-1].End = c.End
		case is && len(out) > 0:
			out = append(out, Char{' ', c.Start, c.End})
		case !is:
			out = append(out, c)
		}
		space = is && len(out) > 0
	}
	if space {
		out = out[:len(out)-1]
	}
	return out
}

// Cased is a text as the papers read it, in NFC with its capitals, in one line.
func Cased(text string) string { return String(CasedChars(text)) }

// CasedChars are the code points of Cased.
func CasedChars(text string) []Char { return collapse(compose(decode(text))) }
