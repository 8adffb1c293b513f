package text

// This file has Soundex, the code by which paper 000 makes words of like sound
// equal.

import (
	"unicode"
	"unicode/utf8"
)

// appendSoundex appends to dst the American Soundex code of a word: its first letter in
// upper case and three digits for the consonants that follow, so that words of
// like spelling or sound get one code: Robert and Rupert are R163.
//
// Of neighbours with the same digit only the first counts, the word's first
// letter included; vowels and y part them, h and w do not (the rule of the
// United States census from 1930 on). Letters with marks count as the letters
// without, and what else is not one of a to z is passed over. A word with none
// of these letters, a number or one of another script, is its own code.
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

// soundexDigits has the digit of each letter from a to z; 0 parts equal digits,
// - does nothing.
const soundexDigits = "0123012-02245501262301-202"
