package api

// Arguments and errors of statements.

import (
	"fmt"
	"strings"
)

// NamedArg is a value for the parameter :name of a statement.
type NamedArg struct {
	Name  string
	Value any
}

// ParseError rejects a statement and points at a place in it. errors.Is finds its cause: ErrInvalid,
// ErrNotFound if the statement names something that does not exist, ErrExists, ErrSimilar,
// ErrTooLarge, ErrReadOnly, or the reason why a file is unreadable.
type ParseError struct {
	Line, Col  int    // from 1; Col counts code points
	Expected   string // `a number after ">="`
	Found      string // `"high"`; may be empty
	Suggestion string // `did you mean 80%?`; may be empty
	Err        error  // the cause
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

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
