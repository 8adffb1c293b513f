package pairs

// Joins by the cosine of word frequencies: the vectors of one side are in memory, as many
// at a time as there is room for, and those of the other are looked for among them
// (docs/decisions/0043).

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// What a join by words costs, in nanoseconds of one core.
const (
	nanosPerVector     = 120e3 // read a text, and make a vector of it
	nanosPerWordSearch = 2e3   // a search for a set, for each set that it is looked for in
)

// wordsJoined says whether the words of sets can be joined, as they are not scanned.
func (e *edges) wordsJoined(access api.Access) bool {
	return e.q.Measure == api.Words && access == api.AccessTerms
}

// wordsWay decides whether a pass is a join of vectors, or a search for each of the few
// sets that are looked for.
func (e *edges) wordsWay(p *pass) (why string, nanos float64) {
	of, in := e.views[p.from].Sets, e.views[p.to].Sets
	if p.of != nil {
		of = int64(p.of.GetCardinality())
	}
	if p.in != nil {
		in = int64(p.in.GetCardinality())
	}
	read := of + in
	if p.self() && p.of == nil && p.in == nil {
		read = of
	}
	nanos = float64(read) * nanosPerVector
	if searches := float64(of) * float64(e.views[p.to].Sets) * nanosPerWordSearch; p.of != nil && searches < nanos {
		return fmt.Sprintf("join: %d sets searched for ≈ %.0f ms", of, searches/1e6), searches
	}
	p.vectors = true
	return fmt.Sprintf("join: words of %d sets in memory ≈ %.0f ms", in, nanos/1e6), nanos
}

// weights is the view whose documents say how much a word weighs, with idf, in pairs of two
// sides: the one named later, as in a search for the a of a row among the b.
func (e *edges) weights(x, y int) *view.View { return e.views[max(x, y)] }

// pass makes one of the passes of a leg.
func (e *edges) pass(ctx context.Context, p pass, plan *api.Plan) error {
	if p.vectors {
		return e.joinWords(ctx, p, plan)
	}
	return e.probeAll(ctx, p, plan)
}

// joinWords makes a pass block by block.
func (e *edges) joinWords(ctx context.Context, p pass, plan *api.Plan) error {
	v, other := e.views[p.from], e.views[p.to]
	of, in := v.Live(0, v.Table.Len()), other.Live(0, other.Table.Len())
	if p.of != nil {
		of = v.LiveOf(p.of.ToArray(), 0)
	}
	if p.in != nil {
		in = other.LiveOf(p.in.ToArray(), 0)
	}
	all := int64(len(of)) * int64(len(in))
	if p.once() {
		all = int64(len(of)) * int64(len(of)-1) / 2
	}
	var weight func(hash uint64) uint64
	if e.q.Args.IDF {
		f, err := e.m.Frequencies(ctx, e.weights(p.from, p.to))
		if err != nil {
			return err
		}
		weight = f.Weight
	}
	w := wordsJoin{edges: e, pass: p, weight: weight}
	for len(in) > 0 {
		n, err := w.block(ctx, of, in)
		if err != nil {
			return e.m.ClosedOr(err)
		}
		in = in[n:]
	}
	plan.Filter("rare words in common", true, all, w.met.Load())
	plan.Filter("weights", true, w.met.Load(), w.compared.Load())
	plan.Candidates += w.compared.Load()
	plan.Verified += w.compared.Load()
	return nil
}

// wordsJoin is a running pass.
type wordsJoin struct {
	*edges
	pass
	weight        func(hash uint64) uint64
	met, compared atomic.Int64
}

// once says whether a pass takes each pair of sets from the greater number only.
func (p *pass) once() bool { return p.self() && p.of == nil && p.in == nil && p.again == nil }

// block makes a block of the first sets of in, and looks for those of the other side there.
func (w *wordsJoin) block(ctx context.Context, of, in []uint32) (n int, err error) {
	b := join.NewWords(w.q.Min, w.weight)
	err = view.EachSet(ctx, w.m, w.views[w.to], in, (*view.Reader).Words, func(set uint32, terms measure.Vector) error {
		if b.Len() > 0 && b.Bytes(host.Workers()) > w.m.MemoryBytes/2 {
			return errEnough
		}
		b.Add(set, terms)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, err
	}
	if err := b.Build(ctx); err != nil {
		return 0, err
	}
	n = b.Len()
	probes := make(chan *join.WordsProbe, host.Workers()) // that are idle
	for range host.Workers() {
		probes <- b.Probe()
	}
	if w.once() { // those before the block are done, and its own are in memory
		if err := w.own(ctx, in[:n], probes); err != nil {
			return 0, err
		}
		of = in[n:]
	}
	err = view.EachSet(ctx, w.m, w.views[w.from], of, func(r *view.Reader, set uint32) (found []edge, err error) {
		terms, err := r.Words(set)
		if err != nil {
			return nil, err
		}
		probe := <-probes
		defer func() { probes <- probe }()
		return w.collect(set, func(add func(uint32, measure.Score)) error {
			return probe.Find(ctx, terms, w.views[w.to].Table.Len(), add)
		})
	}, func(_ uint32, found []edge) error {
		w.add(found)
		return nil
	})
	for range host.Workers() {
		probe := <-probes
		w.met.Add(probe.Met)
		w.compared.Add(probe.Compared)
	}
	return n, err
}

// own looks for the sets of a block in it, on all cores.
func (w *wordsJoin) own(ctx context.Context, sets []uint32, probes chan *join.WordsProbe) error {
	ctx, stage := progress.Begin(ctx, "sets joined", int64(len(sets)))
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range host.Workers() {
		g.Go(func() error {
			probe := <-probes
			defer func() { probes <- probe }()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(sets) {
					return nil
				}
				if err := w.m.Interrupted(ctx); err != nil {
					return err
				}
				found, err := w.collect(sets[i], func(add func(uint32, measure.Score)) error { return probe.FindOwn(ctx, i, sets[i], add) })
				if err != nil {
					return err
				}
				w.add(found)
				stage.Add(1)
			}
		})
	}
	return g.Wait()
}

// collect makes edges of what a search finds for a set.
func (w *wordsJoin) collect(set uint32, find func(add func(uint32, measure.Score)) error) (found []edge, err error) {
	err = find(func(other uint32, s measure.Score) {
		if (!w.self() || other != set) && (w.again == nil || !w.again(set, other)) && w.may(w.leg, set, other) {
			found = append(found, newEdge(node{set, uint16(w.from)}, node{other, uint16(w.to)}, s, false))
		}
	})
	return found, err
}
