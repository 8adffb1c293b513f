package syntax

// Places in a statement, and the errors that point at them. They say what was wanted and
// what stood there, and suggest something.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Pos is a place in a statement or script, counted from 1; Col counts code points.
type Pos struct{ Line, Col int }

// Place returns the position itself. So everything that embeds a Pos has a
// place.
func (p Pos) Place() Pos { return p }

// ParseError rejects a statement and points at its place. Line and Col count
// from 1, Col in code points. Test with errors.As. errors.Is finds ErrInvalid, or what
// else is the cause: ErrNotFound if the statement names something that is not there,
// ErrExists, ErrSimilar, ErrTooLarge, ErrReadOnly, or why a file could not be read.
type ParseError struct {
	Line, Col  int
	Expected   string // what was wanted: `a number after ">="`
	Found      string // what stood there: `"high"`; may be empty
	Suggestion string // a hint: `did you mean 80%?`; may be empty
	Err        error  // the cause: ErrInvalid, unless another package found it
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// errorAt makes an error of the language. Its cause is given by who knows the engine.
func errorAt(at Pos, expected, found, hint string) *ParseError {
	return &ParseError{Line: at.Line, Col: at.Col, Expected: expected, Found: found, Suggestion: hint}
}

// Error returns one line, such as 1:29: want a number after ">=", found "high".
func (e *ParseError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Col)
	switch {
	case e.Expected == "" && e.Err != nil:
		b.WriteString(e.Err.Error())
	default:
		b.WriteString("want " + e.Expected)
		if e.Found != "" {
			b.WriteString(", found " + e.Found)
		}
	}
	if e.Suggestion != "" {
		b.WriteString("; " + e.Suggestion)
	}
	return b.String()
}

// Within returns the error with its place in the script that the statement is
// part of.
func (e *ParseError) Within(statement StatementText) *ParseError {
	placed := *e
	if e.Line == 1 {
		placed.Col += statement.At.Col - 1
	}
	placed.Line += statement.At.Line - 1
	return &placed
}

// caretWidth is how many code points of a long line are shown on either side
// of the caret.
const caretWidth = 40

// StatementText is the text of one statement, and the place in its script where
// it begins.
type StatementText struct {
	Text string
	At   Pos
}

// Caret returns the line of src that an error points at, with a caret below the
// place. It returns "" for an error without a place in src.
func Caret(src string, err error) string {
	var pe *ParseError
	if !errors.As(err, &pe) || pe.Line < 1 || pe.Col < 1 {
		return ""
	}
	for range pe.Line - 1 {
		_, rest, ok := strings.Cut(src, "\n")
		if !ok {
			return ""
		}
		src = rest
	}
	line, _, _ := strings.Cut(src, "\n")
	runes := []rune(strings.TrimSuffix(line, "\r"))
	col := min(pe.Col-1, len(runes))
	from, to := max(0, col-caretWidth), min(len(runes), col+caretWidth)
	var text, pad strings.Builder
	if from > 0 {
		text.WriteRune('…')
		pad.WriteRune(' ')
	}
	for i, r := range runes[from:to] {
		if !unicode.IsPrint(r) {
			r = ' '
		}
		text.WriteRune(r)
		if from+i < col {
			pad.WriteRune(' ')
		}
	}
	if to < len(runes) {
		text.WriteRune('…')
	}
	return text.String() + "\n" + pad.String() + "^"
}

// Quote shows a piece of a statement in a message, shortened.
func Quote(s string) string {
	if r := []rune(s[:min(len(s), 200)]); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}
