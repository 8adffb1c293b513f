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
	Code             // tokens that a lexer has found in it, and that are stored with it
)

// ParseUnit reads "word", "char", "token" or "code".
func ParseUnit(s string) (Unit, error) {
	switch s {
	case "word":
		return Word, nil
	case "char":
		return Char, nil
	case "token":
		return Own, nil
	case "code":
		return Code, nil
	}
	return 0, fmt.Errorf("unknown unit %q: want 'word', 'char', 'token' or 'code'", s)
}

func (u Unit) String() string {
	return [...]string{"word", "char", "token", "code"}[u]
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

// Fold is which tokens of code count as equal.
type Fold uint8

const (
	FoldNone  Fold = iota
	FoldNames      // identifiers, apart from those behind a dot
	FoldAll        // these too, and literals of a kind
)

// ParseFold reads "", "names" or "all".
func ParseFold(s string) (Fold, error) {
	for f, name := range []string{"", "names", "all"} {
		if s == name {
			return Fold(f), nil
		}
	}
	return 0, fmt.Errorf("unknown fold %q: want 'names' or 'all'", s)
}
