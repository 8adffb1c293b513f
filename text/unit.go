// Package text turns the bytes of a rendition into a normalised stream of
// tokens: words or characters. Bytes come in, tokens go out; the package knows
// nothing of shingles, hashes or stores.
package text

import "fmt"

// Unit is what a text is read as: a stream of words or of characters.
type Unit uint8

const (
	Word Unit = iota // UAX #29 word segments that hold a letter or a number
	Char             // Unicode code points, white-space runs collapsed to one space
)

// ParseUnit reads "word" or "char".
func ParseUnit(s string) (Unit, error) {
	switch s {
	case "word":
		return Word, nil
	case "char":
		return Char, nil
	}
	return 0, fmt.Errorf("unknown unit %q: want 'word' or 'char'", s)
}

func (u Unit) String() string {
	if u == Char {
		return "char"
	}
	return "word"
}
