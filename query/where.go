package query

import "github.com/simdb/simdb/api"

// What the WHERE of a search means: the threshold for the engine, or the one
// that is assumed, and the test for the rest.

import "github.com/simdb/simdb/internal/measure"

// defaultMinSim returns the threshold of a search that names none. For versions
// it is the least score of two versions, and for entities paper 004 takes 0.5.
func defaultMinSim(m api.Measure) string {
	switch m {
	case api.Versions:
		return measure.DefaultVersions().Theta.String()
	case api.Entities:
		return "0.5"
	}
	return "0.8"
}

// defaultWithin is how far similarity indexes may be apart in a search that
// names no threshold. Paper 000 takes this interval, without its ends.
const defaultWithin = "30%"

// where splits a WHERE into the threshold and the rest. If other is not nil, it takes the
// rest, which is no test of rows then.
func (pl *planner) where(p *plan, where Expr, other func([]Expr) error) error {
	if err := pl.noSimilarity(where, p.search.Measure); err != nil {
		return err
	}
	b, err := pl.bounds(p, where)
	if err != nil {
		return err
	}
	switch {
	case p.nearest > 0:
		b.raise(aboveZero(p.search.Measure == api.SimHash))
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
func (pl *planner) bounds(p *plan, where Expr) (bounds, error) {
	return boundFinder{constant: pl.args.constant, hash: p.search.Measure == api.SimHash}.find(where)
}

// assume takes the default threshold of the measure. That of si is an interval
// without its end, so the end is tested as a rest. If no rest is allowed, the
// end belongs to the interval.
func (pl *planner) assume(p *plan, b *bounds, rest bool) {
	assumed := "sim >= " + defaultMinSim(p.search.Measure)
	b.min, _ = parseRational(defaultMinSim(p.search.Measure))
	if p.search.Measure == api.SI {
		by, _ := parseRational(defaultWithin)
		b.min, assumed = oneMinus(by), "sim >= 70%"
		if rest {
			at := p.stmt.Place()
			si := &Field{Pos: at, Path: []Step{{Name: "si"}}}
			b.rest = append(b.rest, &Within{at, si, &Literal{at, Number, defaultWithin}})
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
func joined(list []Expr) Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &And{list[0].Place(), list}
}

func (pl *planner) predicate(e Expr) (test, error) {
	if e == nil {
		return nil, nil
	}
	return pl.compiler().compile(e)
}

func (pl *planner) compiler() compiler {
	return compiler{pl.ctx, pl.field, pl.args.constant, pl.lists.saw}
}

// noSimilarity refuses what a predicate cannot have where the search is given otherwise.
func (pl *planner) noSimilarity(where Expr, m api.Measure) error {
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
func checkWithin(where Expr, m api.Measure) error {
	w := firstWithin(where)
	if w == nil || m == api.SI {
		return nil
	}
	return errorAt(w.Pos, "a comparison", `"si WITHIN"`, "WITHIN needs a search USING si")
}

// firstWithin returns the first WITHIN of a predicate, nil if there is none.
func firstWithin(e Expr) *Within {
	if w, ok := e.(*Within); ok || e == nil {
		return w
	}
	for _, c := range e.children() {
		if w := firstWithin(c); w != nil {
			return w
		}
	}
	return nil
}
