package plan

// SIMILAR TO and SELECT: documents found by similarity, by ids in a WHERE, or by reading
// all of them.

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// similar plans SIMILAR TO.
func (pl *Planner) similar(s *syntax.Similar) *Plan {
	p := pl.begin(s, &s.Search)
	pl.setTarget(p, pl.target(s.Target, p.Search.In))
	pl.checkFingerprint(s.Target, p.Search.Measure)
	pl.scope = pl.similarScope(p.Search)
	pl.where(p, s.Where, nil)
	columns := slices.Concat([]string{"id"}, ScoreColumns(p.Search, false))
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	// Ids are unique only within a store.
	if pl.all.Stores() != nil {
		columns = append(columns, "store")
	}
	return pl.finish(p, &s.Search, columns)
}

// similarScope returns the scope of SIMILAR TO.
func (pl *Planner) similarScope(q engine.Search) scope {
	names := documentColumns.with(scoreColumns(q, false))
	if pl.all.Stores() != nil {
		names["store"] = Ref{col: &colStore}
	}
	return scope{names: names, missing: missingScores(q)}
}

// selects plans SELECT.
func (pl *Planner) selects(s *syntax.Select) *Plan {
	p := pl.begin(s, &s.Search)
	pl.selection(p, pl.withSimilarity(p, s))
	return pl.finish(p, &s.Search, []string{"id", "size", "shingles"})
}

// withSimilarity returns the WHERE of a SELECT. If similarity() occurs only in a field, it
// adds similarity(…) >= 0, which keeps the documents that share anything with the target.
func (pl *Planner) withSimilarity(p *Plan, s *syntax.Select) syntax.Expr {
	if pl.similarity(s.Where) != nil || s.Returning == nil {
		return s.Where
	}
	i := slices.IndexFunc(s.Returning.List, func(f *syntax.Field) bool { return f.Call != nil })
	if i < 0 {
		return s.Where
	}
	call, at := s.Returning.List[i].Call, s.Returning.List[i].Pos
	// The note is necessary: the rows are fewer than those of a SELECT without
	// similarity().
	p.notes = append(p.notes, call.String()+" without a bound: documents that have nothing in common with the target are left out")
	bound := syntax.Expr(&syntax.Comparison{Pos: at, Op: ">=", Left: call, Right: &syntax.Literal{Pos: at, Kind: syntax.Number, Text: "0"}})
	if s.Where != nil {
		bound = &syntax.And{Pos: at, Args: []syntax.Expr{s.Where, bound}}
	}
	return bound
}

// selection reads the WHERE of SELECT, DELETE and UPDATE, which has one meaning in all
// three.
func (pl *Planner) selection(p *Plan, where syntax.Expr) {
	sim := pl.similarity(where)
	pl.scope = scope{names: documentColumns, missing: map[string]string{}}
	for _, c := range derivedScores {
		pl.scope.missing[c.Name] = c.Name + " needs similarity(target) >= x in the WHERE; write a metadata field of this name in double quotes"
	}
	if sim != nil {
		pl.selectSimilar(p, where, sim)
		return
	}
	// Without similarity() no measure compares similarity indexes, so WITHIN fails here.
	pl.checkWithin(where, api.Jaccard)
	pl.setKeep(p, where)
	// The predicate stays a full test; ids and indexes only reduce the documents it reads.
	ids, named := pl.namesOf("id", where)
	p.source.start = scanSource{pl.one, ids, named, pl.fields(where, 0)}.start
}

// selectSimilar reads a WHERE that finds documents by similarity().
func (pl *Planner) selectSimilar(p *Plan, where syntax.Expr, sim *syntax.Similarity) {
	// A later similarity() in a field must repeat this call.
	pl.call = sim
	pl.setMethod(p, sim.Using, p.Search.In)
	if sim.Hash {
		p.Search.Measure = api.SimHash
	}
	pl.setTarget(p, pl.probe(sim, p.Search))
	pl.scope = scope{names: documentColumns.with(scoreColumns(p.Search, false)), missing: missingScores(p.Search)}
	pl.checkWithin(where, p.Search.Measure)
	b := pl.bounds(p, where)
	// An index finds only similar documents, so without a bound the answer would be
	// incomplete.
	if !b.given {
		pl.fail(ErrorAt(sim.Pos, "a lower bound: AND similarity(…) >= x", "", "similarity cannot find documents that are not similar at all"))
	}
	pl.apply(p, b)
}

// setTarget makes p a search for one target.
func (pl *Planner) setTarget(p *Plan, t api.Target) {
	p.source = source{start: similarSource{pl.all, t}.start, natural: []Key{{Ref: Ref{col: &colSim}, Desc: true}, {Ref: Ref{col: &colID}}}}
	p.target = &t
}

// similarSource is the source of SIMILAR TO, and of SELECT with similarity().
type similarSource struct {
	all    Reader
	target api.Target
}

// start searches one store or several, or only plans the search.
func (s similarSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	if q.PlanOnly {
		plan, err := s.all.Explain(ctx, s.target, q)
		return nil, plan, err
	}
	found, plan, err := s.all.Find(ctx, s.target, q)
	if err != nil {
		return nil, nil, err
	}
	return records(found, foundRecord), plan, nil
}
