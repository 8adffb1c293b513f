package query

// The arguments of a statement: the values of its parameters and constants.

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"
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
func (a *arguments) value(p *Param) (any, error) {
	name := operandString(p)
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
func (a *arguments) constant(x Operand) (any, error) {
	switch x := x.(type) {
	case *Literal:
		switch x.Kind {
		case String:
			return x.Text, nil
		case Bool:
			return x.Text == "TRUE", nil
		case Time:
			t, _ := parseTime(x.Text)
			return t, nil
		case Number:
			r, _ := parseNumber(x.Text)
			return r, nil
		}
		return nil, nil
	case *Param:
		v, err := a.value(x)
		if err != nil {
			return nil, err
		}
		v = normal(v)
		switch v.(type) {
		case nil, string, bool, *big.Rat, time.Time:
			return v, nil
		}
		return nil, errorAt(x.Pos, "a string, number, boolean, time or nil for "+operandString(x), fmt.Sprintf("a %T", v), "")
	}
	return nil, errorAt(x.Place(), "a value", quote(operandString(x)), "")
}

// string returns a constant that must be a string. what names it in the
// message.
func (a *arguments) string(x Operand, what string) (string, error) {
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
func (a *arguments) check(at Pos) error {
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
		return "the string " + quote(v)
	case *big.Rat:
		return quote(decimal(v))
	case time.Time:
		return "the time " + quote(v.Format(time.RFC3339Nano))
	}
	return quote(fmt.Sprint(v))
}
