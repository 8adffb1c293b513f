package pairs

// The join that every measure has: each set of one side is looked for in the other.

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/progress"
)

// probeBytes is about what a search keeps of its probe and of what it compares it with, for
// each shingle: bags of 12 bytes, texts, and for texts an array of places in them.
const probeBytes = 64

// probing is how sets of one side are looked for in another, or in the same.
type probing struct {
	of, in int          // sides
	only   *search.Sets // of the side in; nil: all
	access search.Access
	q      search.Search
	from   func(set uint32) uint32                          // sets below are not looked for
	edge   func(set uint32, h search.Hit) (x edge, ok bool) // of a hit, unless it is found elsewhere
}

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, p pass, plan *search.Plan) error {
	v := e.views[p.from]
	numbers := v.Live(0, v.Next)
	if p.of != nil {
		numbers = v.LiveOf(p.of.ToArray(), 0)
	}
	directed := e.directed()
	return e.probeSets(ctx, numbers, probing{
		of: p.from, in: p.to, only: p.in, access: p.access, q: e.q,
		from: func(set uint32) uint32 {
			if p.self() && !directed && p.again == nil {
				return set + 1
			}
			return 0
		},
		edge: func(set uint32, h search.Hit) (edge, bool) {
			ok := (!p.self() || h.Set != set) && (p.again == nil || !p.again(set, h.Set)) && e.may(p.leg, set, h.Set)
			return newEdge(node{set, uint16(p.from)}, node{h.Set, uint16(p.to)}, h.Score, directed), ok
		},
	}, plan)
}

// directed says whether an edge counts in one direction only.
func (e *edges) directed() bool { return e.against == 0 && !e.q.Method().Symmetric() }

// probeSets searches sets one by one, on all cores.
func (e *edges) probeSets(ctx context.Context, numbers []uint32, p probing, plan *search.Plan) error {
	v, w := e.views[p.of], e.views[p.in]
	ctx, stage := progress.Begin(ctx, "sets searched", int64(len(numbers)))
	probes := semaphore.NewWeighted(e.m.AnalysisRoom()) // not that of analyses: a probe waits for these
	plans := make([]*search.Plan, host.Workers())
	g, ctx := errgroup.WithContext(ctx)
	for k := range host.Workers() {
		plans[k] = search.NewPlan(e.q, p.access, "")
		g.Go(func() error {
			f := search.NewFinder(e.m, w, p.q, plans[k])
			defer f.Close()
			f.Only(p.only)
			r := e.m.Reader(v)
			defer r.Close()
			r.Heed(ctx)
			for n := k; n < len(numbers); n += host.Workers() {
				set := numbers[n]
				bytes := min(probeBytes*int64(v.Table.Size(set).Total), e.m.AnalysisRoom())
				if err := probes.Acquire(ctx, bytes); err != nil {
					return e.m.ClosedOr(err)
				}
				found, err := e.probe(ctx, p, set, r, f)
				probes.Release(bytes)
				if err != nil {
					return err
				}
				e.add(found)
				stage.Add(1)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for k := range plans {
		plan.Add(plans[k])
	}
	return nil
}

// probe searches one set and makes edges of what is like it.
func (e *edges) probe(ctx context.Context, p probing, set uint32, r *view.Reader, f *search.Finder) (found []edge, err error) {
	if err := e.m.Interrupted(ctx); err != nil {
		return nil, err
	}
	probe, err := search.ProbeOfSet(r, set, p.q.Measure)
	if err != nil {
		return nil, err
	}
	hits, err := f.Find(ctx, probe, p.access, p.from(set))
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if x, ok := p.edge(set, h); ok {
			found = append(found, x)
		}
	}
	return found, nil
}
