package query

// The WHERE of SELECT and DELETE. It finds documents by similarity(), by the
// ids that it names, or by reading all of them.

import (
	"slices"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/syntax"
)

// selection reads the WHERE of SELECT and DELETE, which mean the same in both.
func (pl *planner) selection(p *plan, where syntax.Expr) error {
	sim, err := findSimilarity(where)
	if err != nil {
		return err
	}
	pl.scope = scope{names: documentRefs, missing: map[string]string{}}
	for _, name := range []string{"sim", "shared", "union", "dist"} {
		pl.scope.missing[name] = name + " needs similarity(target) >= x in the WHERE"
	}
	if sim == nil {
		if err := checkWithin(where, measure.Jaccard); err != nil {
			return err
		}
		if p.keep, err = pl.predicate(where); err != nil {
			return err
		}
		p.lists = &pl.lists
		var scan scanSource
		scan.ids, scan.named = pl.namesOf("id", where)
		scan.must = pl.fields(where, 0)
		p.source = scan
		return nil
	}
	pl.call = sim
	setMethod(p, sim.Using)
	if err := pl.checkIndex(sim.Using, p.search.In); err != nil {
		return err
	}
	if sim.Hash {
		p.search.Measure = measure.SimHash
	}
	t, err := pl.probe(sim, p.search)
	if err != nil {
		return err
	}
	p.source = similarSource{t}
	pl.scope = scope{names: mergeRefs(documentRefs, scoreRefs(p.search.Measure, false)), missing: missingScores(p.search.Measure)}
	if err := checkWithin(where, p.search.Measure); err != nil {
		return err
	}
	b, err := pl.bounds(p, where)
	if err != nil {
		return err
	}
	if !b.given {
		return errorAt(sim.Pos, "a lower bound: AND similarity(…) >= x", "", "what is not similar at all cannot be found by similarity")
	}
	return pl.apply(p, b)
}

// findSimilarity returns the call of similarity(), or nil if there is none. Two
// calls must be the same, because a row has one sim.
func findSimilarity(where syntax.Expr) (found *syntax.Similarity, err error) {
	var first string
	for _, operands := range syntax.Tests(where) {
		for _, x := range operands {
			s, ok := x.(*syntax.Similarity)
			switch {
			case !ok:
			case found == nil:
				found, first = s, s.String()
			case first != s.String():
				return found, errorAt(s.Pos, "one similarity() in a statement", syntax.Quote(s.String()), "")
			}
		}
	}
	return found, nil
}

// withSimilarity is the WHERE of a SELECT. If it has no similarity(), and a field is one, all
// documents are asked for that have anything in common with its target.
func (pl *planner) withSimilarity(p *plan, s *syntax.Select) (syntax.Expr, error) {
	if found, err := findSimilarity(s.Where); found != nil || err != nil || s.Returning == nil {
		return s.Where, err
	}
	for _, item := range s.Returning.List {
		if item.Call == nil {
			continue
		}
		p.notes = append(p.notes, item.Call.String()+" without a bound: documents that have nothing in common with the target are left out")
		at := item.Pos
		bound := syntax.Expr(&syntax.Comparison{Pos: at, Op: ">=", Left: item.Call, Right: &syntax.Literal{Pos: at, Kind: syntax.Number, Text: "0"}})
		if s.Where != nil {
			bound = &syntax.And{Pos: at, Args: []syntax.Expr{s.Where, bound}}
		}
		return bound, nil
	}
	return s.Where, nil
}

// namesOf returns the ids that a WHERE names. It names them if one of the tests
// that it joins by AND is field = 'x' or field IN ('x', …).
func (pl *planner) namesOf(field string, where syntax.Expr) ([]string, bool) {
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
