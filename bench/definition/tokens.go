package definition

// Tokens of a normal form, and shingles of tokens.

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// A Token is a word, and its place in the code points of the normal form.
type Token struct {
	Text string
	At   int
}

// Words are the tokens of unit=word of a normal form.
func Words(chars []Char) (out []Token) {
	at, state := 0, -1
	for rest := String(chars); rest != ""; {
		var segment string
		segment, rest, state = uniseg.FirstWordInString(rest, state)
		if isToken(chars, at, []rune(segment)) {
			out = append(out, Token{segment, at})
		}
		at += len([]rune(segment))
	}
	return out
}

// isToken says whether the segment at a place is a token: a letter or number, a symbol, or a
// sign that changes the word or number beside it.
func isToken(chars []Char, at int, segment []rune) bool {
	before := func(of ...*unicode.RangeTable) bool { return at > 0 && unicode.In(chars[at-1].Rune, of...) }
	behind := func(of ...*unicode.RangeTable) bool {
		return at+1 < len(chars) && unicode.In(chars[at+1].Rune, of...)
	}
	switch segment[0] {
	case '>':
		return !beginsLine(chars[:at])
	case '#':
		return before(unicode.L, unicode.N)
	case '%':
		return before(unicode.N)
	case '-':
		return behind(unicode.N) && !before(unicode.L, unicode.N) && !(at > 0 && chars[at-1].Rune == '_')
	}
	for _, r := range segment {
		if unicode.In(r, unicode.L, unicode.N, unicode.Sm, unicode.Sc, unicode.So) {
			return true
		}
	}
	return false
}

// beginsLine says whether what stands before is a line's beginning: white space and > alone.
func beginsLine(before []Char) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch r := before[i].Rune; {
		case endsLine(r):
			return true
		case r != '>' && !unicode.Is(unicode.White_Space, r):
			return false
		}
	}
	return true
}

func endsLine(r rune) bool { return strings.ContainsRune("\n\v\f\r\u0085\u2028\u2029", r) }

// characters begins the shingles of characters, which differ from those of words of the same
// code points.
const characters = "characters "

// OfCharacters says whether a shingle is one of characters.
func OfCharacters(shingle string) bool { return strings.HasPrefix(shingle, characters) }

// Shingles calls yield with every shingle of a text, as often as it occurs. Equal shingles are
// equal strings.
func Shingles(text, unit, normalize string, k int, yield func(string)) {
	if unit == "word" {
		var words []string
		for _, t := range Words(Normal(text, normalize)) {
			words = append(words, t.Text)
		}
		if len(words) > 0 {
			Runs(words, k, yield)
			return
		}
	}
	Characters(text, normalize, k, yield)
}

// Characters are the shingles of a text that has no tokens of another unit.
func Characters(text, normalize string, k int, yield func(string)) {
	chars := []rune(String(Collapsed(text, normalize)))
	k = min(k, len(chars))
	if k == 0 {
		yield("") // of no tokens
		return
	}
	for i := range len(chars) - k + 1 {
		yield(characters + string(chars[i:i+k]))
	}
}

// Runs are the shingles of tokens: k in a row, or all if there are fewer.
func Runs(tokens []string, k int, yield func(string)) {
	k = min(k, len(tokens))
	for i := range len(tokens) - k + 1 {
		yield(strings.Join(tokens[i:i+k], "\x00"))
	}
}
