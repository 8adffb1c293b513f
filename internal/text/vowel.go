package text

// Vowels, which a variation of paper 000 removes.

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsVowel reports whether the base letter of a lower-case character is a, e, i, o or u:
// é is a vowel, y is none, nor is any letter of another script.
func IsVowel(lower rune) bool {
	switch base(lower) {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

// base returns r without its marks: e for é.
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
