package pairs

// The join that every measure has: each set of one side is looked for in the other.

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
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
	access api.Access
	q      search.Search
	from   func(set uint32) uint32                          // sets below are not looked for
	edge   func(set uint32, h search.Hit) (x edge, ok bool) // of a hit, unless it is found elsewhere
}

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, p pass, plan *api.Plan) error {
	v := e.views[p.from]
	numbers := v.Live(0, v.Table.Len())
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

// searcher looks for sets. It must be used from one goroutine.
type searcher interface {
	look(ctx context.Context, set uint32) error
	close()
}

// eachSearched lets searchers look for sets of a view, one on each core. As many sets are
// looked for at a time as there is room for their probes.
func (e *edges) eachSearched(ctx context.Context, v *view.View, numbers []uint32, begin func(context.Context) searcher) error {
	ctx, stage := progress.Begin(ctx, "sets searched", int64(len(numbers)))
	room := e.m.AnalysisRoom()
	probes := semaphore.NewWeighted(room) // not that of analyses: a probe waits for these
	workers := host.Workers()
	g, ctx := errgroup.WithContext(ctx)
	for k := range workers {
		s := begin(ctx)
		g.Go(func() error {
			defer s.close()
			for i := k; i < len(numbers); i += workers {
				bytes := min(probeBytes*int64(v.Table.Size(numbers[i]).Total), room)
				if err := probes.Acquire(ctx, bytes); err != nil {
					return e.m.ClosedOr(err)
				}
				err := s.look(ctx, numbers[i])
				probes.Release(bytes)
				if err != nil {
					return err
				}
				stage.Add(1)
			}
			return nil
		})
	}
	return g.Wait()
}

// probeSets searches sets one by one, on all cores.
func (e *edges) probeSets(ctx context.Context, numbers []uint32, p probing, plan *api.Plan) error {
	var plans []*api.Plan
	err := e.eachSearched(ctx, e.views[p.of], numbers, func(ctx context.Context) searcher {
		plans = append(plans, search.NewPlan(e.q, p.access, ""))
		return e.searcher(ctx, p, plans[len(plans)-1])
	})
	if err != nil {
		return err
	}
	for _, o := range plans {
		plan.Add(o)
	}
	return nil
}

// setSearcher searches sets and makes edges of what is like them.
type setSearcher struct {
	e      *edges
	p      probing
	reader *view.Reader
	finder *search.Finder
}

func (e *edges) searcher(ctx context.Context, p probing, plan *api.Plan) *setSearcher {
	s := &setSearcher{e: e, p: p, reader: e.m.Reader(e.views[p.of]), finder: search.NewFinder(e.m, e.views[p.in], p.q, plan)}
	s.reader.Heed(ctx)
	s.finder.Only(p.only)
	s.finder.WeighIn(e.weights(p.of, p.in))
	return s
}

func (s *setSearcher) close() {
	s.reader.Close()
	s.finder.Close()
}

func (s *setSearcher) look(ctx context.Context, set uint32) error {
	if err := s.e.m.Interrupted(ctx); err != nil {
		return err
	}
	probe, err := search.ProbeOfSet(s.reader, set, s.p.q.Measure)
	if err != nil {
		return err
	}
	hits, err := s.finder.Find(ctx, probe, s.p.access, s.p.from(set))
	if err != nil {
		return err
	}
	var found []edge
	for _, h := range hits {
		if x, ok := s.p.edge(set, h); ok {
			found = append(found, x)
		}
	}
	if len(found) > 0 {
		s.e.add(found)
	}
	return nil
}
