package pairs

// The strategy for every measure: a search for each set of one side in the other.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/progress"
)

// probeBytes is the approximate memory of a search per shingle of its probe: bags of 12
// bytes, texts, and for texts an array of positions.
const probeBytes = 64

// pass is a search for sets of one side in the other.
type pass struct {
	sides
	of, in *search.Sets             // sets to search for, and sets to search in; nil: all
	again  func(of, in uint32) bool // reports that another set or pass finds this pair too; nil: never
}

// counts returns the number of sets to search for and to search in.
func (p pass) counts(q *question) (of, in int64) {
	of, in = q.views[p.from].Sets, q.views[p.to].Sets
	if p.of != nil {
		of = int64(p.of.GetCardinality())
	}
	if p.in != nil {
		in = int64(p.in.GetCardinality())
	}
	return of, in
}

// once reports whether the pass finds each pair of sets once, from a fixed side.
func (p *pass) once() bool { return p.self() && p.of == nil && p.in == nil && p.again == nil }

// eachSearch is a pass with a search for each set, as Similar would run it.
type eachSearch struct {
	chosen
	pass
}

// Costs of a search for one set, in nanoseconds: reading its text, then a lookup in postings
// or comparisons with signatures.
const (
	nanosPerProbe   = 60e3
	nanosPerLookup  = 150e3
	nanosPerCompare = 36.0
)

// run searches for the sets of one collection in another, or in itself, one by one.
func (s eachSearch) run(ctx context.Context, out *found, plan *api.Plan) error {
	return out.searchAll(ctx, s.live(s.from, s.of), s.probing(), plan)
}

// probing returns the parameters of the searches.
func (s eachSearch) probing() probing {
	directed := s.directed()
	return probing{
		of: s.from, in: s.to, only: s.in, access: s.access, by: s.Search,
		from: func(set uint32) uint32 {
			if s.self() && !directed && s.again == nil {
				return set + 1
			}
			return 0
		},
		edge: func(set uint32, h search.Hit) (edge, bool) {
			ok := (!s.self() || h.Set != set) && (s.again == nil || !s.again(set, h.Set)) && s.may(s.sides, set, h.Set)
			return newEdge(node{set, uint16(s.from)}, node{h.Set, uint16(s.to)}, h.Score, directed), ok
		},
	}
}

// probing describes searches for sets of one side in another side or the same.
type probing struct {
	of, in int          // sides
	only   *search.Sets // restricts the side in; nil: all
	access api.Access
	by     search.Search
	from   func(set uint32) uint32                          // least set to find
	edge   func(set uint32, h search.Hit) (x edge, ok bool) // edge of a hit; !ok if it is found elsewhere
}

// searchAll searches for sets one by one, on all cores.
func (f *found) searchAll(ctx context.Context, numbers []uint32, p probing, plan *api.Plan) error {
	var plans []*api.Plan
	err := eachSearched(ctx, f.m, f.views[p.of], numbers, func(ctx context.Context) searcher {
		plans = append(plans, search.NewPlan(f.Search, p.access, ""))
		return f.searcher(ctx, p, plans[len(plans)-1])
	})
	if err != nil {
		return err
	}
	for _, o := range plans {
		plan.Add(o)
	}
	return nil
}

// setSearcher searches for sets and adds edges for the hits.
type setSearcher struct {
	out    *found
	p      probing
	reader *view.Reader
	finder *search.Finder
}

// searcher returns a searcher for one goroutine.
func (f *found) searcher(ctx context.Context, p probing, plan *api.Plan) *setSearcher {
	s := &setSearcher{out: f, p: p, reader: f.m.Reader(f.views[p.of]), finder: search.NewFinder(f.m, f.views[p.in], p.by, plan)}
	s.reader.Heed(ctx)
	s.finder.Only(p.only)
	s.finder.WeighIn(f.weights(p.of, p.in))
	return s
}

// close releases the readers of both sides.
func (s *setSearcher) close() {
	s.reader.Close()
	s.finder.Close()
}

// look searches for one set.
func (s *setSearcher) look(ctx context.Context, set uint32) error {
	if err := s.out.m.Interrupted(ctx); err != nil {
		return err
	}
	probe, err := search.ProbeOfSet(s.reader, set, s.p.by.Measure)
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
		s.out.add(found)
	}
	return nil
}

// searcher searches for sets. It must be used from one goroutine.
type searcher interface {
	look(ctx context.Context, set uint32) error
	close()
}

// eachSearched runs a searcher on each core for the sets of a view. A semaphore limits the
// memory of concurrent probes.
func eachSearched(ctx context.Context, m *view.Snapshot, v *view.View, numbers []uint32, begin func(context.Context) searcher) error {
	ctx, stage := progress.Begin(ctx, "sets searched", int64(len(numbers)))
	room := m.AnalysisRoom()
	probes := semaphore.NewWeighted(room) // separate from the analyses', for which a probe waits
	workers := host.Workers()
	g, ctx := errgroup.WithContext(ctx)
	for k := range workers {
		s := begin(ctx)
		g.Go(func() error {
			defer s.close()
			for i := k; i < len(numbers); i += workers {
				// A probe larger than the room runs alone.
				bytes := min(probeBytes*int64(v.Table.Size(numbers[i]).Total), room)
				if err := probes.Acquire(ctx, bytes); err != nil {
					return m.ClosedOr(err)
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

// samples is the maximum number of searches to estimate the cost of all.
const samples = 4

// sampleTime bounds the duration of samples.
const sampleTime = 2 * time.Second

// sampled estimates the cost of a search for each set by sample searches, one from each
// quarter of the sets by size. It abandons a search that exceeds sampleTime; the estimate is
// then a lower bound.
func (s eachSearch) sampled(ctx context.Context) (why string, err error) {
	v, sets, start := s.views[s.from], s.live(s.from, s.of), time.Now()
	if len(sets) < 64 { // quick enough without an estimate
		return fmt.Sprintf("join: a search for each of %d sets", len(sets)), nil
	}
	bySize := slices.Clone(sets)
	slices.SortStableFunc(bySize, func(a, b uint32) int { return cmp.Compare(v.Table.Size(a).Total, v.Table.Size(b).Total) })
	p := s.probing()
	p.from = func(uint32) uint32 { return 0 }
	p.edge = func(uint32, search.Hit) (edge, bool) { return edge{}, false }
	to := (&found{question: s.question}).searcher(ctx, p, s.plan())
	defer to.close()
	limited, stop := context.WithTimeout(ctx, sampleTime)
	defer stop()
	done, more := 0, ""
	for done < samples && time.Since(start) < sampleTime {
		err := to.look(limited, bySize[(2*done+1)*len(bySize)/(2*samples)])
		done++
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			more = "more than "
			break
		}
		if err != nil {
			return "", s.m.ClosedOr(err)
		}
	}
	nanos := float64(time.Since(start).Nanoseconds()) / float64(done) * float64(len(sets))
	if s.self() && s.of == nil && !s.directed() {
		nanos /= 2 // searches find only later sets
	}
	return fmt.Sprintf("join: a search for each of %d sets, %sabout %s by %d samples on %d cores", len(sets), more,
		time.Duration(nanos/float64(host.Workers())).Round(time.Second), done, host.Workers()), nil
}
