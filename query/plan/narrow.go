package plan

// Restriction of a search by metadata indexes. They find the documents that may satisfy a
// predicate; the predicate still tests each of them.

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// fields returns a necessary condition on the metadata of one side of a row, for an index
// to evaluate. It is nil if the predicate implies none.
func (pl *Planner) fields(e syntax.Expr, side int) *engine.Fields {
	switch e := e.(type) {
	case *syntax.And:
		var all []engine.Fields
		for _, arg := range e.Args {
			if f := pl.fields(arg, side); f != nil {
				all = append(all, *f)
			}
		}
		if len(all) > 0 {
			return &engine.Fields{All: all}
		}
	// One branch without a condition admits every document, so all branches must have one.
	case *syntax.Or:
		var tests []*engine.Fields
		for _, arg := range e.Args {
			tests = append(tests, pl.fields(arg, side))
		}
		return anyOf(tests)
	case *syntax.Comparison:
		x, op, v := fieldFirst(e)
		return pl.fieldTest(x, op, v, side)
	case *syntax.Between:
		if !e.Not {
			return pl.fields(&syntax.And{Pos: e.Pos, Args: []syntax.Expr{&syntax.Comparison{Pos: e.Pos, Op: ">=", Left: e.X, Right: e.Low}, &syntax.Comparison{Pos: e.Pos, Op: "<=", Left: e.X, Right: e.High}}}, side)
		}
	case *syntax.In:
		if !e.Not {
			var tests []*engine.Fields
			for _, item := range e.List {
				tests = append(tests, pl.fieldTest(e.X, "=", item, side))
			}
			return anyOf(tests)
		}
	// An index has an entry for each item of a list, so HAS is a lookup like =.
	case *syntax.Has:
		if !e.Not {
			return pl.fieldTest(e.X, "=", e.Item, side)
		}
	}
	return nil
}

// anyOf joins tests by OR. The result is nil if one test is nil: the index could then miss
// documents.
func anyOf(tests []*engine.Fields) *engine.Fields {
	out := &engine.Fields{}
	for _, t := range tests {
		if t == nil {
			return nil
		}
		out.Any = append(out.Any, *t)
	}
	return out
}

// fieldTest returns the test of a metadata field against a constant, or nil if no index can
// evaluate it.
func (pl *Planner) fieldTest(x syntax.Operand, op string, v syntax.Operand, side int) *engine.Fields {
	f, ok := x.(*syntax.Field)
	// similarity() and group() are not in any metadata index.
	if !ok || f.Call != nil || f.Group != nil || pl.ended() {
		return nil
	}
	switch v.(type) {
	case *syntax.Literal, *syntax.Param:
	default:
		return nil
	}
	r, _, ok := pl.scope.resolve(f)
	// Only metadata fields and the stored similarity index can be looked up, and only those of
	// the documents on this side of a pair.
	if !ok || r.col != nil && r.col != &colSI || r.side != side {
		return nil
	}
	with, err := pl.args.constant(v)
	if err != nil {
		return nil
	}
	switch with := with.(type) {
	case bool, time.Time:
		if r.col == &colSI {
			return nil
		}
		return interval(r, op, with, with)
	case *big.Rat:
		if r.col == &colSI {
			low, high := around(with)
			return interval(r, op, low, high)
		}
		// The index rounds numbers to float64 in the same way, so the interval loses no document.
		return interval(r, op, value.Float(with), value.Float(with))
	case string:
		if r.col == &colSI {
			return nil
		}
		// A string that represents a number equals the number as well; see value.Compare.
		n, isNumber := syntax.ParseNumber(strings.TrimSpace(with))
		if !isNumber || op == "!=" {
			return interval(r, op, with, with)
		}
		return anyOf([]*engine.Fields{interval(r, op, with, with), interval(r, op, value.Float(n), value.Float(n))})
	}
	return nil
}

// interval returns the test of a field, or of the stored similarity index, against a
// value. low and high are both the value, or the whole numbers next to it.
func interval(r Ref, op string, low, high any) *engine.Fields {
	f := engine.Fields{Path: r.path, SI: r.col == &colSI, Low: low, High: high}
	switch op {
	case "=":
	case "<", "<=":
		f.Low = nil
	case ">", ">=":
		f.High = nil
	default:
		return nil
	}
	return &f
}

// around returns the whole numbers next below and above r, or r twice if it is whole,
// within the range of int64.
func around(r *big.Rat) (low, high int64) {
	whole, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // below r, also if r is negative
	switch {
	case !whole.IsInt64() && whole.Sign() < 0:
		return math.MinInt64, math.MinInt64
	case !whole.IsInt64():
		return math.MaxInt64, math.MaxInt64
	}
	low = whole.Int64()
	if rest.Sign() == 0 || low == math.MaxInt64 {
		return low, low
	}
	return low, low + 1
}

// indexed reports whether a searched collection has an index of a field.
func (pl *Planner) indexed(collections []string, path []string) bool {
	return slices.ContainsFunc(collections, func(name string) bool {
		c, err := pl.all.Collection(name)
		return err == nil && slices.Contains(strings.Split(c.Settings.Index, ", "), strings.Join(path, "."))
	})
}

// namesOf returns the ids that a WHERE names: by a conjunct of the form field = 'x' or
// field IN ('x', …).
func (pl *Planner) namesOf(field string, where syntax.Expr) ([]string, bool) {
	for _, e := range conjuncts(where) {
		var x syntax.Operand
		var list []syntax.Operand
		switch e := e.(type) {
		case *syntax.Comparison:
			if e.Op != "=" {
				continue
			}
			x, list = e.Left, []syntax.Operand{e.Right}
		case *syntax.In:
			if e.Not {
				continue
			}
			x, list = e.X, e.List
		}
		if f, ok := x.(*syntax.Field); !ok || !f.IsBare(field) {
			continue
		}
		var ids []string
		for _, o := range list {
			if v, err := pl.args.constant(o); err == nil {
				if s, ok := v.(string); ok {
					ids = append(ids, s)
				}
			}
		}
		if len(ids) == len(list) {
			slices.Sort(ids)
			return slices.Compact(ids), true
		}
	}
	return nil, false
}
