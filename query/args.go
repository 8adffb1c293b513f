package query

// The arguments of a statement: the values of its parameters and constants.

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/simdb/simdb/query/syntax"
)

// NamedArg is the argument of a parameter :name.
type NamedArg struct {
	Name  string
	Value any
}

// Named binds a value to the parameter :name.
func Named(name string, value any) NamedArg { return NamedArg{name, value} }

// arguments are the values bound to the parameters of one statement.
type arguments struct {
	list   []any
	named  map[string]any
	unused map[string]bool
}

func newArguments(args []any) *arguments {
	a := &arguments{named: map[string]any{}, unused: map[string]bool{}}
	for _, v := range args {
		if n, ok := v.(NamedArg); ok {
			a.named[n.Name] = n.Value
			a.unused[":"+n.Name] = true
			continue
		}
		a.list = append(a.list, v)
		a.unused[fmt.Sprint("$", len(a.list))] = true
	}
	return a
}

// value returns the argument of a parameter.
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
	return nil, errorAt(p.Pos, "an argument for "+name, found, "")
}

// constant returns the value of a literal or of a bound parameter, in the form
// that predicates take.
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
		v = normal(v)
		switch v.(type) {
		case nil, string, bool, *big.Rat, time.Time:
			return v, nil
		}
		return nil, errorAt(x.Pos, "a string, number, boolean, time or nil for "+x.String(), fmt.Sprintf("a %T", v), "")
	}
	return nil, errorAt(x.Place(), "a value", syntax.Quote(x.String()), "")
}

// string returns a constant that must be a string. what names it in the
// message.
func (a *arguments) string(x syntax.Operand, what string) (string, error) {
	v, err := a.constant(x)
	if err != nil {
		return "", err
	}
	s, ok := v.(string)
	if !ok {
		return "", errorAt(x.Place(), what, show(v), "")
	}
	return s, nil
}

// check reports arguments that no parameter took.
func (a *arguments) check(at syntax.Pos) error {
	for _, name := range slices.Sorted(maps.Keys(a.unused)) {
		return errorAt(at, "a parameter "+name+" for each argument", "none", "")
	}
	return nil
}

// show shows a value in a message.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "the string " + syntax.Quote(v)
	case *big.Rat:
		return syntax.Quote(decimal(v))
	case time.Time:
		return "the time " + syntax.Quote(v.Format(time.RFC3339Nano))
	}
	return syntax.Quote(fmt.Sprint(v))
}
