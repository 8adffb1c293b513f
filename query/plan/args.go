package plan

// The values of the parameters and constants of a statement, and errors with a position
// in it.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// ErrorAt returns an error for a statement that parses but is not valid. It wraps
// api.ErrInvalid.
func ErrorAt(at syntax.Pos, expected, found, hint string) *api.ParseError {
	return &api.ParseError{Line: at.Line, Col: at.Col, Expected: expected, Found: found, Suggestion: hint, Err: api.ErrInvalid}
}

// Invalid gives a parse error its cause, api.ErrInvalid, which query/syntax does not set.
func Invalid(err error) error {
	if e, ok := err.(*api.ParseError); ok {
		e.Err = api.ErrInvalid
	}
	return err
}

// Placed adds a position to an engine error that the statement has caused, and returns
// any other error unchanged.
func Placed(at syntax.Pos, err error) error {
	// Other errors, such as a full disk, have nothing to do with the text.
	for _, e := range []error{api.ErrInvalid, api.ErrNotFound, api.ErrExists, api.ErrTooLarge, api.ErrSimilar} {
		if errors.Is(err, e) {
			return &api.ParseError{Line: at.Line, Col: at.Col, Err: err}
		}
	}
	return err
}

// arguments holds the values bound to the parameters of one statement, and records their
// use.
type arguments struct {
	list   []any
	named  map[string]any
	unused map[string]bool
}

// newArguments returns arguments of which none is used yet.
func newArguments(list []any, named map[string]any) *arguments {
	a := &arguments{list: list, named: named, unused: map[string]bool{}}
	for i := range list {
		// Keys are the spellings of parameters, for messages.
		a.unused[fmt.Sprint("$", i+1)] = true
	}
	for name := range named {
		a.unused[":"+name] = true
	}
	return a
}

// value returns the argument of a parameter, and marks it as used.
func (a *arguments) value(p *syntax.Param) (any, error) {
	name := p.String()
	delete(a.unused, name)
	if v, ok := a.named[p.Name]; ok && p.Name != "" {
		return v, nil
	}
	if p.Name == "" && p.Index <= len(a.list) {
		return a.list[p.Index-1], nil
	}
	found := fmt.Sprintf("%d given", len(a.list))
	if p.Name != "" {
		found = "none of that name"
	}
	return nil, ErrorAt(p.Pos, "an argument for "+name, found, "")
}

// constant returns the value of a literal or a bound parameter. A number is a *big.Rat.
func (a *arguments) constant(x syntax.Operand) (any, error) {
	switch x := x.(type) {
	case *syntax.Literal:
		switch x.Kind {
		case syntax.String:
			return x.Text, nil
		case syntax.Bool:
			return x.Text == "TRUE", nil
		case syntax.Time:
			t, _ := syntax.ParseTime(x.Text)
			return t, nil
		case syntax.Number:
			r, _ := syntax.ParseNumber(x.Text)
			return r, nil
		}
		return nil, nil
	case *syntax.Param:
		v, err := a.value(x)
		if err != nil {
			return nil, err
		}
		v = value.Of(v)
		switch v.(type) {
		case nil, string, bool, time.Time:
			return v, nil
		}
		if n := value.Number(v); n != nil {
			return n, nil
		}
		return nil, ErrorAt(x.Pos, "a string, number, boolean, time or nil for "+x.String(), fmt.Sprintf("a %T", v), "")
	}
	return nil, ErrorAt(x.Place(), "a value", syntax.Quote(x.String()), "")
}

// string returns a constant that must be a string. what describes the expected value in the
// error.
func (a *arguments) string(x syntax.Operand, what string) (string, error) {
	v, err := a.constant(x)
	if err != nil {
		return "", err
	}
	s, ok := v.(string)
	if !ok {
		return "", ErrorAt(x.Place(), what, value.Show(v), "")
	}
	return s, nil
}

// check returns an error if an argument belongs to no parameter.
func (a *arguments) check(at syntax.Pos) error {
	for _, name := range slices.Sorted(maps.Keys(a.unused)) {
		return ErrorAt(at, "a parameter "+name+" for each argument", "none", "")
	}
	return nil
}
