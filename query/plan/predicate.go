package plan

// Compilation of predicates into functions of a row, with the three-valued logic of SQL.

import (
	"context"
	"math/big"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// truth is a value of SQL's three-valued logic. A test on NULL is unknown, and only rows
// whose predicate is true pass.
type truth int8

const (
	no truth = iota - 1
	unknown
	yes
)

// truthOf converts a bool.
func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// negatedIf negates t for NOT; unknown stays unknown.
func (t truth) negatedIf(not bool) truth {
	if not {
		return -t
	}
	return t
}

// row provides the values of fields to a predicate.
type row interface{ Value(Ref) any }

// test is a compiled predicate, getter a compiled operand.
type (
	test   func(row) truth
	getter func(row) any
)

// compiler turns predicates into tests. Its functions resolve fields and parameters, and
// keep the first mistake, after which the test is meaningless.
type compiler struct {
	ctx      context.Context                         // cancels a long test; the result is then meaningless
	fail     func(error)                             // keeps a mistake
	field    func(syntax.Operand) Ref                // *Field or *Similarity
	constant func(syntax.Operand) any                // *Literal or *Param
	sawList  func(x, with syntax.Operand, op string) // called when a test meets a list; may be nil
	patterns *int                                    // bytes of all patterns
}

// maxPatterns bounds the bytes of all patterns of a statement. A parameter may be longer than a
// statement, and stand in 100,000 tests, each of which compiles it.
const maxPatterns = 1 << 20

// compile returns the test of a predicate.
func (c compiler) compile(e syntax.Expr) test {
	switch e := e.(type) {
	case *syntax.And:
		return c.all(e.Args, no)
	case *syntax.Or:
		return c.all(e.Args, yes)
	case *syntax.Not:
		t := c.compile(e.Arg)
		return func(r row) truth { return -t(r) }
	case *syntax.Comparison:
		if e.OfBest {
			c.fail(errOfBest(e))
		}
		return c.comparison(e)
	case *syntax.Between:
		low := c.comparison(&syntax.Comparison{Pos: e.Pos, Op: ">=", Left: e.X, Right: e.Low})
		high := c.comparison(&syntax.Comparison{Pos: e.Pos, Op: "<=", Left: e.X, Right: e.High})
		// The order no < unknown < yes makes min the AND of SQL.
		return func(r row) truth { return min(low(r), high(r)).negatedIf(e.Not) }
	case *syntax.In:
		return c.in(e)
	case *syntax.Like:
		return c.like(e)
	case *syntax.Has:
		return c.has(e)
	case *syntax.IsNull:
		x := c.operand(e.X)
		// IS NULL is the only test that is never unknown.
		return func(r row) truth { return truthOf((x(r) == nil) != e.Not) }
	default:
		return c.within(e.(*syntax.Within))
	}
}

// all joins predicates by AND or OR. Evaluation stops at the first decisive test.
func (c compiler) all(args []syntax.Expr, decides truth) test {
	tests := make([]test, len(args))
	for i, a := range args {
		tests[i] = c.compile(a)
	}
	return joinTests(c.ctx, tests, decides)
}

// testsAtOnce is the number of tests of a row between two checks of the context. Each may compare
// megabytes.
const testsAtOnce = 64

// joinTests joins tests; a result equal to decides ends the evaluation.
func joinTests(ctx context.Context, tests []test, decides truth) test {
	return func(r row) truth {
		// Without a decisive test the result is the opposite, unless a test was unknown.
		out := -decides
		for i, t := range tests {
			if i%testsAtOnce == testsAtOnce-1 && ctx.Err() != nil {
				return unknown
			}
			switch v := t(r); v {
			case decides:
				return decides
			case unknown:
				out = unknown
			}
		}
		return out
	}
}

// comparison returns the test of Left Op Right.
func (c compiler) comparison(e *syntax.Comparison) test {
	c.notConstant(e.Left, e.Right)
	left, right := c.operand(e.Left), c.operand(e.Right)
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[e.Op]
	return func(r row) truth {
		x, y := left(r), right(r)
		n, ok := value.Compare(x, y)
		if !ok {
			// A comparison with a list is unknown, which rarely is the intention: the note
			// suggests HAS.
			if c.sawList != nil && (isList(x) || isList(y)) {
				c.sawList(e.Left, e.Right, e.Op)
			}
			return unknown
		}
		return truthOf(holds(n))
	}
}

// within tests the open interval around the similarity index: sim > 1 − By.
func (c compiler) within(e *syntax.Within) test {
	f := c.field(&syntax.Field{Pos: e.Pos, Path: []syntax.Step{{Name: "sim"}}})
	by, isNumber := c.constant(e.By).(*big.Rat)
	// The parser and checkParams admit only numbers, parameters and NULL.
	if !isNumber { // NULL
		return func(row) truth { return unknown }
	}
	bound := value.Of(oneMinus(by))
	return func(r row) truth {
		n, ok := value.Compare(value.Of(r.Value(f)), bound)
		if !ok {
			return unknown
		}
		return truthOf(n > 0)
	}
}

// notConstant rejects a test without a field: 'year' = 2020 compares a string.
func (c compiler) notConstant(xs ...syntax.Operand) {
	for _, x := range xs {
		switch x.(type) {
		case *syntax.Field, *syntax.Similarity:
			return
		}
	}
	for _, x := range xs {
		// The likely mistake is a name in single quotes.
		if l, ok := x.(*syntax.Literal); ok && l.Kind == syntax.String {
			c.fail(ErrorAt(l.Pos, "a field", "the string "+syntax.Quote(l.Text),
				"single quotes make a string; did you mean "+syntax.QuoteName(l.Text)+"?"))
			return
		}
	}
	c.fail(ErrorAt(xs[0].Place(), "a field on one side", syntax.Quote(xs[0].String()), ""))
}

// in returns the test of IN. An item that does not compare, such as NULL, makes a miss unknown.
func (c compiler) in(e *syntax.In) test {
	c.notConstant(e.X)
	x, list := c.operand(e.X), make([]getter, len(e.List))
	for i, l := range e.List {
		list[i] = c.operand(l)
	}
	return func(r row) truth {
		v, out := x(r), no
		if c.sawList != nil && isList(v) {
			c.sawList(e.X, e.List[0], "IN")
		}
		for i, l := range list {
			if i%testsAtOnce == testsAtOnce-1 && c.ctx.Err() != nil {
				return unknown
			}
			switch n, ok := value.Compare(v, l(r)); {
			case !ok:
				out = unknown
			case n == 0:
				return yes.negatedIf(e.Not)
			}
		}
		return out.negatedIf(e.Not)
	}
}

// has returns the test of HAS. A value that is not a list counts as a list of one, because
// many files write a single tag as a string and several as a list.
func (c compiler) has(e *syntax.Has) test {
	c.notConstant(e.X)
	x, item := c.operand(e.X), c.operand(e.Item)
	return func(r row) truth {
		v, want := x(r), item(r)
		if v == nil || want == nil {
			return unknown
		}
		list, ok := v.([]any)
		if !ok {
			// See the doc comment: a single value is a list of one.
			list = []any{v}
		}
		for _, have := range list {
			if n, ok := value.Compare(value.Of(have), want); ok && n == 0 {
				return yes.negatedIf(e.Not)
			}
		}
		return no.negatedIf(e.Not)
	}
}

// like returns the test of LIKE or GLOB, with its pattern compiled once.
func (c compiler) like(e *syntax.Like) test {
	c.notConstant(e.X)
	x, v := c.operand(e.X), c.constant(e.Pattern)
	s, ok := v.(string)
	if !ok && v != nil {
		c.fail(ErrorAt(e.Pattern.Place(), "a pattern in single quotes", value.Show(v), ""))
	}
	if *c.patterns += len(s); *c.patterns > maxPatterns {
		c.fail(ErrorAt(e.Pattern.Place(), "patterns of at most 1 MiB together", "more", ""))
		return nil
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
	}
}

// operand returns the getter of a field or a constant.
func (c compiler) operand(x syntax.Operand) getter {
	switch x.(type) {
	case *syntax.Field, *syntax.Similarity:
		f := c.field(x)
		return func(r row) any { return value.Of(r.Value(f)) }
	}
	v := value.Of(c.constant(x))
	return func(row) any { return v }
}

// isList reports whether a value is a list.
func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
