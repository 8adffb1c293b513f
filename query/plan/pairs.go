package plan

// SIMILAR PAIRS, CLUSTERS and DUPLICATES: searches without a target.

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// oneWay is the note on pairs by an asymmetric measure.
const oneWay = "the measure is not symmetric, and only a is the query, whose id is less: DIRECTED, SIMILAR PAIRS NEAREST and SIMILAR TO ask both ways"

// pairsPlan plans SIMILAR PAIRS.
func (pl *Planner) pairsPlan(s *syntax.Pairs) *Plan {
	// From here on a. and b. are sides of a row.
	pl.pairs = true
	p := pl.begin(s, &s.Search)
	p.source = source{start: pairsSource{pl.one}.start, natural: pairsOrder, counts: pairsSource{pl.one}.count}
	if len(s.Against) > 0 {
		pl.against(p, s)
	}
	pl.scope = scope{names: pairColumns.with(scoreColumns(p.Search, true)), doc: documentColumns, missing: missingScores(p.Search)}
	pl.where(p, s.Where, nil)
	p.Search.Directed = s.Directed
	if p.Cut.Nearest > 0 || p.Cut.ByScore() {
		pl.pairsNearest(p, s)
	} else if len(s.Against) == 0 && !s.Directed && !p.Search.Method().Symmetric() {
		// Each pair appears once, so an asymmetric measure shows one of its two values.
		p.notes = append(p.notes, oneWay)
	}
	columns := slices.Concat([]string{"a", "b"}, ScoreColumns(p.Search, true))
	if len(pl.searched(p)) > 1 {
		// Ids are unique only within a collection.
		columns = append(columns, "a_collection", "b_collection")
	}
	return pl.finish(p, &s.Search, columns)
}

// against reads AGAINST. Its collections must differ from the collections of IN.
func (pl *Planner) against(p *Plan, s *syntax.Pairs) {
	p.Search.Against = pl.Collections(s.Against, s.Pos)
	for _, n := range s.Against {
		if slices.Contains(p.Search.In, n.Text) {
			pl.fail(ErrorAt(n.Pos, "a collection that is not searched already", syntax.Quote(n.Text),
				"without AGAINST the pairs within a collection are found"))
		}
	}
	pl.fail(pl.checkIndex(s.Using, pl.searched(p)))
}

// pairsNearest passes the WHERE of SIMILAR PAIRS NEAREST to the engine, because the engine
// must count only the rows that pass it.
func (pl *Planner) pairsNearest(p *Plan, s *syntax.Pairs) {
	p.Search.Nearest, p.Search.Mutual = p.Cut.Nearest, s.Mutual
	p.Search.Ties, p.Search.OfBest, p.Cut = p.Cut.Ties, p.Cut.Best, measure.Cut{} // per a, not over all rows
	if p.keep != nil {
		// The rows that NEAREST counts are the rows that pass, so a test afterwards would
		// return too few.
		p.Search.Accept = (&Filter{pl.ctx, pl.all, p.keep}).accepts
		p.keep = nil
	}
}

// pairsSource is the source of SIMILAR PAIRS.
type pairsSource struct{ one Store }

// start joins the collections; the pairs come by pairsOrder.
func (s pairsSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Pairs(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.PairMatch) *Record { return pairRecord(s.one, m) }), res.Plan, nil
}

// pairsOrder is the order in which the engine returns pairs.
var pairsOrder = []Key{{Ref: Ref{col: &colSim}, Desc: true}, {Ref: Ref{col: &colID}}, {Ref: Ref{col: &colID, side: 1}}}

