package plan

// si_view: the relation of all similar pairs from paper 002.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// viewMinSim is the least similarity in si_view unless the WHERE sets another, as in
// paper 002.
const viewMinSim = "0.7"

// viewFields is the hint for any other field of si_view.
const viewFields = "si_view has id, si, similar_id, similar_si, distance and similarity; SIMILAR PAIRS USING simhash reaches all fields"

// viewPlan plans SELECT from si_view: every pair of similar fingerprints, in both
// directions. The relation is neither stored nor held in memory.
func (pl *Planner) viewPlan(s *syntax.View) *Plan {
	p := &Plan{stmt: s}
	p.Search.In, p.Search.Measure = pl.Collections(s.In, s.Pos), api.SimHash
	pl.scope = scope{names: viewColumns, closed: viewFields}
	if x := pl.similarity(s.Where); x != nil {
		pl.fail(ErrorAt(x.Pos, "a field", `"similarity("`, "in si_view the similarity is the field similarity"))
	}
	pl.checkWithin(s.Where, api.SimHash)
	b := boundFinder{Planner: pl, hash: true, view: true}.find(s.Where)
	// Without a bound every pair of documents would be a row.
	if !b.given {
		b.min, _ = syntax.ParseNumber(viewMinSim)
		p.notes = append(p.notes, "no lower bound given: similarity >= "+viewMinSim)
	}
	pl.apply(p, b)
	src := viewSource{store: pl.one}
	if src.ids, src.named = pl.namesOf("id", s.Where); !src.named {
		src.ids, src.named = pl.namesOf("similar_id", s.Where)
		src.mirrored = src.named
	}
	// Lookups return rows per document, so only the join can count pairs.
	if p.source.start = src.start; !src.named {
		p.source.counts = src.count
	}
	// A single search or join yields rows by similarity. Pairs of equal similarity come in
	// the order of their smaller id, both directions together.
	if !src.named || len(src.ids) == 1 && len(p.Search.In) == 1 {
		p.source.natural = []Key{{Ref: Ref{col: &colSim}, Desc: true}}
	}
	columns := []string{"id", "si", "similar_id", "similar_si", "distance", "similarity"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection", "similar_collection")
	}
	return pl.finish(p, &s.Search, columns)
}

// viewSource is the source of si_view. It yields (b, a) right after (a, b), so that it
// holds only one pair in memory. If the WHERE names the ids of a side, it looks up each
// instead of joining all documents.
type viewSource struct {
	store    Store
	ids      []string // sorted
	named    bool     // only pairs with these ids
	mirrored bool     // the ids belong to similar_id
}

// start looks up the named ids, or else joins the collections and mirrors each pair.
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

// lookUp searches once per document with one of the ids. The searches share one plan, which
// sums their counts. Each search also finds its own document, which lookUp skips.
func (s viewSource) lookUp(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	probes, err := s.probes(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	plan, err := s.first(ctx, probes, q)
	if err != nil {
		return nil, nil, err
	}
	if q.PlanOnly {
		return nil, plan, nil
	}
	// The document itself takes one of the rows.
	if q.Limit > 0 {
		q.Limit++
	}
	return func(yield func(*Record, error) bool) {
		for _, probe := range probes {
			in, one, err := similarSource{s.store, probe.target()}.start(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for found, err := range in {
				if err != nil {
					yield(nil, err)
					return
				}
				if found.docs[0].id == probe.id && found.docs[0].collection == probe.collection {
					continue
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
			if info.Shingles > 0 { // it has a fingerprint
				out = append(out, docRef{collection: c, id: id, info: &info})
			}
		}
	}
	return out, nil
}

// target returns the fingerprint of the document as a probe; info must be set.
func (d docRef) target() api.Target { return api.ByFingerprint(api.Fingerprint(d.info.SimHash)) }

// first plans the first of the searches, as a representative of all.
func (s viewSource) first(ctx context.Context, probes []docRef, q engine.Search) (*api.Plan, error) {
	if len(probes) == 0 {
		return &api.Plan{Measure: q.Measure.String(), MinSim: q.Min.String(), Access: "id", Exact: true,
			Why: "no document has the ids that the WHERE names", Filters: []api.FilterStat{}}, nil
	}
	plan, err := s.store.Explain(ctx, probes[0].target(), q)
	if err == nil {
		plan.Why = "the WHERE names the ids: " + plan.Why
	}
	return plan, err
}

// AddCounts adds the counts of a search to a plan, except the number of rows, which is counted as
// the rows are read.
func AddCounts(to, from *api.Plan) {
	for _, f := range from.Filters {
		to.Filter(f.Name, f.Safe, f.In, f.Out)
	}
	to.Candidates += from.Candidates
	to.Verified += from.Verified
	to.Micros += from.Micros
}
