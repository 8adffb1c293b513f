package search

// SIMILAR TO: the rows similar to a target, best first.

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// found is a hit with its collection.
type found struct {
	Hit
	v   *view.View
	ids []string // of its documents, if known
}

// idsAtOnce is the largest number of hits to resolve to ids while the search still has an
// iterator open. For more hits the ids are read along with the rows.
const idsAtOnce = 16

// Similar finds the documents similar to the target: sim descending, then id ascending. A
// stored target does not match itself. It returns ErrNotFound if no collection has the
// target's id.
func Similar(ctx context.Context, m *view.Snapshot, t api.Target, q Search) (*Result[api.Match], error) {
	results, err := SimilarEach(ctx, m, []api.Target{t}, q)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// SimilarEach is Similar for several targets; results[i] belongs to targets[i]. Flat scans for
// fingerprints share passes over memory, with up to eight targets per pass.
func SimilarEach(ctx context.Context, m *view.Snapshot, targets []api.Target, q Search) (results []*Result[api.Match], err error) {
	start := time.Now()
	if err := q.checkOne(); err != nil {
		return nil, err
	}
	views, resolved, err := resolve(m, q.In, targets...)
	if err != nil {
		return nil, err
	}
	scanned := map[*view.View]map[uint64][]uint32{}
	for _, v := range views {
		if scanned[v], err = scanEach(ctx, m, v, resolved, q); err != nil {
			return nil, err
		}
	}
	for i := range resolved {
		r, err := similarIn(ctx, m, start, views, scanned, &resolved[i], q)
		if err != nil {
			return nil, err
		}
		results, start = append(results, r), time.Now()
	}
	return results, nil
}

// similarIn is Similar for a resolved target, given the results of shared scans.
func similarIn(ctx context.Context, m *view.Snapshot, start time.Time, views []*view.View, scanned map[*view.View]map[uint64][]uint32, t *target, q Search) (*Result[api.Match], error) {
	var plan *api.Plan
	var all []found
	b := NewBest(q.Limit)
	for _, v := range views {
		f := NewFinder(m, v, q, nil)
		f.scanned = scanned[v]
		hits, err := f.similar(ctx, t, b)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all = append(all, hits...)
		if plan == nil {
			plan = f.plan
		} else {
			plan.Add(f.plan)
			plan.FindMicros, plan.VerifyMicros = plan.FindMicros+f.plan.FindMicros, plan.VerifyMicros+f.plan.VerifyMicros
		}
	}
	// matches orders hits of equal score by id.
	slices.SortFunc(all, func(a, b found) int { return b.Score.Compare(a.Score) })
	plan.Took(start)
	return &Result[api.Match]{Plan: plan, All: Limited(matches(ctx, m, all, t, q, plan), q.Limit)}, nil
}

// similar plans and runs the search for a target in one collection. b carries the best
// scores of earlier collections.
func (f *Finder) similar(ctx context.Context, t *target, b *Best) (_ []found, err error) {
	p, err := t.probeBy(ctx, f.reader, f.q.Method())
	if err != nil {
		return nil, err
	}
	var access api.Access
	if access, err = f.planFor(p); err != nil {
		return nil, err
	}
	if err := f.narrow(ctx, access); err != nil {
		return nil, err
	}
	var hits []Hit
	if access == api.AccessNearest {
		hits, err = f.Nearest(ctx, p, b)
	} else {
		hits, err = f.Find(ctx, p, access, 0)
	}
	if err != nil {
		return nil, err
	}
	all := make([]found, len(hits))
	for i, h := range hits {
		all[i] = found{Hit: h, v: f.v}
		if h.id == "" && len(hits) <= idsAtOnce {
			if all[i].ids, err = f.reader.IDs(h.Set, nil); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// matches expands sets to documents, one group of equal sim at a time.
func matches(ctx context.Context, m *view.Snapshot, all []found, tg *target, q Search, plan *api.Plan) iter.Seq2[api.Match, error] {
	return func(yield func(api.Match, error) bool) {
		start := time.Now()
		defer func() { plan.Took(start) }()
		readers := map[*view.View]*view.Reader{}
		defer func() {
			for _, r := range readers {
				r.Close()
			}
		}()
		var ids []string
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Score.Compare(all[0].Score) == 0 {
				n++
			}
			var rows []api.Match
			for _, f := range all[:n] {
				r := readers[f.v]
				if r == nil {
					r = m.Reader(f.v)
					r.Heed(ctx)
					readers[f.v] = r
				}
				err := m.Interrupted(ctx)
				switch ids = append(ids[:0], f.id); {
				case err != nil:
				case f.ids != nil:
					ids = append(ids[:0], f.ids...)
				case f.id == "":
					ids, err = r.IDs(f.Set, ids[:0])
				}
				var si api.SIValue
				if q.Measure.OfIndexes() && err == nil {
					si, err = foundSI(ctx, r, f.Hit, q.Args)
				}
				if err != nil {
					yield(api.Match{}, err)
					return
				}
				for _, id := range ids {
					if f.v == tg.v && id == tg.id {
						continue
					}
					row := q.Match(f.v.Name, id, f.Score)
					row.SI = si
					rows = append(rows, row)
				}
			}
			err := index.SortFuncUntil(func() error { return m.Interrupted(ctx) }, rows, func(a, b api.Match) int {
				if c := cmp.Compare(a.ID, b.ID); c != 0 {
					return c
				}
				return slices.Index(q.In, a.Collection) - slices.Index(q.In, b.Collection) // in the order of the search
			})
			if err != nil {
				yield(api.Match{}, err)
				return
			}
			for _, row := range rows {
				var err error
				if q.Meta {
					err = withMeta(m, &row)
				}
				plan.Matches++
				if !yield(row, err) || err != nil {
					return
				}
			}
			all = all[n:]
		}
	}
}

// Explain returns the plan of Similar without searching.
func Explain(ctx context.Context, m *view.Snapshot, t api.Target, q Search) (*api.Plan, error) {
	if err := q.checkOne(); err != nil {
		return nil, err
	}
	views, tg, err := resolve(m, q.In, t)
	if err != nil {
		return nil, err
	}
	return explainIn(ctx, m, views, &tg[0], q)
}

// explainIn is Explain for a resolved target.
func explainIn(ctx context.Context, m *view.Snapshot, views []*view.View, t *target, q Search) (*api.Plan, error) {
	var plan *api.Plan
	for _, v := range views {
		p, err := t.probeFor(ctx, m, v, q.Method())
		if err != nil {
			return nil, err
		}
		f := &Finder{scope: scope{m, v, v}, q: q}
		access, err := f.planFor(p)
		if err != nil {
			return nil, err
		}
		if err := f.narrow(ctx, access); err != nil {
			return nil, err
		}
		if plan == nil {
			plan = f.plan
		} else {
			plan.Add(f.plan)
		}
	}
	return plan, nil
}

// withMeta adds the metadata of a row's document.
func withMeta(m *view.Snapshot, row *api.Match) error {
	meta, err := m.Meta(row.Collection, row.ID)
	row.SetMeta(meta)
	return err
}
