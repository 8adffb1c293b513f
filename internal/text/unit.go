// Package text turns the bytes of a rendition into a normalised stream of
// tokens: words or characters. Bytes come in, tokens go out; the package knows
// nothing of shingles, hashes or stores. docs/format.md has the definition in
// full.
package text

import (
	"fmt"
	"iter"
)

// Unit is what a text is read as: a stream of words or of characters.
type Unit uint8

const (
	Word Unit = iota // UAX #29 word segments that hold a letter or a number
	Char             // Unicode code points, white-space runs collapsed to one space
	Own              // tokens that come with the text, and are not read from it
)

// ParseUnit reads "word", "char" or "token".
func ParseUnit(s string) (Unit, error) {
	switch s {
	case "word":
		return Word, nil
	case "char":
		return Char, nil
	case "token":
		return Own, nil
	}
	return 0, fmt.Errorf("unknown unit %q: want 'word', 'char' or 'token'", s)
}

func (u Unit) String() string {
	return [...]string{"word", "char", "token"}[u]
}

// A Token is the place of one item of a stream: norm[Start:End].
type Token struct{ Start, End int }

// Normalize appends the normalised form of doc, as this unit reads it, to dst:
// that of the function Normalize, for characters with collapsed white space.
func (u Unit) Normalize(dst []byte, doc string) []byte {
	start := len(dst)
	dst = Normalize(dst, doc)
	if u == Char {
		dst = dst[:start+len(Collapse(dst[start:]))]
	}
	return dst
}

// Tokens yields the tokens of a text that u.Normalize made, in order.
func (u Unit) Tokens(norm []byte) iter.Seq[Token] {
	if u == Char {
		return Chars(norm)
	}
	return Words(norm)
}
