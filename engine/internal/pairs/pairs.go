// Package pairs joins collections: it finds all similar pairs, makes rows of them, and
// groups. A join is planned, its candidates are verified in batches, and what is left
// are edges between sets. It knows nothing of commits.
package pairs

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"golang.org/x/sync/errgroup"
)

// edges is the answer of a join in terms of sets; rows.go makes rows of it.
type edges struct {
	m       *view.Moment
	views   []*view.View
	against int // index of the first view of the other side; 0 means there is none
	list    *edgeList
	ids     []knownIDs    // by side, of the documents of some sets of the list
	several []sharers     // by side, nil until asked for; copies of edges share them
	since   []*view.Since // by side; nil: every pair counts
	plan    *api.Plan
	q       search.Search
	formula measure.Formula // of a measure of bags

	// rated says of a verified pair whether it is an edge, and with what score; nil: as it
	// was verified.
	rated func(ctx context.Context, a, b uint32, s measure.Score, ok bool) (measure.Score, bool, error)

	confined []confined       // by side
	asked    []api.FilterStat // indexes that confine
	last     struct {         // the a of the last row, if rows carry metadata
		member
		meta *api.Meta
	}
}

// Find finds all similar pairs: sim descending, then (a, b) ascending.
func Find(ctx context.Context, m *view.Moment, q search.Search) (*search.Result[api.PairMatch], error) {
	start := time.Now()
	e, err := newEdges(ctx, m, q)
	if err != nil {
		return nil, err
	}
	if err := e.confine(ctx); err != nil {
		return nil, err
	}
	if q.Nearest > 0 {
		return e.findNearest(ctx, start, q.Limit)
	}
	if e, err = e.top(ctx); err != nil {
		return nil, err
	}
	e.plan.Took(start)
	return &search.Result[api.PairMatch]{Plan: e.plan, All: search.Limited(e.rows(ctx), q.Limit)}, nil
}

// Explain says how Find would go, without joining.
func Explain(ctx context.Context, m *view.Moment, q search.Search) (*api.Plan, error) {
	e, err := newEdges(ctx, m, q)
	if err != nil {
		return nil, err
	}
	if err := e.confine(ctx); err != nil {
		return nil, err
	}
	if q.Nearest > 0 {
		return e.explainNearest()
	}
	return e.explain(ctx)
}

// explain plans the joins at the first of the thresholds.
func (e *edges) explain(ctx context.Context) (*api.Plan, error) {
	q := e.q
	e.q.Min = e.thresholds()[0]
	for _, l := range e.legs() {
		w, err := e.choose(ctx, l)
		if err != nil {
			return nil, err
		}
		e.addPlan(w.plan(q))
	}
	return e.plan, nil
}

func newEdges(ctx context.Context, m *view.Moment, q search.Search) (*edges, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	e := &edges{m: m, q: q}
	if q.Measure.OfBags() {
		e.formula = q.Formula()
	}
	var err error
	if e.views, err = m.ViewsOf(q.In); err != nil {
		return nil, err
	}
	if len(q.Against) > 0 {
		others, err := m.ViewsOf(q.Against)
		if err != nil {
			return nil, err
		}
		e.against = len(e.views)
		for _, v := range others {
			if slices.Contains(e.views, v) {
				return nil, fault.Invalid("collection %q is on both sides of AGAINST", v.Name)
			}
		}
		e.views = append(e.views, others...)
	}
	e.several, e.confined = make([]sharers, len(e.views)), make([]confined, len(e.views))
	if e.since, err = sinceMark(ctx, m, e.views, q.Since); err != nil {
		return nil, err
	}
	for _, v := range e.views {
		if err := search.RefuseOtherK(v.Schema, "pairs", q.Method()); err != nil {
			return nil, err
		}
		if !q.Measure.OfTexts() {
			continue
		}
		if kept, setting, err := search.Keeps(v, q); err != nil {
			return nil, err
		} else if !kept {
			return nil, fault.Invalid("pairs by %s: collection %q was not created WITH (%s); export it and import it into one that was", q.Measure, v.Name, setting)
		}
	}
	for _, v := range e.views[1:] {
		if v.Analysis != e.views[0].Analysis {
			return nil, fault.Invalid("collections %q and %q read texts differently (unit or k): their documents cannot be paired", e.views[0].Name, v.Name)
		}
		if q.Measure == api.Entities && !v.KnowsAs(e.views[0].Schema) {
			return nil, fault.Invalid("collections %q and %q have other names and synonyms (gazetteer or synonyms): their entities cannot be paired", e.views[0].Name, v.Name)
		}
	}
	return e, nil
}

