package pairs

// The join that every measure has: each set of one side is looked for in the other.

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// probeBytes is about what a search keeps of its probe and of what it compares it with, for
// each shingle: bags of 12 bytes, texts, and for texts an array of places in them.
const probeBytes = 64

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, l leg, access search.Access, plan *search.Plan) error {
	v, w := e.views[l.from], e.views[l.to]
	numbers := v.Live(0, v.Next)
	probes := semaphore.NewWeighted(e.m.AnalysisRoom()) // not that of analyses: a probe waits for these
	plans := make([]*search.Plan, host.Workers())
	g, ctx := errgroup.WithContext(ctx)
	for k := range host.Workers() {
		plans[k] = search.NewPlan(e.q, access, "")
		g.Go(func() error {
			f := search.NewFinder(e.m, w, e.q, plans[k])
			defer f.Close()
			r := e.m.Reader(v)
			defer r.Close()
			r.Heed(ctx)
			for n := k; n < len(numbers); n += host.Workers() {
				set := numbers[n]
				bytes := min(probeBytes*int64(v.Table.Size(set).Total), e.m.AnalysisRoom())
				if err := probes.Acquire(ctx, bytes); err != nil {
					return e.m.ClosedOr(err)
				}
				found, err := e.probe(ctx, l, set, access, r, f)
				probes.Release(bytes)
				if err != nil {
					return err
				}
				e.list.add(found)
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
func (e *edges) probe(ctx context.Context, l leg, set uint32, access search.Access, r *view.Reader, f *search.Finder) (found []edge, err error) {
	if err := e.m.Interrupted(ctx); err != nil {
		return nil, err
	}
	p, err := search.ProbeOfSet(r, set, e.q.Measure)
	if err != nil {
		return nil, err
	}
	directed := e.against == 0 && !e.q.Measure.Symmetric()
	from := uint32(0)
	if l.self() && !directed {
		from = set + 1
	}
	hits, err := f.Find(ctx, p, access, from)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if !l.self() || h.Set != set {
			found = append(found, newEdge(node{set, uint16(l.from)}, node{h.Set, uint16(l.to)}, h.Score, directed))
		}
	}
	return found, nil
}
