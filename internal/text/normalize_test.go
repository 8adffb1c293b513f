package text

// This test checks for every character the short ways of normalising.

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What is taken for normalised must be: alone, and after and before whatever.
func TestIsComposedAndInert(t *testing.T) {
	composed, inert := 0, 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !isComposed(r) && !isInert(r) {
			continue
		}
		p := norm.NFC.PropertiesString(string(r))
		if !norm.NFC.IsNormalString(string(r)) || !p.BoundaryBefore() || p.CCC() != 0 {
			t.Errorf("NFC may change %U", r)
		}
		if isInert(r) {
			inert++
			if unicode.ToLower(r) != r {
				t.Errorf("%U has lower case", r)
			}
		} else {
			composed++
		}
	}
	if composed != 0x300+0x83+0xa6 || inert < 30_000 {
		t.Errorf("%d characters are composed, %d inert", composed, inert)
	}
	if isComposed('\ufffd') || isInert('\ufffd') {
		t.Error("U+FFFD may stand for an invalid byte, which has another length")
	}
}
