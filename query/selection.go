package query

// The WHERE of SELECT and DELETE. It finds documents by similarity(), by the
// ids that it names, or by reading all of them.

import (
	"slices"

	"github.com/simdb/simdb/api"
)

// selection reads the WHERE of SELECT and DELETE, which mean the same in both.
func (pl *planner) selection(p *plan, where Expr) error {
	sim, err := findSimilarity(where)
	if err != nil {
		return err
	}
	pl.scope = scope{names: documentRefs, missing: map[string]string{}}
	for _, name := range []string{"sim", "shared", "union", "dist"} {
		pl.scope.missing[name] = name + " needs similarity(target) >= x in the WHERE"
	}
	if sim == nil {
		if err := checkWithin(where, api.Jaccard); err != nil {
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
		p.search.Measure = api.SimHash
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
func findSimilarity(where Expr) (found *Similarity, err error) {
	var first string
	eachOperand(where, func(x Operand) {
		s, ok := x.(*Similarity)
		switch {
		case !ok || err != nil:
		case found == nil:
			found, first = s, operandString(s)
		case first != operandString(s):
			err = errorAt(s.Pos, "one similarity() in a statement", quote(operandString(s)), "")
		}
	})
	return found, err
}

// withSimilarity is the WHERE of a SELECT. If it has no similarity(), and a field is one, all
// documents are asked for that have anything in common with its target.
func (pl *planner) withSimilarity(p *plan, s *Select) (Expr, error) {
	if found, err := findSimilarity(s.Where); found != nil || err != nil || s.Returning == nil {
		return s.Where, err
	}
	for _, item := range s.Returning.List {
		if item.Call == nil {
			continue
		}
		p.notes = append(p.notes, operandString(item.Call)+" without a bound: documents that have nothing in common with the target are left out")
		at := item.Pos
		bound := Expr(&Comparison{at, ">=", item.Call, &Literal{at, Number, "0"}})
		if s.Where != nil {
			bound = &And{at, []Expr{s.Where, bound}}
		}
		return bound, nil
	}
	return s.Where, nil
}

// namesOf returns the ids that a WHERE names. It names them if one of the tests
// that it joins by AND is field = 'x' or field IN ('x', …).
func (pl *planner) namesOf(field string, where Expr) ([]string, bool) {
	for _, e := range conjuncts(where) {
		var x Operand
		var list []Operand
		switch e := e.(type) {
		case *Comparison:
			if e.Op != "=" {
				continue
			}
			x, list = e.Left, []Operand{e.Right}
		case *In:
			if e.Not {
				continue
			}
			x, list = e.X, e.List
		}
		if f, ok := x.(*Field); !ok || !f.isBare(field) {
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
