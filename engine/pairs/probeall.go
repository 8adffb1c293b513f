package pairs

// The join that every measure has: each set of one side is looked for in the other.

import (
	"context"

	"github.com/simdb/simdb/engine/host"
	"github.com/simdb/simdb/engine/search"
	"golang.org/x/sync/errgroup"
)

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, l leg, access search.Access, plan *search.Plan) error {
	v, w := e.views[l.from], e.views[l.to]
	numbers := v.Live(0, v.Next)
	directed := e.against == 0 && !e.q.Measure.Symmetric()
	plans := make([]*search.Plan, host.Workers())
	g, ctx := errgroup.WithContext(ctx)
	for k := range host.Workers() {
		plans[k] = search.NewPlan(e.q, access, "")
		g.Go(func() error {
			f := search.NewFinder(e.m, w, e.q, plans[k])
			defer f.Close()
			r := e.m.Reader(v)
			defer r.Close()
			for n := k; n < len(numbers); n += host.Workers() {
				set := numbers[n]
				if err := e.m.Interrupted(ctx); err != nil {
					return err
				}
				p, err := search.ProbeOfSet(r, set, e.q.Measure)
				if err != nil {
					return err
				}
				from := uint32(0)
				if l.self() && !directed {
					from = set + 1
				}
				hits, err := f.Find(ctx, p, access, from)
				if err != nil {
					return err
				}
				var found []edge
				for _, h := range hits {
					if l.self() && h.Set == set {
						continue
					}
					found = append(found, newEdge(node{set, uint16(l.from)}, node{h.Set, uint16(l.to)}, h.Score, directed))
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
