// Package text turns the bytes of a rendition into a normalised stream of tokens: words
// or characters. All its functions are pure and safe for concurrent use; equal bytes
// give equal tokens on every machine. It knows nothing of shingles, hashes or stores.
// docs/format.md defines the result in full. Begin with Normalize and Words.
package text

import (
	"fmt"
	"iter"
)

// Unit selects the tokens of a text: words or characters, or tokens that it comes with.
type Unit uint8

const (
	Word Unit = iota // UAX #29 word segments with a letter or a number
	Char             // Unicode code points, runs of white space collapsed to one space
	Own              // tokens supplied with the text
	Code             // tokens found by a lexer and stored with the text
)

// ParseUnit parses "word", "char", "token" or "code".
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

// String returns the name in the syntax of ParseUnit.
func (u Unit) String() string {
	return [...]string{"word", "char", "token", "code"}[u]
}

// A Token is the byte range of a token: norm[Start:End].
type Token struct{ Start, End int }

// Normalize appends the normal form of doc for this unit to dst: the result of the
// function Normalize, for characters with white space collapsed.
func (u Unit) Normalize(dst []byte, doc string) []byte {
	start := len(dst)
	dst = Normalize(dst, doc)
	if u == Char {
		dst = dst[:start+len(Collapse(dst[start:]))]
	}
	return dst
}

// Tokens yields the tokens of a text normalised by u.Normalize, in order.
func (u Unit) Tokens(norm []byte) iter.Seq[Token] {
	if u == Char {
		return Chars(norm)
	}
	return Words(norm)
}

// Fold selects the tokens of code that count as equal.
type Fold uint8

const (
	FoldNone  Fold = iota
	FoldNames      // identifiers, except after a dot
	FoldAll        // identifiers, and literals of a kind
)

// ParseFold parses "", "names" or "all".
func ParseFold(s string) (Fold, error) {
	for f, name := range []string{"", "names", "all"} {
		if s == name {
			return Fold(f), nil
		}
	}
	return 0, fmt.Errorf("unknown fold %q: want 'names' or 'all'", s)
}
