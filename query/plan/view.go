package plan

// si_view: the relation of all similar pairs, which paper 002 wished for.

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/syntax"
)

// viewMinSim is the least similarity of a pair in si_view, unless the WHERE gives
// another. It is that of paper 002.
const viewMinSim = "0.7"

const viewFields = "si_view has id, si, similar_id, similar_si, distance and similarity; SIMILAR PAIRS USING simhash reaches all fields"

// viewPlan plans SELECT from si_view: every pair of similar fingerprints, once
// in either direction. The relation is never stored, nor held in memory.
func (pl *Planner) viewPlan(s *syntax.View) (*Plan, error) {
	p := &Plan{stmt: s}
	var err error
	if p.Search.In, err = pl.Collections(s.In, s.Pos); err != nil {
		return nil, err
	}
	p.Search.Measure = api.SimHash
	pl.scope = scope{names: viewRefs, closed: viewFields}
	if x, err := findSimilarity(s.Where); err != nil || x != nil {
		if err == nil {
			err = ErrorAt(x.Pos, "a field", `"similarity("`, "a row of si_view has its similarity in the field of that name")
		}
		return nil, err
	}
	if err := checkWithin(s.Where, api.SimHash); err != nil {
		return nil, err
	}
	b, err := boundFinder{constant: pl.args.constant, hash: true, view: true}.find(s.Where)
	if err != nil {
		return nil, err
	}
	if !b.given {
		b.min, _ = syntax.ParseNumber(viewMinSim)
		p.notes = append(p.notes, "no lower bound given: similarity >= "+viewMinSim)
	}
	if err := pl.apply(p, b); err != nil {
		return nil, err
	}
	src := viewSource{store: pl.one}
	if src.ids, src.named = pl.namesOf("id", s.Where); !src.named {
		src.ids, src.named = pl.namesOf("similar_id", s.Where)
		src.mirrored = src.named
	}
	src.one = len(src.ids) == 1 && len(p.Search.In) == 1
	p.source = src
	columns := []string{"id", "si", "similar_id", "similar_si", "distance", "similarity"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection", "similar_collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// viewSource is si_view. A pair (a, b) is followed by (b, a), so that memory
// holds one pair however many there are. Where the WHERE names the ids of a
// side, these are looked up in turn instead of joining all documents.
type viewSource struct {
	store    Store
	ids      []string // sorted
	named    bool     // only these
	mirrored bool     // they are those of similar_id
	one      bool     // no more than one document is looked up
}

func (s viewSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	if s.named {
		return s.lookUp(ctx, q)
	}
	q.Limit = (q.Limit + 1) / 2 // a pair makes two rows
	in, plan, err := pairsSource{s.store}.start(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*Record, error) bool) {
		for pair, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			turned := *pair
			turned.docs[0], turned.docs[1] = pair.docs[1], pair.docs[0]
			if !yield(pair, nil) || !yield(&turned, nil) {
				return
			}
		}
	}, plan, nil
}

// lookUp searches once for each document that has one of the ids. These searches
// share one plan, which adds up their counts.
func (s viewSource) lookUp(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	probes, err := s.probes(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	plan, err := s.explain(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*Record, error) bool) {
		for _, probe := range probes {
			names, q := q.In, q
			q.In = firstIn(probe.collection, q.In)
			in, one, err := similarSource{s.store, api.ByID(probe.id)}.start(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for found, err := range asNamed(in, names) {
				if err != nil {
					yield(nil, err)
					return
				}
				found.docs = [2]docRef{probe, found.docs[0]}
				if s.mirrored {
					found.docs[0], found.docs[1] = found.docs[1], found.docs[0]
				}
				if !yield(found, nil) {
					return
				}
			}
			AddCounts(plan, one)
		}
	}, plan, nil
}

// asNamed puts equal ids of one similarity in the order in which the statement names their
// collections.
func asNamed(in iter.Seq2[*Record, error], names []string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		var run []*Record // of one id and similarity
		flush := func() bool {
			slices.SortFunc(run, func(a, b *Record) int {
				return slices.Index(names, a.docs[0].collection) - slices.Index(names, b.docs[0].collection)
			})
			for _, r := range run {
				if !yield(r, nil) {
					return false
				}
			}
			run = run[:0]
			return true
		}
		for r, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(run) > 0 && (run[0].docs[0].id != r.docs[0].id || run[0].dist != r.dist) && !flush() {
				return
			}
			run = append(run, r)
		}
		flush()
	}
}

// probes returns the documents that have one of the ids.
func (s viewSource) probes(ctx context.Context, q engine.Search) (out []docRef, err error) {
	for _, id := range s.ids {
		for _, c := range q.In {
			info, err := s.store.Info(c, id)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if errors.Is(err, api.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, docRef{collection: c, id: id, info: &info})
		}
	}
	return out, nil
}

// explain plans the join. Where ids are named it plans the first of the searches,
// which stands for all of them.
func (s viewSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	if !s.named {
		return s.store.ExplainPairs(ctx, q)
	}
	probes, err := s.probes(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(probes) == 0 {
		return &api.Plan{Measure: q.Measure.String(), MinSim: q.Min.String(), Access: "id", Exact: true,
			Why: "no document has the ids that the WHERE names", Filters: []api.FilterStat{}}, nil
	}
	t := api.ByID(probes[0].id)
	q.In = firstIn(probes[0].collection, q.In)
	plan, err := s.store.Explain(ctx, t, q)
	if err != nil {
		return nil, err
	}
	plan.Why = "the WHERE names the ids: " + plan.Why
	return plan, nil
}

// natural is the order by similarity, if one search or one join makes all rows.
// Pairs of equal similarity come in the order of their smaller id, and both
// directions of a pair together.
func (s viewSource) natural() []Key {
	if s.named && !s.one {
		return nil
	}
	return []Key{{Ref: Ref{kind: refSim}, Desc: true}}
}

// firstIn puts a collection before the others: the engine takes the first that has an id.
func firstIn(first string, in []string) []string {
	return slices.Concat([]string{first}, slices.DeleteFunc(slices.Clone(in), func(c string) bool { return c == first }))
}

// AddCounts adds what a search has counted, apart from its rows: these are counted
// when they come out.
func AddCounts(to, from *api.Plan) {
	for _, f := range from.Filters {
		to.Filter(f.Name, f.Safe, f.In, f.Out)
	}
	to.Candidates += from.Candidates
	to.Verified += from.Verified
	to.Micros += from.Micros
}
