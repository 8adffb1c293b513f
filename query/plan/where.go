package plan

// The WHERE of a search: its threshold, or an assumed one, for the engine, and a test for
// the rest.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
)

// defaultWithin is the allowed difference of similarity indexes in a search without a
// threshold. Paper 000 uses this interval, without its ends.
const defaultWithin = "30%"

// where splits a WHERE into the threshold and the rest. A non-nil other takes the rest,
// which then tests no rows.
func (pl *Planner) where(p *Plan, where syntax.Expr, other func([]syntax.Expr)) {
	pl.noSimilarity(where, p.Search.Measure)
	b := pl.bounds(p, where)
	switch {
	case p.Cut.Nearest > 0:
		// NEAREST itself limits the rows, so no default threshold applies.
		b.raise(aboveZero(p.Search.Measure.OfFingerprints()))
	case !b.mentioned:
		pl.assume(p, &b, other == nil)
	}
	if other != nil {
		other(b.rest)
		b.rest = nil
	}
	pl.apply(p, b)
}

// bounds reads the conditions of a WHERE on the similarity.
func (pl *Planner) bounds(p *Plan, where syntax.Expr) bounds {
	cut := p.target != nil || pl.pairs
	return boundFinder{Planner: pl, hash: p.Search.Measure.OfFingerprints(), cut: cut}.find(where)
}

// assume applies the default threshold of the measure. For si that is an open interval, so
// a test excludes its end; where no rest is allowed, the interval includes its end.
func (pl *Planner) assume(p *Plan, b *bounds, rest bool) {
	least := p.Search.Measure.Least().String()
	assumed := "sim >= " + least
	b.min, _ = syntax.ParseNumber(least)
	if p.Search.Measure.OfIndexes() {
		by, _ := syntax.ParseNumber(defaultWithin)
		b.min, assumed = oneMinus(by), "sim >= 70%"
		// The open end of the interval cannot be a bound, because bounds are inclusive.
		if rest {
			at := p.stmt.Place()
			si := &syntax.Field{Pos: at, Path: []syntax.Step{{Name: "si"}}}
			b.rest = append(b.rest, &syntax.Within{Pos: at, X: si, By: &syntax.Literal{Pos: at, Kind: syntax.Number, Text: defaultWithin}})
			assumed = "si WITHIN " + defaultWithin
		}
	}
	p.notes, p.assumed = append(p.notes, "no threshold given: "+assumed), true
}

// apply passes the threshold to the search, and compiles the rest.
func (pl *Planner) apply(p *Plan, b bounds) {
	p.Search.Min, _ = threshold(b.min)
	p.Cut.Best = b.best
	if rest := joined(b.rest); rest != nil {
		p.Search.Where, p.Search.WhereB = pl.fields(rest, 0), pl.fields(rest, 1)
		pl.setKeep(p, rest)
	}
}

// setKeep makes a predicate the test of the records.
func (pl *Planner) setKeep(p *Plan, where syntax.Expr) {
	tests := []test{}
	for _, e := range conjuncts(where) {
		// Each conjunct records the parts that it reads, for tally.
		pl.read = 0
		t := pl.predicate(e)
		tests = append(tests, t)
		p.tests = append(p.tests, conjunct{t, pl.read})
	}
	p.keep, p.lists = pl.every(tests), &pl.lists
}

// predicate compiles a predicate; nil for none.
func (pl *Planner) predicate(e syntax.Expr) test {
	if e == nil {
		return nil
	}
	return compiler{pl.ctx, pl.fail, pl.field, pl.constant, pl.lists.saw, &pl.patterns}.compile(e)
}

// listNotes collects notes while the rows of a statement are tested.
type listNotes struct{ notes []string }

// saw notes that a test met a list, once for each field and constant.
func (n *listNotes) saw(x, with syntax.Operand, op string) {
	field, constant := x, with
	if _, ok := x.(*syntax.Field); !ok {
		field, constant = with, x
	}
	note := field.String() + " is a list in some documents, which " + op + " does not look into; did you mean " +
		field.String() + " HAS " + constant.String() + "?"
	if !slices.Contains(n.notes, note) {
		n.notes = append(n.notes, note)
	}
}

// noSimilarity rejects similarity() where other clauses define the search, and checks WITHIN.
func (pl *Planner) noSimilarity(where syntax.Expr, m api.Measure) {
	if s := pl.similarity(where); s != nil {
		pl.fail(ErrorAt(s.Pos, "a field", `"similarity("`, "here the similarity is the field sim"))
	}
	pl.checkWithin(where, m)
}

// checkWithin rejects WITHIN unless the measure compares similarity indexes.
func (pl *Planner) checkWithin(where syntax.Expr, m api.Measure) {
	if w := firstWithin(where); w != nil && !m.OfIndexes() {
		pl.fail(ErrorAt(w.Pos, "a comparison", `"si WITHIN"`, "WITHIN needs a search USING si"))
	}
}

// firstWithin returns the first WITHIN of a predicate, or nil.
func firstWithin(where syntax.Expr) *syntax.Within {
	for e := range syntax.Tests(where) {
		if w, ok := e.(*syntax.Within); ok {
			return w
		}
	}
	return nil
}

// similarity returns the call of similarity(), or nil. Two calls must be equal, because a
// row has only one sim.
func (pl *Planner) similarity(where syntax.Expr) (found *syntax.Similarity) {
	for _, operands := range syntax.Tests(where) {
		for _, x := range operands {
			s, ok := x.(*syntax.Similarity)
			if ok && found != nil && s.String() != found.String() {
				pl.fail(ErrorAt(s.Pos, "one similarity() in a statement", syntax.Quote(s.String()), ""))
			} else if ok && found == nil {
				found = s
			}
		}
	}
	return found
}
