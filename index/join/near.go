package join

import (
	"context"
	"math/bits"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
	"github.com/simdb/simdb/internal/sketch"
)

// Joining fingerprints, by blocks or by comparing all pairs.

// NearPair is two sets with fingerprints that differ in Dist bits.
type NearPair struct {
	A, B uint32
	Dist uint8
}

// Near finds the pairs of a set of v and a set of w within dist bits, each once. With self, w is
// v, and A < B. Worker k of workers calls found(k, pairs), in no order; it reuses the slice, so
// found must not retain it. compared is the number of comparisons.
//
// With flat it compares all pairs. Otherwise it uses the property behind index.Near: two
// fingerprints within dist have a block in which they are within the radius of that block. It
// sorts the fingerprints by each block, and compares each bucket with the buckets within the
// radius. The first such block reports the pair.
//
// It takes 12 bytes per set and block, and sorts as many blocks at a time as there are workers,
// at most 4, within budget bytes.
func Near(ctx context.Context, v, w index.View, self bool, dist int, flat bool, workers int, budget int64, found func(worker int, pairs []NearPair)) (compared int64, err error) {
	workers = max(workers, 1)
	j := nearJoin{dist: dist, radii: index.RadiiOf(dist), self: self, found: found, compared: new(atomic.Int64)}
	if flat || len(flips(j.radii[0])) > int(v.Len()) { // more buckets to visit than fingerprints
		err = j.join(ctx, v, w, []blockOf{{shift: 64}}, workers)
		return j.compared.Load(), err
	}
	var todo []blockOf
	for b, r := range j.radii {
		if r >= 0 {
			todo = append(todo, blockOf{number: b, shift: 64 - index.BlockBits*(b+1), flips: flips(r)})
		}
	}
	sets := int64(v.Len())
	if !self {
		sets += int64(w.Len())
	}
	atATime := min(max(int(budget/(12*sets+1)), 1), workers, len(todo))
	for len(todo) > 0 && err == nil {
		n := min(atATime, len(todo))
		err = j.join(ctx, v, w, todo[:n], workers)
		todo = todo[n:]
	}
	return j.compared.Load(), err
}

// nearJoin is the state of Near.
type nearJoin struct {
	dist     int
	radii    index.Radii
	self     bool
	found    func(worker int, pairs []NearPair)
	compared *atomic.Int64
}

// The fingerprints that a worker takes at a time, and the tiles of two buckets that it compares.
const (
	nearShare = 1024
	tileXs    = 128
	tileYs    = 1024
)