// thresholds are those that a join is tried at, one after another, until there
// are rows enough: a join at a high threshold is cheap. The last is the search's.
func (e *edges) thresholds() (out []api.Threshold) {
	if e.q.Limit > 0 && e.views[0].Sets > 1 && e.q.Measure.OfBags() && e.q.Access == api.AccessAuto {
		for _, t := range index.Tiers() {
			if t.Cmp(e.q.Min) <= 0 {
				break
			}
			out = append(out, t)
		}
	}
	return append(out, e.q.Min)
}

// top finds all edges, or with a limit at least those that the first rows come
// from.
func (e *edges) top(ctx context.Context) (*edges, error) {
	tries := e.thresholds()
	for _, t := range tries[:len(tries)-1] {
		high := *e
		high.q.Min = t
		if err := high.find(ctx, false); err != nil {
			return nil, err
		}
		enough, err := high.atLeast(ctx, int64(e.q.Limit))
		if err != nil {
			return nil, err
		}
		if enough {
			high.plan.MinSim = e.q.Min.String()
			return &high, nil
		}
	}
	return e, e.find(ctx, false)
}

// leg is one of the joins that an answer is made of: the sets of one view with
// those of another, or of the same.
type leg struct{ from, to int }

func (l leg) self() bool { return l.from == l.to }

// legs lists the joins of the search. Where the measure is not symmetric, two
// views are joined in both directions.
func (e *edges) legs() (out []leg) {
	for i := range e.views {
		for j := i; j < len(e.views); j++ {
			if e.against > 0 && (i >= e.against || j < e.against) {
				continue
			}
			out = append(out, leg{i, j})
			if i != j && e.against == 0 && !e.q.Method().Symmetric() {
				out = append(out, leg{j, i})
			}
		}
	}
	return out
}

// find fills the list and the plan. With connect set, edges within a component
// that is connected already may be left out.
func (e *edges) find(ctx context.Context, connect bool) error {
	e.list, e.ids, e.plan = newEdgeList(ctx, e.m), newKnownIDs(len(e.views), e.m.MemoryBytes/8, e.m.Scratch), nil
	for _, l := range e.legs() {
		if err := e.join(ctx, l, connect); err != nil {
			return err
		}
	}
	return e.list.sort()
}

// join makes one of the joins.
func (e *edges) join(ctx context.Context, l leg, connect bool) error {
	memory := &joinMemory{}
	defer memory.Free()
	w, err := e.choose(ctx, l)
	if err != nil {
		return err
	}
	plan := w.plan(e.q)
	err = e.joinBy(ctx, l, w, memory, plan, connect)
	e.addPlan(plan)
	return err
}

// joinBy joins the sides of a leg as was chosen.
func (e *edges) joinBy(ctx context.Context, l leg, w way, memory *joinMemory, plan *api.Plan, connect bool) error {
	switch {
	case w.written:
		return e.probeWritten(ctx, l, w, plan)
	case e.q.Measure == api.SimHash:
		return e.near(ctx, l, w.access, plan)
	case w.passes != nil:
		for _, p := range w.passes {
			if err := e.pass(ctx, p, plan); err != nil {
				return err
			}
		}
		return nil
	case w.shared:
		return e.sets(ctx, l, w, memory, plan, connect)
	case w.texts != nil:
		return w.texts(ctx, l, plan, connect)
	}
	return e.probeAll(ctx, pass{leg: l, access: w.access}, plan)
}

// addPlan adds what a join of the answer did.
func (e *edges) addPlan(p *api.Plan) {
	if e.plan == nil {
		p.Filters = append(slices.Clone(e.asked), p.Filters...)
		e.plan = p
		return
	}
	e.plan.Add(p)
}

// inStretches finds edges on all cores: each takes a stretch of what is numbered below n,
// and the next one when it is done.
func (e *edges) inStretches(ctx context.Context, n, stretch int, find func(ctx context.Context, from, to int, found []edge) ([]edge, error)) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range host.Workers() {
		g.Go(func() (err error) {
			var found []edge
			for {
				from := int(next.Add(int64(stretch))) - stretch
				if from >= n {
					return nil
				}
				if found, err = find(ctx, from, min(from+stretch, n), found[:0]); err != nil {
					return err
				}
				e.add(found)
			}
		})
	}
	return g.Wait()
}
