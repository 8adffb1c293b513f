package text

// Every alone character against the rules of UAX #29.

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// An alone character has boundaries on both sides whatever precedes and follows it, and
// no rule looks across it.
func TestAlone(t *testing.T) {
	around := []string{"a", "1", "_", ".", ":", ",", "'", " ", "\r", "\n", "é", "\u05d0", "ｶ", "カ", "한", "漢", "、", "，", "：", "a.", "1,", "a'", "\u05d0\"", "👩", "👩\u200d", "\u200d", "🇩", "1\u0301", ""}
	alone := func(before, r, after string) {
		t.Helper()
		var want, got []string
		for _, part := range []string{before, r, after} {
			for seg := words.FromString(part); seg.Next(); {
				want = append(want, seg.Value())
			}
		}
		for seg := words.FromString(before + r + after); seg.Next(); {
			got = append(got, seg.Value())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q is not alone: %q, want %q", r, got, want)
		}
	}
	for _, c := range []string{"漢", "か", "、", "（"} {
		for apart := range rune(utf8.RuneSelf) {
			for _, after := range []string{"漢", "a", "1", "_", "'", ",", " "} {
				if startsApart([]byte(string(apart) + after)) {
					alone(c, string(apart), after)
				}
			}
		}
	}
	for r := range rune(unicode.MaxRune + 1) {
		if !isAlone(r) {
			continue
		}
		if isWord := unicode.In(r, unicode.L, unicode.N); isWord != Papers.isAloneWord(r) || (isWord || isSymbol(r)) != Form(0).isAloneWord(r) {
			t.Fatalf("%U makes a word: %v", r, !isWord)
		}
		for i, before := range around {
			for j, after := range around {
				if after == "\u200d" || 0x3400 <= r && r < 0xa000 && (int(r)+i+j)%200 != 0 {
					continue // some for each of many ideographs
				}
				alone(before, string(r), after)
			}
		}
	}
}
