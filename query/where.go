package query

// What the WHERE of a search means: the threshold for the engine, or the one
// that is assumed, and the test for the rest.

import (
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/syntax"
)

// defaultMinSim returns the threshold of a search that names none. For versions
// it is the least score of two versions, and for entities paper 004 takes 0.5.
func defaultMinSim(m measure.Measure) string {
	switch m {
	case measure.Versions:
		return measure.DefaultVersions().Theta.String()
	case measure.Entities:
		return "0.5"
	}
	return "0.8"
}

// defaultWithin is how far similarity indexes may be apart in a search that
// names no threshold. Paper 000 takes this interval, without its ends.
const defaultWithin = "30%"

// where splits a WHERE into the threshold and the rest. If other is not nil, it takes the
// rest, which is no test of rows then.
func (pl *planner) where(p *plan, where syntax.Expr, other func([]syntax.Expr) error) error {
	if err := pl.noSimilarity(where, p.search.Measure); err != nil {
		return err
	}
	b, err := pl.bounds(p, where)
	if err != nil {
		return err
	}
	switch {
	case p.nearest > 0:
		b.raise(aboveZero(p.search.Measure == measure.SimHash))
	case !b.mentioned:
		pl.assume(p, &b, other == nil)
	}
	if other != nil {
		if err := other(b.rest); err != nil {
			return err
		}
		b.rest = nil
	}
	return pl.apply(p, b)
}

// bounds reads what a WHERE says of the similarity.
func (pl *planner) bounds(p *plan, where syntax.Expr) (bounds, error) {
	return boundFinder{constant: pl.args.constant, hash: p.search.Measure == measure.SimHash}.find(where)
}

// assume takes the default threshold of the measure. That of si is an interval
// without its end, so the end is tested as a rest. If no rest is allowed, the
// end belongs to the interval.
func (pl *planner) assume(p *plan, b *bounds, rest bool) {
	assumed := "sim >= " + defaultMinSim(p.search.Measure)
	b.min, _ = syntax.ParseNumber(defaultMinSim(p.search.Measure))
	if p.search.Measure == measure.SI {
		by, _ := syntax.ParseNumber(defaultWithin)
		b.min, assumed = oneMinus(by), "sim >= 70%"
		if rest {
			at := p.stmt.Place()
			si := &syntax.Field{Pos: at, Path: []syntax.Step{{Name: "si"}}}
			b.rest = append(b.rest, &syntax.Within{Pos: at, X: si, By: &syntax.Literal{Pos: at, Kind: syntax.Number, Text: defaultWithin}})
			assumed = "si WITHIN " + defaultWithin
		}
	}
	p.notes, p.assumed = append(p.notes, "no threshold given: "+assumed), true
}

// apply gives the threshold to the search, and compiles the rest.
func (pl *planner) apply(p *plan, b bounds) (err error) {
	p.search.Min, _ = threshold(b.min)
	rest := joined(b.rest)
	if rest == nil {
		return nil
	}
	p.search.Where, p.search.WhereB = pl.fields(rest, 0), pl.fields(rest, 1)
	p.keep, err = pl.predicate(rest)
	p.lists = &pl.lists
	return err
}

// joined is a list of predicates as one, nil if there is none.
func joined(list []syntax.Expr) syntax.Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &syntax.And{Pos: list[0].Place(), Args: list}
}

func (pl *planner) predicate(e syntax.Expr) (test, error) {
	if e == nil {
		return nil, nil
	}
	return pl.compiler().compile(e)
}

func (pl *planner) compiler() compiler {
	return compiler{pl.ctx, pl.field, pl.args.constant, pl.lists.saw}
}

// noSimilarity refuses what a predicate cannot have where the search is given otherwise.
func (pl *planner) noSimilarity(where syntax.Expr, m measure.Measure) error {
	s, err := findSimilarity(where)
	if err == nil && s != nil {
		err = errorAt(s.Pos, "a field", `"similarity("`, "here the similarity is the field sim")
	}
	if err != nil {
		return err
	}
	return checkWithin(where, m)
}

// checkWithin refuses WITHIN if the measure does not compare similarity
// indexes.
func checkWithin(where syntax.Expr, m measure.Measure) error {
	w := firstWithin(where)
	if w == nil || m == measure.SI {
		return nil
	}
	return errorAt(w.Pos, "a comparison", `"si WITHIN"`, "WITHIN needs a search USING si")
}

// firstWithin returns the first WITHIN of a predicate, nil if there is none.
func firstWithin(where syntax.Expr) *syntax.Within {
	for e := range syntax.Tests(where) {
		if w, ok := e.(*syntax.Within); ok {
			return w
		}
	}
	return nil
}

// conjuncts returns the predicates that e joins by AND.
func conjuncts(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *syntax.And:
		return e.Args
	default:
		return []syntax.Expr{e}
	}
}