// join compares the buckets of some blocks.
func (j *nearJoin) join(ctx context.Context, v, w index.View, todo []blockOf, workers int) error {
	g, sorting := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range todo {
		b := &todo[i]
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			if b.x, err = b.bucket(sorting, v); err == nil {
				if b.y = b.x; !j.self {
					b.y, err = b.bucket(sorting, w)
				}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	n := 0
	for _, b := range todo {
		n += len(b.x.sets)
	}
	ctx, stage := progress.Begin(ctx, "fingerprints compared", int64(n))
	var next atomic.Int64
	g, ctx = errgroup.WithContext(ctx)
	for k := range workers {
		g.Go(func() error {
			w := nearWorker{nearJoin: j, ctx: ctx, number: k, hits: make([]uint64, tileXs*tileYs/8)}
			err := w.work(todo, &next, stage)
			w.flush()
			j.compared.Add(w.done)
			return err
		})
	}
	return g.Wait()
}

// nearWorker is one worker of the join.
type nearWorker struct {
	*nearJoin
	ctx    context.Context
	number int
	hits   []uint64
	pairs  []NearPair
	done   int64 // comparisons
	spent  int64 // comparisons since the last check of the context, with pairCost for each pair
}

// pairCost is the time to report a pair, in comparisons.
const pairCost = 1000

// work takes shares of the blocks until none is left.
func (w *nearWorker) work(todo []blockOf, next *atomic.Int64, stage *progress.Stage) error {
	for {
		from := (next.Add(1) - 1) * nearShare
		i := 0
		for i < len(todo) && from >= int64(roundUp(len(todo[i].x.sets), nearShare)) {
			from -= int64(roundUp(len(todo[i].x.sets), nearShare))
			i++
		}
		if i == len(todo) {
			return nil
		}
		n := uint32(len(todo[i].x.sets))
		if err := w.share(&todo[i], uint32(from), min(n, uint32(from)+nearShare)); err != nil {
			return err
		}
		stage.Add(int(min(n, uint32(from)+nearShare) - uint32(from)))
	}
}

// roundUp rounds n up to a multiple of to.
func roundUp(n, to int) int { return (n + to - 1) / to * to }

// share compares the fingerprints [from, to) of a block with all fingerprints in buckets within
// the radius.
func (w *nearWorker) share(b *blockOf, from, to uint32) error {
	x, y := b.x, b.y
	for from < to {
		lead := b.lead(x.hashes[from])
		end := min(to, x.start[lead+1])
		lo, hi := y.start[lead], y.start[lead+1]
		if w.self {
			for i := from; i < end; i += tileXs {
				if err := w.tile(b, i, min(end, i+tileXs), i, min(end, i+tileXs), true); err != nil {
					return err
				}
				if err := w.cross(b, i, min(end, i+tileXs), min(end, i+tileXs), hi); err != nil {
					return err
				}
			}
		} else if err := w.cross(b, from, end, lo, hi); err != nil {
			return err
		}
		for _, flip := range b.flips {
			other := lead ^ flip
			if w.self && other < lead {
				continue
			}
			if lo, hi := y.start[other], y.start[other+1]; lo < hi {
				if err := w.cross(b, from, end, lo, hi); err != nil {
					return err
				}
			}
		}
		from = end
	}
	return nil
}

// cross compares x[from:end] with y[lo:hi].
func (w *nearWorker) cross(b *blockOf, from, end, lo, hi uint32) error {
	for i := from; i < end; i += tileXs {
		for k := lo; k < hi; k += tileYs {
			if err := w.tile(b, i, min(end, i+tileXs), k, min(hi, k+tileYs), false); err != nil {
				return err
			}
		}
	}
	return nil
}

// tile compares x[from:end] with y[lo:hi], which must fit hits.
func (w *nearWorker) tile(b *blockOf, from, end, lo, hi uint32, triangle bool) error {
	if w.spent > 1<<22 {
		if w.spent = 0; w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	w.done += int64(end-from) * int64(hi-lo)
	w.spent += int64(end-from) * int64(hi-lo)
	xs, ys := b.x.hashes[from:end], b.y.hashes[lo:lo+uint32(roundUp(int(hi-lo), 8))]
	n := sketch.NearPairs(w.hits, xs, ys, w.dist, triangle)
	for _, hit := range w.hits[:n] {
		i := from + uint32(hit>>40)
		for near := hit & 0xff; near != 0; near &= near - 1 {
			k := lo + uint32(hit>>8)*8 + uint32(bits.TrailingZeros64(near))
			if i >= end || k >= hi {
				continue
			}
			if x := b.x.hashes[i] ^ b.y.hashes[k]; w.radii.First(b.number, x) {
				w.pair(b.x.sets[i], b.y.sets[k], bits.OnesCount64(x))
			}
		}
	}
	return nil
}

// pair adds a pair to the batch.
func (w *nearWorker) pair(a, b uint32, dist int) {
	if w.self && a > b {
		a, b = b, a
	}
	w.spent += pairCost
	if w.pairs = append(w.pairs, NearPair{a, b, uint8(dist)}); len(w.pairs) == 4096 {
		w.flush()
	}
}

// flush passes the batch to found.
func (w *nearWorker) flush() {
	if len(w.pairs) > 0 {
		w.found(w.number, w.pairs)
		w.pairs = w.pairs[:0]
	}
}

// Costs of Near in nanoseconds, with AVX-512 and data outside of the cache.
const (
	sortNanos    = 20  // sort one fingerprint by one block
	bucketNanos  = 100 // begin to compare two buckets
	compareNanos = .2
	skew         = 3 // excess of bucket sizes over an even distribution
)

// NearCost predicts the nanoseconds of Near for n sets with themselves, by blocks and flat, for
// the planner.
func NearCost(n, dist int) (byBlocks, flat float64) {
	all := float64(n) * float64(n) / 2
	for b := range index.Blocks {
		if r := index.Radius(b, dist); r >= 0 {
			volume := index.Ball(r)
			byBlocks += float64(n)*sortNanos + float64(min(n, index.Leads))*volume/2*bucketNanos + all*volume/index.Leads*skew*compareNanos
		}
	}
	return byBlocks, all * compareNanos
}
