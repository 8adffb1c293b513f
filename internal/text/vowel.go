package text

// This file tells vowels, which a variation of paper 000 leaves out.

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsVowel tells whether a lower-case character is a, e, i, o or u, with marks
// or without: é is a vowel, y is none. Letters of other scripts are none.
func IsVowel(lower rune) bool {
	switch base(lower) {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

// base returns the character that r is without its marks: e for é.
func base(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	var b [utf8.UTFMax]byte
	if d := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)]).Decomposition(); d != nil {
		r, _ = utf8.DecodeRune(d)
	}
	return r
}
