package main

// Predicates: trees, how they are written, and what they say of a row.

import (
	"math/big"
	"strings"
)

// A Pred is AND, OR or NOT of others, or a test of a field.
type Pred struct {
	Op     string    `json:",omitzero"` // AND, OR, NOT; = != < <= > >=, BETWEEN, IN, LIKE, GLOB, HAS, IS NULL, WITHIN
	Not    bool      `json:",omitzero"` // of a test that takes NOT
	Args   []*Pred   `json:",omitzero"`
	Field  string    `json:",omitzero"` // or a call of similarity, as it is written
	Values constants `json:",omitzero"`
}

func (p *Pred) String() string {
	not := ""
	if p.Not {
		not = "NOT "
	}
	first := func() string { return literal(p.Values[0]) }
	switch p.Op {
	case "NOT":
		return "NOT (" + p.Args[0].String() + ")"
	case "AND", "OR":
		var parts []string
		for _, a := range p.Args {
			if s := a.String(); a.Op == "OR" && p.Op == "AND" {
				parts = append(parts, "("+s+")")
			} else {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " "+p.Op+" ")
	case "BETWEEN":
		return p.Field + " " + not + "BETWEEN " + first() + " AND " + literal(p.Values[1])
	case "IN":
		return p.Field + " " + not + "IN " + literal([]value(p.Values))
	case "LIKE", "GLOB", "HAS":
		return p.Field + " " + not + p.Op + " " + first()
	case "IS NULL":
		return p.Field + " IS " + not + "NULL"
	case "WITHIN":
		return "si WITHIN " + first()
	}
	return p.Field + " " + p.Op + " " + first()
}

// mentions says whether the predicate tests one of the fields.
func (p *Pred) mentions(fields ...string) bool {
	if p == nil {
		return false
	}
	for _, a := range p.Args {
		if a.mentions(fields...) {
			return true
		}
	}
	for _, f := range fields {
		if p.Field == f || p.Op == "WITHIN" && f == "sim" {
			return true
		}
	}
	return false
}

// fields lists what the predicate tests.
func (p *Pred) fields() (out []string) {
	if p == nil {
		return nil
	}
	for _, a := range p.Args {
		out = append(out, a.fields()...)
	}
	if p.Field != "" {
		out = append(out, p.Field)
	}
	return out
}

type truth int8

const (
	no truth = iota - 1
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// holds says what the predicate is of a row; no predicate holds.
func (p *Pred) holds(of func(field string) value) bool { return p == nil || p.eval(of) == yes }

func (p *Pred) eval(of func(field string) value) truth {
	t := p.test(of)
	if p.Not {
		return -t
	}
	return t
}

func (p *Pred) test(of func(field string) value) truth {
	switch p.Op {
	case "NOT":
		return -p.Args[0].eval(of)
	case "AND", "OR":
		out := yes
		if p.Op == "OR" {
			out = no
		}
		for _, a := range p.Args {
			if t := a.eval(of); p.Op == "AND" {
				out = min(out, t)
			} else {
				out = max(out, t)
			}
		}
		return out
	case "WITHIN": // the interval is open
		n, ok := compareValues(of("sim"), new(big.Rat).Sub(integer(1), p.Values[0].(*big.Rat)))
		if !ok {
			return unknown
		}
		return truthOf(n > 0)
	}
	v := of(p.Field)
	compared := func(with value, holds func(int) bool) truth {
		n, ok := compareValues(v, with)
		if !ok {
			return unknown
		}
		return truthOf(holds(n))
	}
	switch p.Op {
	case "IS NULL":
		return truthOf(v == nil)
	case "BETWEEN":
		return min(compared(p.Values[0], func(n int) bool { return n >= 0 }), compared(p.Values[1], func(n int) bool { return n <= 0 }))
	case "IN":
		out := no
		for _, x := range p.Values {
			out = max(out, compared(x, func(n int) bool { return n == 0 }))
		}
		return out
	case "HAS":
		if v == nil || p.Values[0] == nil {
			return unknown
		}
		items, ok := v.([]value)
		if !ok {
			items = []value{v}
		}
		out := no
		for _, x := range items {
			if n, ok := compareValues(x, p.Values[0]); ok && n == 0 {
				out = yes
			}
		}
		return out
	case "LIKE", "GLOB":
		s, ok := asText(v)
		if !ok {
			return unknown
		}
		if p.Op == "LIKE" {
			return truthOf(glob(p.Values[0].(string), s, '%', '_'))
		}
		return truthOf(glob(p.Values[0].(string), s, '*', '?'))
	}
	holds := map[string]func(int) bool{
		"=": func(n int) bool { return n == 0 }, "!=": func(n int) bool { return n != 0 },
		"<": func(n int) bool { return n < 0 }, "<=": func(n int) bool { return n <= 0 },
		">": func(n int) bool { return n > 0 }, ">=": func(n int) bool { return n >= 0 },
	}[p.Op]
	return compared(p.Values[0], holds)
}

// asText is a value as LIKE and GLOB see it.
func asText(v value) (string, bool) {
	s, ok := v.(string)
	return s, ok
}

// conjuncts are what AND joins.
func (p *Pred) conjuncts() (out []*Pred) {
	switch {
	case p == nil:
	case p.Op != "AND" || p.Not:
		out = append(out, p)
	default:
		for _, a := range p.Args {
			out = append(out, a.conjuncts()...)
		}
	}
	return out
}
