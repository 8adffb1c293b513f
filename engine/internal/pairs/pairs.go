// Package pairs joins collections: it finds all similar pairs, makes rows of them, and
// groups. What comes in is a question about a snapshot. For each two collections that meet
// a strategy is chosen, its candidates are verified, and what is left are edges between
// sets; rows and groups are made of these, and do not know which strategy found them. The
// package knows nothing of commits.
package pairs

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Find finds all similar pairs: sim descending, then (a, b) ascending.
func Find(ctx context.Context, m *view.Snapshot, ask search.Search) (*search.Result[api.PairMatch], error) {
	start := time.Now()
	q, err := newQuestion(ctx, m, ask)
	if err == nil {
		err = q.confine(ctx)
	}
	if err != nil {
		return nil, err
	}
	if q.OfEach() {
		return findNearest(ctx, q, start, ask.Limit)
	}
	f, err := findTop(ctx, q)
	if err != nil || q.PlanOnly {
		return planned[api.PairMatch](f, err)
	}
	if many, err := f.mayBeMany(ctx); err != nil {
		return nil, err
	} else if many && ask.Limit == 0 && !f.heeds() { // else each id would be read twice
		if err := f.tally(ctx, func(_ measure.Score, n rows) error { f.plan.Pairs += n.of; return nil }); err != nil {
			return nil, err
		}
	}
	f.plan.Took(start)
	return &search.Result[api.PairMatch]{Plan: f.plan, All: search.Limited(f.rows(ctx), ask.Limit)}, nil
}

// strategyOf chooses the strategy of a join.
func strategyOf(ctx context.Context, q *question, s sides) (strategy, error) {
	if q.since != nil {
		return chooseWritten(ctx, q, s)
	}
	return choose(ctx, q, s)
}

// findEdges makes all joins.
func findEdges(ctx context.Context, q *question) (*found, error) {
	out := newFound(ctx, q)
	return out, out.join(ctx)
}

func (f *found) join(ctx context.Context) error {
	for _, s := range f.joins() {
		w, err := strategyOf(ctx, f.question, s)
		if err != nil {
			return err
		}
		plan := w.plan()
		if !f.PlanOnly {
			err = w.run(ctx, f, plan)
		}
		if err != nil {
			return err
		}
		f.plan = f.addPlan(f.plan, plan)
	}
	return f.list.sort()
}

// findTop finds, with a limit, at least the edges that the first rows come from. A join at
// a high threshold is cheap, so that it is tried at one after another until there are rows
// enough.
func findTop(ctx context.Context, q *question) (*found, error) {
	tries, several := thresholds(q), make([]sharers, len(q.views))
	for {
		at := *q
		at.Min, tries = tries[0], tries[1:]
		out := newFound(ctx, &at)
		out.several = several
		if err := out.join(ctx); err != nil {
			return nil, err
		}
		out.plan.MinSim = q.Min.String()
		if len(tries) == 0 || q.PlanOnly {
			return out, nil
		}
		if enough, err := out.atLeast(ctx, int64(q.Limit)); err != nil || enough {
			return out, err
		}
	}
}

// thresholds are those to try. The last is the search's.
func thresholds(q *question) (out []api.Threshold) {
	if q.Limit > 0 && q.views[0].Sets > 1 && q.Measure.OfBags() && !q.ReadsBags() && q.Access == api.AccessAuto {
		for _, t := range index.Tiers() {
			if t.Cmp(q.Min) <= 0 {
				break
			}
			out = append(out, t)
		}
	}
	return append(out, q.Min)
}
