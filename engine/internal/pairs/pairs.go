// Package pairs joins collections: it finds all similar pairs, and derives rows or groups from
// them. The input is a question about a snapshot. For each pair of collections the package
// chooses a strategy, which generates candidates, verifies them and adds edges between sets.
// Rows and groups depend on the edges only, never on the strategy. The package does not write.
//
// Start with [Find]; a strategy is an implementation of the interface in strategy.go.
package pairs

import (
	"cmp"
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Find returns all similar pairs: sim descending, then (a, b) ascending. It runs the joins
// before it returns, and expands the rows as they are read.
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
	} else if many && ask.Limit == 0 && !f.needsDocuments() { // otherwise the count reads ids that the rows read again
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

// findEdges runs all joins.
func findEdges(ctx context.Context, q *question) (*found, error) {
	out := newFound(ctx, q)
	return out, out.join(ctx)
}

// join runs the joins, unless the search is PlanOnly, and sorts the edges. It ends at once if
// the list of edges fails.
func (f *found) join(ctx context.Context) error {
	ctx, f.list.fail = context.WithCancel(ctx)
	defer f.list.fail()
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
			return cmp.Or(f.list.err, err)
		}
		f.plan = f.addPlan(f.plan, plan)
	}
	if !f.PlanOnly {
		if err := f.addShared(ctx); err != nil {
			return err
		}
	}
	return f.list.sort()
}

// findTop is findEdges, but with a limit it may return only the edges of the first rows. A
// join at a high threshold is cheap, so findTop starts high and lowers the threshold step by
// step until there are enough rows.
func findTop(ctx context.Context, q *question) (*found, error) {
	tries, several := thresholds(q), make([]sharers, len(q.views))
	for {
		at := *q
		at.Min, tries = tries[0], tries[1:]
		out := newFound(ctx, &at)
		out.several = several
		if !at.ordered() && at.since == nil { // each edge has a row
			out.list.best = q.Limit
		}
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

// thresholds lists the thresholds to try, the search's own last.
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
