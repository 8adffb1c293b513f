package text

// The table of foldings, for every character.

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// isInert must imply that the character folds to itself.
func TestIsInert(t *testing.T) {
	inert := 0
	for r := range rune(unicode.MaxRune + 1) {
		if !isInert(r) {
			continue
		}
		inert++
		if got := pageOf(r).of(r); got != folding(r) {
			t.Errorf("the folding of %U is %#x", r, got)
		}
	}
	if inert < 30_000 {
		t.Errorf("%d characters are inert", inert)
	}
	if isInert('\ufffd') {
		t.Error("U+FFFD may stand for an invalid byte, which has another length")
	}
}

// plainFold is NFKC_Casefold by its definition in the Unicode Standard, with its own
// tables of full case folding, and the additions of this package.
func plainFold(r rune) string {
	if r == 0xb4 {
		return "'"
	}
	ignorable := func(r rune) rune {
		in := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector)
		if in && !unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
			(r < 0xfff9 || r > 0xfffb) && (r < 0x13430 || r > 0x13440) {
			return -1
		}
		return r
	}
	fold := cases.Fold()
	s := string(r)
	if unicode.Is(unicode.Cherokee, r) { // cases.Fold exchanges small and capital letters of Cherokee
		return string(unicode.ToUpper(r))
	}
	for {
		next := strings.Map(ignorable, norm.NFKC.String(fold.String(norm.NFKC.String(norm.NFD.String(s)))))
		if next == s {
			break
		}
		s = next
	}
	return strings.NewReplacer("\u0640", "",
		"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u02b9", "'", "\u02bb", "'", "\u02bc", "'", "\u02bd", "'",
		"\u2032", "'", "\u05f3", "'", "\u055a", "'", "\ua78b", "'", "\ua78c", "'",
		"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`, "\u05f4", `"`,
		"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-",
		"\u2043", "-", "\u2212", "-", "\u058a", "-", "\u05be", "-").Replace(s)
}

func TestFoldingOfEveryCharacter(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		p := pageOf(r)
		f := p.of(r)
		got := string(p.append(nil, f))
		if want := plainFold(r); got != want {
			t.Errorf("%U stands as %+q, want %+q", r, got, want)
		}
		boundaries := true
		for i := range got {
			boundaries = boundaries && norm.NFC.PropertiesString(got[i:]).BoundaryBefore()
		}
		if boundaries != (f < joins) || !norm.NFC.IsNormalString(got) {
			t.Errorf("%U: %+q may be joined: %v", r, got, f >= joins)
		}
	}
}

func BenchmarkFoldPage(b *testing.B) {
	for b.Loop() {
		newFoldPage(0x1f)
	}
}
