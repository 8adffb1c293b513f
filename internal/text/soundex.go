package text

// Soundex, the code by which paper 000 equates words of like sound.

import (
	"unicode"
	"unicode/utf8"
)

// appendSoundex appends the American Soundex code of a word to dst: its first letter in
// upper case and three digits for the consonants after it. Words of like spelling or
// sound share a code: Robert and Rupert are R163.
//
// Of neighbours with the same digit only the first counts, the first letter of the word
// included; vowels and y separate them, h and w do not (the rule of the United States
// census from 1930 on). Letters with marks count as their base letters; other
// characters outside a to z are skipped. A word without such letters, a number or a
// word of another script, is its own code.
func appendSoundex(dst, word []byte) []byte {
	start, last := len(dst), byte(0)
	for i := 0; i < len(word) && len(dst)-start < soundexLen; {
		r, size := utf8.DecodeRune(word[i:])
		i += size
		r = unicode.ToLower(base(r))
		if r < 'a' || r > 'z' {
			continue
		}
		digit := soundexDigits[r-'a']
		switch {
		case len(dst) == start:
			dst = append(dst, byte(r-'a'+'A'))
		case digit == '-':
			continue
		case digit != '0' && digit != last:
			dst = append(dst, digit)
		}
		last = digit
	}
	if len(dst) == start {
		return append(dst, word...)
	}
	for len(dst)-start < soundexLen {
		dst = append(dst, '0')
	}
	return dst
}

const soundexLen = 4

// soundexDigits maps each letter from a to z to its digit; 0 separates equal digits, -
// is skipped.
const soundexDigits = "0123012-02245501262301-202"