// clusters plans CLUSTERS.
func (pl *Planner) clusters(s *syntax.Clusters) *Plan {
	p := pl.begin(s, &s.Search)
	p.source = source{start: clustersSource{pl.one}.start, natural: []Key{{Ref: Ref{col: &colMembers}, Desc: true}, {Ref: Ref{col: &colCluster}}, {Ref: Ref{col: &colID}}}, pairs: pairsSource{pl.one}.start}
	pl.members(p, s.Where)
	pl.scope = scope{names: clusterColumns, missing: map[string]string{"sim": "a row of CLUSTERS has no sim of its own",
		"dist": "a row of CLUSTERS has no dist of its own"}}
	p.keep = pl.predicate(s.Having)
	columns := []string{"cluster", "id", "size"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	return pl.finish(p, &s.Search, columns)
}

// memberScope is the scope of the WHERE of CLUSTERS, except for the similarity.
var memberScope = func() scope {
	s := scope{names: documentColumns, missing: map[string]string{}}
	for _, c := range derivedScores {
		s.missing[c.Name] = clustersHint
	}
	return s
}()

// clustersHint explains why a similarity has no upper bound in CLUSTERS.
const clustersHint = "CLUSTERS joins what is at or above one similarity; for single rows there is HAVING"

// members reads the WHERE of CLUSTERS: one threshold, and a test of documents before
// clustering.
func (pl *Planner) members(p *Plan, where syntax.Expr) {
	pl.scope = scope{names: scoreColumns(p.Search, true), missing: missingScores(p.Search)}
	var rest syntax.Expr
	pl.where(p, where, func(list []syntax.Expr) {
		for _, e := range list {
			// Clusters join all pairs from one threshold on; another condition on sim has
			// no meaning.
			if pl.bounds(p, e).mentioned {
				pl.fail(ErrorAt(e.Place(), "sim >= and a number as the only test of sim", "", clustersHint))
			}
		}
		rest = joined(list)
	})
	if rest == nil {
		return
	}
	pl.scope = memberScope
	keep := pl.predicate(rest)
	// The index narrows the documents, and Keep tests each of them exactly.
	p.Search.Where, p.lists = pl.fields(rest, 0), &pl.lists
	p.Search.Keep = (&Filter{pl.ctx, pl.all, keep}).keeps
}

// clustersSource is the source of CLUSTERS.
type clustersSource struct{ one Store }

// start returns the members of clusters, the largest cluster first.
func (s clustersSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Clusters(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.ClusterMember) *Record {
		return &Record{snap: s.one, docs: [2]docRef{{collection: m.Collection, id: m.ID}},
			own: &member{name: m.Cluster, members: int64(m.Size)}}
	}), res.Plan, nil
}

// duplicates plans SELECT DUPLICATES and DELETE DUPLICATES.
func (pl *Planner) duplicates(s *syntax.Duplicates) *Plan {
	p := pl.begin(s, &s.Search)
	p.source = source{start: duplicatesSource{pl.one, api.Keep(s.Keep)}.start, natural: []Key{{Ref: Ref{col: &colGroup}}}}
	const hint = "documents are duplicates at or above one similarity; to look at some of them only, give these a collection"
	pl.scope = scope{names: scoreColumns(p.Search, true), missing: missingScores(p.Search)}
	pl.where(p, s.Where, func(list []syntax.Expr) {
		if len(list) > 0 {
			// A test of documents would change the keepers, so it is not allowed here.
			pl.fail(ErrorAt(list[0].Place(), "sim >= and a number alone in this WHERE", "", hint))
		}
	})
	pl.scope = scope{names: duplicateColumns.with(scoreColumns(p.Search, true)), missing: missingScores(p.Search),
		closed: "a row of DUPLICATES has no metadata"}
	columns := slices.Concat([]string{"cluster", "id", "keep", "like"}, ScoreColumns(p.Search, true))
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection", "like_collection")
	}
	pl.finish(p, &s.Search, columns)
	p.Search.Limit = 0 // LIMIT applies to the rows; the choice of keepers depends on all of them
	return p
}

// duplicatesSource is the source of SELECT DUPLICATES.
type duplicatesSource struct {
	one  Store
	keep api.Keep
}

// start returns the duplicates in groups, each with its keeper.
func (s duplicatesSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Dedupe(ctx, q, s.keep)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(d engine.DatedDuplicate) *Record {
		num, den := d.Ratio()
		return &Record{snap: s.one, sim: value.Fraction{Num: num, Den: den}, docs: [2]docRef{{collection: d.Collection, id: d.ID}, {collection: d.LikeCollection, id: d.Like}},
			simFloat: d.Sim, shared: d.Shared, union: d.Union, ignored: d.Ignored, dist: int64(d.Dist),
			own: &member{number: int64(d.Cluster), keep: d.Keep}}
	}), res.Plan, nil
}
