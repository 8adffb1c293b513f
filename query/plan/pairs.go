package plan

// SIMILAR PAIRS, CLUSTERS and DUPLICATES: searches for what is similar to each other.

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// oneWay is the note of pairs by a measure that the sides matter to.
const oneWay = "the measure is not symmetric, and only a is the query, whose id is less: SIMILAR PAIRS NEAREST and SIMILAR TO ask both ways"

func (pl *Planner) pairsPlan(s *syntax.Pairs) (*Plan, error) {
	p := &Plan{stmt: s, source: pairsSource{pl.one}}
	pl.pairs = true
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if len(s.Against) > 0 {
		var err error
		if p.Search.Against, err = pl.Collections(s.Against, s.Pos); err != nil {
			return nil, err
		}
		for _, n := range s.Against {
			if slices.Contains(p.Search.In, n.Text) {
				return nil, ErrorAt(n.Pos, "a collection that is not searched already", syntax.Quote(n.Text),
					"without AGAINST the pairs within a collection are found")
			}
		}
		if err := pl.checkIndex(s.Using, pl.searched(p)); err != nil {
			return nil, err
		}
	}
	pl.scope = scope{names: scoreRefs(p.Search.Measure, true), doc: documentRefs, missing: missingScores(p.Search.Measure)}
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	if p.nearest > 0 {
		pl.pairsNearest(p, s)
	} else if len(s.Against) == 0 && !p.Search.Method().Symmetric() {
		p.notes = append(p.notes, oneWay)
	}
	columns := slices.Concat([]string{"a", "b"}, ScoreColumns(p.Search.Measure, true))
	if len(pl.searched(p)) > 1 {
		columns = append(columns, "a_collection", "b_collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// pairsNearest makes the WHERE of SIMILAR PAIRS NEAREST one of the engine, which counts the
// rows of each document that it keeps.
func (pl *Planner) pairsNearest(p *Plan, s *syntax.Pairs) {
	p.Search.Nearest, p.Search.Mutual = p.nearest, s.Mutual
	if p.keep != nil {
		p.Search.Accept = (&Filter{pl.ctx, pl.all, p.keep}).accepts
		p.keep = nil
	}
}

// pairsSource is SIMILAR PAIRS.
type pairsSource struct{ one Store }

func (s pairsSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Pairs(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.PairMatch) *Record { return pairRecord(s.one, m) }), res.Plan, nil
}

func (s pairsSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	return s.one.ExplainPairs(ctx, q)
}

func (pairsSource) natural() []Key {
	return []Key{{Ref: Ref{kind: refSim}, Desc: true}, {Ref: Ref{kind: refID}}, {Ref: Ref{kind: refID, side: 1}}}
}

func (pl *Planner) clusters(s *syntax.Clusters) (*Plan, error) {
	p := &Plan{stmt: s, source: clustersSource{pairsSource{pl.one}}}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if err := pl.members(p, s.Where); err != nil {
		return nil, err
	}
	pl.scope = scope{names: clusterRefs, missing: map[string]string{"sim": "a row of CLUSTERS has no sim of its own",
		"dist": "a row of CLUSTERS has no dist of its own"}}
	var err error
	if s.Having != nil {
		if p.keep, err = pl.compiler().compile(s.Having); err != nil {
			return nil, err
		}
	}
	columns := []string{"cluster", "id", "size"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// memberScope is that of the WHERE of CLUSTERS, apart from the similarity.
var memberScope = scope{names: documentRefs, missing: map[string]string{
	"sim": clustersHint, "shared": clustersHint, "union": clustersHint, "dist": clustersHint}}

const clustersHint = "CLUSTERS joins what is at or above one similarity; for single rows there is HAVING"

// members reads the WHERE of CLUSTERS: one threshold, and a test of the documents that are
// put into groups.
func (pl *Planner) members(p *Plan, where syntax.Expr) error {
	pl.scope = scope{names: scoreRefs(p.Search.Measure, true), missing: missingScores(p.Search.Measure)}
	var rest []syntax.Expr
	if err := pl.where(p, where, func(list []syntax.Expr) error {
		for _, e := range list {
			if b, err := pl.bounds(p, e); err != nil || b.mentioned {
				return cmp.Or(err, error(ErrorAt(e.Place(), "sim >= and a number as the only test of sim", "", clustersHint)))
			}
		}
		rest = list
		return nil
	}); err != nil || rest == nil {
		return err
	}
	pl.scope = memberScope
	keep, err := pl.predicate(joined(rest))
	if err != nil {
		return err
	}
	p.Search.Where, p.lists = pl.fields(joined(rest), 0), &pl.lists
	p.Search.Keep = (&Filter{pl.ctx, pl.all, keep}).keeps
	return nil
}

// clustersSource is CLUSTERS.
type clustersSource struct{ pairsSource }

func (s clustersSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Clusters(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.ClusterMember) *Record {
		return &Record{snap: s.one, docs: [2]docRef{{collection: m.Collection, id: m.ID}},
			cluster: m.Cluster, members: int64(m.Size)}
	}), res.Plan, nil
}

func (s clustersSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	return s.one.ExplainClusters(ctx, q)
}

func (clustersSource) natural() []Key {
	return []Key{{Ref: Ref{kind: refMembers}, Desc: true}, {Ref: Ref{kind: refCluster}}, {Ref: Ref{kind: refID}}}
}

// duplicates plans a search for duplicates.
func (pl *Planner) duplicates(s *syntax.Duplicates) (*Plan, error) {
	p := &Plan{stmt: s, source: duplicatesSource{pl.one, api.Keep(s.Keep)}}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	const hint = "documents are duplicates at or above one similarity; to look at some of them only, give these a collection"
	pl.scope = scope{names: scoreRefs(p.Search.Measure, true), missing: missingScores(p.Search.Measure)}
	if err := pl.where(p, s.Where, func(list []syntax.Expr) error {
		if len(list) == 0 {
			return nil
		}
		return ErrorAt(list[0].Place(), "sim >= and a number alone in this WHERE", "", hint)
	}); err != nil {
		return nil, err
	}
	pl.scope = scope{names: mergeRefs(duplicateRefs, scoreRefs(p.Search.Measure, true)), missing: missingScores(p.Search.Measure),
		closed: "a row of DUPLICATES has no metadata"}
	columns := slices.Concat([]string{"cluster", "id", "keep", "like"}, ScoreColumns(p.Search.Measure, true))
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection", "like_collection")
	}
	err := pl.finish(p, &s.Search, columns)
	p.Search.Limit = 0 // the rows are cut; what stays depends on all of them
	return p, err
}

// duplicatesSource is SELECT DUPLICATES.
type duplicatesSource struct {
	one  Store
	keep api.Keep
}

func (s duplicatesSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Dedupe(ctx, q, s.keep)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(d engine.DatedDuplicate) *Record {
		num, den := d.Ratio()
		return &Record{snap: s.one, sim: value.Fraction{Num: num, Den: den}, docs: [2]docRef{{collection: d.Collection, id: d.ID}, {collection: d.LikeCollection, id: d.Like}},
			simFloat: d.Sim, shared: d.Shared, union: d.Union, dist: int64(d.Dist),
			set: int64(d.Cluster), keep: d.Keep}
	}), res.Plan, nil
}

func (s duplicatesSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	return s.one.ExplainDedupe(ctx, q, s.keep)
}

func (duplicatesSource) natural() []Key { return []Key{{Ref: Ref{kind: refGroup}}} }
