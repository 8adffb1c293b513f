package pairs

// Strategy for the cosine of word frequencies: blocks of vectors of one side in memory, and
// searches for the vectors of the other side in each block (docs/decisions/0040).

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// Costs of a join by words, in nanoseconds of one core.
const (
	nanosPerVector     = 120e3 // read a text and build its vector
	nanosPerWordSearch = 2e3   // a search for a set, per set searched
)

// wordsJoin is a pass over vectors in memory.
type wordsJoin struct {
	chosen
	pass
}

// wordsJoined reports whether sets can be joined by words instead of scanned.
func wordsJoined(q *question, access api.Access) bool {
	return search.ByWords(q.Search) && access == api.AccessTerms
}

// chooseWords chooses for a pass between a join of vectors and searches by words, which pay
// off for few sets.
func chooseWords(c chosen, p pass) strategy {
	of, in := p.counts(c.question)
	read := of + in
	if p.self() && p.of == nil && p.in == nil {
		read = of
	}
	c.nanos = float64(read) * nanosPerVector
	if searches := float64(of) * float64(c.views[p.to].Sets) * nanosPerWordSearch; p.of != nil && searches < c.nanos {
		c.why, c.nanos = fmt.Sprintf("join: %d sets searched for ≈ %.0f ms", of, searches/1e6), searches
		return eachSearch{c, p}
	}
	c.why = fmt.Sprintf("join: words of %d sets in memory ≈ %.0f ms", in, c.nanos/1e6)
	return wordsJoin{c, p}
}

// run runs the pass block by block.
func (w wordsJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	of, in := w.live(w.from, w.of), w.live(w.to, w.in)
	all := int64(len(of)) * int64(len(in))
	if w.once() {
		all = int64(len(of)) * int64(len(of)-1) / 2
	}
	var weight func(hash uint64) uint64
	if w.Args.IDF {
		f, err := w.m.Frequencies(ctx, w.weights(w.from, w.to))
		if err != nil {
			return err
		}
		weight = f.Weight
	}
	j := wordsRun{wordsJoin: w, out: out, weight: weight}
	for len(in) > 0 {
		n, err := j.block(ctx, of, in)
		if err != nil {
			return w.m.ClosedOr(err)
		}
		in = in[n:]
	}
	if err := out.equalTexts(ctx, w.pass); err != nil {
		return err
	}
	plan.Filter("rare words in common", true, all, j.met.Load())
	plan.Filter("weights", true, j.met.Load(), j.compared.Load())
	plan.Candidates += j.compared.Load()
	plan.Verified += j.compared.Load()
	return nil
}

// wordsRun is a running pass.
type wordsRun struct {
	wordsJoin
	out           *found
	weight        func(hash uint64) uint64
	met, compared atomic.Int64
}

// block builds a block of the first sets of in, within half the memory budget, and searches
// in it. It returns the number of sets in the block.
func (w *wordsRun) block(ctx context.Context, of, in []uint32) (n int, err error) {
	b := join.NewWords(w.Min, w.weight)
	err = view.EachSet(ctx, w.m, w.views[w.to], in, (*view.Reader).Words, func(set uint32, terms measure.Vector) error {
		if b.Len() > 0 && b.Bytes(host.Workers()) > w.m.MemoryBytes/2 {
			return disk.ErrEnough
		}
		b.Add(set, terms)
		return nil
	})
	if err != nil && !errors.Is(err, disk.ErrEnough) {
		return 0, err
	}
	if err := b.Build(ctx); err != nil {
		return 0, err
	}
	n = b.Len()
	probes := make(chan *join.WordsProbe, host.Workers()) // idle probes
	for range host.Workers() {
		probes <- b.Probe()
	}
	if w.once() { // earlier blocks are done, and this block is in memory
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
		w.out.add(found)
		return nil
	})
	for range host.Workers() {
		probe := <-probes
		w.met.Add(probe.Met)
		w.compared.Add(probe.Compared)
	}
	return n, err
}

// own searches for the sets of a block in the block, on all cores.
func (w *wordsRun) own(ctx context.Context, sets []uint32, probes chan *join.WordsProbe) error {
	ctx, stage := progress.Begin(ctx, "sets joined", int64(len(sets)))
	return w.out.inStretches(ctx, len(sets), 1, func(ctx context.Context, i, _ int, _ []edge) ([]edge, error) {
		if err := w.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		probe := <-probes
		defer func() { probes <- probe }()
		defer stage.Add(1)
		return w.collect(sets[i], func(add func(uint32, measure.Score)) error { return probe.FindOwn(ctx, i, sets[i], add) })
	})
}

// collect returns edges for the hits of a set.
func (w *wordsRun) collect(set uint32, find func(add func(uint32, measure.Score)) error) (found []edge, err error) {
	err = find(func(other uint32, s measure.Score) {
		if (!w.self() || other != set) && (w.again == nil || !w.again(set, other)) && w.may(w.sides, set, other) {
			found = append(found, newEdge(node{set, uint16(w.from)}, node{other, uint16(w.to)}, s, false))
		}
	})
	return found, err
}
