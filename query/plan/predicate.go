package plan

// Predicates become functions of a row, with the three-valued logic of SQL.

import (
	"context"
	"math/big"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// truth is the three-valued logic of SQL. A test on NULL is unknown. Only rows
// whose predicate is true are kept.
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

func (t truth) negatedIf(not bool) truth {
	if not {
		return -t
	}
	return t
}

// row gives a predicate the values of its fields.
type row interface{ Value(Ref) any }

// test is a compiled predicate, getter a compiled operand.
type (
	test   func(row) truth
	getter func(row) any
)

// compiler turns predicates into tests. Its functions say what the fields and
// parameters of the predicate mean.
type compiler struct {
	ctx      context.Context                         // ends a test that takes long; the result then means nothing
	field    func(syntax.Operand) (Ref, error)       // *Field or *Similarity
	constant func(syntax.Operand) (any, error)       // *Literal or *Param
	sawList  func(x, with syntax.Operand, op string) // is told when a test meets a list; may be nil
}

func (c compiler) compile(e syntax.Expr) (test, error) {
	switch e := e.(type) {
	case *syntax.And:
		return c.all(e.Args, no)
	case *syntax.Or:
		return c.all(e.Args, yes)
	case *syntax.Not:
		t, err := c.compile(e.Arg)
		return func(r row) truth { return -t(r) }, err
	case *syntax.Comparison:
		return c.comparison(e)
	case *syntax.Between:
		low, err := c.comparison(&syntax.Comparison{Pos: e.Pos, Op: ">=", Left: e.X, Right: e.Low})
		if err != nil {
			return nil, err
		}
		high, err := c.comparison(&syntax.Comparison{Pos: e.Pos, Op: "<=", Left: e.X, Right: e.High})
		return func(r row) truth { return min(low(r), high(r)).negatedIf(e.Not) }, err
	case *syntax.In:
		return c.in(e)
	case *syntax.Like:
		return c.like(e)
	case *syntax.Has:
		return c.has(e)
	case *syntax.IsNull:
		x, err := c.operand(e.X)
		return func(r row) truth { return truthOf((x(r) == nil) != e.Not) }, err
	default:
		return c.within(e.(*syntax.Within))
	}
}

// all joins tests by AND or OR. It stops at the first test that decides.
func (c compiler) all(args []syntax.Expr, decides truth) (test, error) {
	tests := make([]test, len(args))
	for i, a := range args {
		var err error
		if tests[i], err = c.compile(a); err != nil {
			return nil, err
		}
	}
	return func(r row) truth {
		out := -decides
		for _, t := range tests {
			switch v := t(r); v {
			case decides:
				return decides
			case unknown:
				out = unknown
			}
		}
		return out
	}, nil
}

func (c compiler) comparison(e *syntax.Comparison) (test, error) {
	if err := c.notConstant(e.Left, e.Right); err != nil {
		return nil, err
	}
	left, err := c.operand(e.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(e.Right)
	if err != nil {
		return nil, err
	}
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[e.Op]
	return func(r row) truth {
		x, y := left(r), right(r)
		n, ok := value.Compare(x, y)
		if !ok {
			if c.sawList != nil && (isList(x) || isList(y)) {
				c.sawList(e.Left, e.Right, e.Op)
			}
			return unknown
		}
		return truthOf(holds(n))
	}, nil
}

// within tests the open interval around the similarity index: sim > 1 − By.
func (c compiler) within(e *syntax.Within) (test, error) {
	f, err := c.field(&syntax.Field{Pos: e.Pos, Path: []syntax.Step{{Name: "sim"}}})
	if err != nil {
		return nil, err
	}
	v, err := c.constant(e.By)
	by, isNumber := v.(*big.Rat)
	if err != nil || !isNumber { // NULL
		return func(row) truth { return unknown }, err
	}
	bound := value.Of(oneMinus(by))
	return func(r row) truth {
		n, ok := value.Compare(value.Of(r.Value(f)), bound)
		if !ok {
			return unknown
		}
		return truthOf(n > 0)
	}, nil
}

// notConstant refuses a test without a field: 'year' = 2020 compares a string.
func (c compiler) notConstant(xs ...syntax.Operand) error {
	for _, x := range xs {
		switch x.(type) {
		case *syntax.Field, *syntax.Similarity:
			return nil
		}
	}
	for _, x := range xs {
		if l, ok := x.(*syntax.Literal); ok && l.Kind == syntax.String {
			return ErrorAt(l.Pos, "a field", "the string "+syntax.Quote(l.Text),
				"single quotes make a string; did you mean "+syntax.QuoteName(l.Text)+"?")
		}
	}
	return ErrorAt(xs[0].Place(), "a field on one side", syntax.Quote(xs[0].String()), "")
}

func (c compiler) in(e *syntax.In) (test, error) {
	if err := c.notConstant(e.X); err != nil {
		return nil, err
	}
	x, err := c.operand(e.X)
	if err != nil {
		return nil, err
	}
	list := make([]getter, len(e.List))
	for i, l := range e.List {
		if list[i], err = c.operand(l); err != nil {
			return nil, err
		}
	}
	return func(r row) truth {
		v, out := x(r), no
		if c.sawList != nil && isList(v) {
			c.sawList(e.X, e.List[0], "IN")
		}
		for _, l := range list {
			switch n, ok := value.Compare(v, l(r)); {
			case !ok:
				out = unknown
			case n == 0:
				return yes.negatedIf(e.Not)
			}
		}
		return out.negatedIf(e.Not)
	}, nil
}

// has looks for an item in a list. A value that is no list counts as a list of one: many
// files write one tag as a string, and several as a list.
func (c compiler) has(e *syntax.Has) (test, error) {
	if err := c.notConstant(e.X); err != nil {
		return nil, err
	}
	x, err := c.operand(e.X)
	if err != nil {
		return nil, err
	}
	item, err := c.operand(e.Item)
	return func(r row) truth {
		v, want := x(r), item(r)
		if v == nil || want == nil {
			return unknown
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, have := range list {
			if n, ok := value.Compare(value.Of(have), want); ok && n == 0 {
				return yes.negatedIf(e.Not)
			}
		}
		return no.negatedIf(e.Not)
	}, err
}

func (c compiler) like(e *syntax.Like) (test, error) {
	if err := c.notConstant(e.X); err != nil {
		return nil, err
	}
	x, err := c.operand(e.X)
	if err != nil {
		return nil, err
	}
	v, err := c.constant(e.Pattern)
	if err != nil {
		return nil, err
	}
	s, ok := v.(string)
	if !ok && v != nil {
		return nil, ErrorAt(e.Pattern.Place(), "a pattern in single quotes", value.Show(v), "")
	}
	p := value.Like(s)
	if e.Glob {
		p = value.Glob(s)
	}
	return func(r row) truth {
		s, ok := value.Text(x(r))
		if !ok || v == nil {
			return unknown
		}
		return truthOf(p.Match(c.ctx, s)).negatedIf(e.Not)
	}, nil
}

func (c compiler) operand(x syntax.Operand) (getter, error) {
	switch x.(type) {
	case *syntax.Field, *syntax.Similarity:
		f, err := c.field(x)
		return func(r row) any { return value.Of(r.Value(f)) }, err
	}
	v, err := c.constant(x)
	v = value.Of(v)
	return func(row) any { return v }, err
}

// isList reports whether a value is a list.
func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
