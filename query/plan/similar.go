package plan

// SIMILAR TO, and SELECT: documents that are found by similarity, by the ids that a WHERE names,
// or by reading all of them.

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/syntax"
)

func (pl *Planner) similar(s *syntax.Similar) (*Plan, error) {
	p := &Plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, p.Search.In)
	if err != nil {
		return nil, err
	}
	if err := checkFingerprint(s.Target, p.Search.Measure); err != nil {
		return nil, err
	}
	pl.setTarget(p, t)
	pl.scope = pl.similarScope(p.Search.Measure)
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	columns := slices.Concat([]string{"id"}, ScoreColumns(p.Search.Measure, false))
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	if pl.all.Stores() != nil {
		columns = append(columns, "store")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// similarScope says what fields mean in SIMILAR TO.
func (pl *Planner) similarScope(m api.Measure) scope {
	names := mergeRefs(documentRefs, scoreRefs(m, false))
	if pl.all.Stores() != nil {
		names["store"] = refStore
	}
	return scope{names: names, missing: missingScores(m)}
}

func (pl *Planner) selects(s *syntax.Select) (*Plan, error) {
	p := &Plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	where, err := pl.withSimilarity(p, s)
	if err != nil {
		return nil, err
	}
	if err := pl.selection(p, where); err != nil {
		return nil, err
	}
	return p, pl.finish(p, &s.Search, []string{"id", "size", "shingles"})
}

// withSimilarity is the WHERE of a SELECT. If it has no similarity(), and a field is one, all
// documents are asked for that have anything in common with its target.
func (pl *Planner) withSimilarity(p *Plan, s *syntax.Select) (syntax.Expr, error) {
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

// selection reads the WHERE of SELECT and DELETE, which mean the same in both.
func (pl *Planner) selection(p *Plan, where syntax.Expr) error {
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
		ids, named := pl.namesOf("id", where)
		p.source = scanSource{pl.one, ids, named, pl.fields(where, 0)}
		return nil
	}
	pl.call = sim
	setMethod(p, sim.Using)
	if err := pl.checkIndex(sim.Using, p.Search.In); err != nil {
		return err
	}
	if sim.Hash {
		p.Search.Measure = api.SimHash
	}
	t, err := pl.probe(sim, p.Search)
	if err != nil {
		return err
	}
	pl.setTarget(p, t)
	pl.scope = scope{names: mergeRefs(documentRefs, scoreRefs(p.Search.Measure, false)), missing: missingScores(p.Search.Measure)}
	if err := checkWithin(where, p.Search.Measure); err != nil {
		return err
	}
	b, err := pl.bounds(p, where)
	if err != nil {
		return err
	}
	if !b.given {
		return ErrorAt(sim.Pos, "a lower bound: AND similarity(…) >= x", "", "what is not similar at all cannot be found by similarity")
	}
	return pl.apply(p, b)
}

// setTarget makes a plan one of a search for one target.
func (pl *Planner) setTarget(p *Plan, t api.Target) {
	p.source, p.all, p.target = similarSource{pl.all, t}, pl.all, &t
}

// similarSource is SIMILAR TO, and SELECT with similarity().
type similarSource struct {
	all    Reader
	target api.Target
}

func (s similarSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	found, plan, err := s.all.Find(ctx, s.target, q)
	if err != nil {
		return nil, nil, err
	}
	return records(found, foundRecord), plan, nil
}

func (s similarSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	return s.all.Explain(ctx, s.target, q)
}

func (similarSource) natural() []Key {
	return []Key{{Ref: Ref{kind: refSim}, Desc: true}, {Ref: Ref{kind: refID}}}
}
