package plan

// Errors of what a statement means, at their place.

import (
	"errors"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// ErrorAt rejects a statement for what it means.
func ErrorAt(at syntax.Pos, expected, found, hint string) *syntax.ParseError {
	return &syntax.ParseError{Line: at.Line, Col: at.Col, Expected: expected, Found: found, Suggestion: hint, Err: api.ErrInvalid}
}

// Invalid gives an error of the language its cause, which the language does not know.
func Invalid(err error) error {
	if e, ok := err.(*syntax.ParseError); ok {
		e.Err = api.ErrInvalid
	}
	return err
}

// Placed gives a place to errors of the engine that the statement has caused.
// Other errors stay as they are.
func Placed(at syntax.Pos, err error) error {
	for _, e := range []error{api.ErrInvalid, api.ErrNotFound, api.ErrExists, api.ErrTooLarge, api.ErrSimilar} {
		if errors.Is(err, e) {
			return &syntax.ParseError{Line: at.Line, Col: at.Col, Err: err}
		}
	}
	return err
}
