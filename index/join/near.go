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

// This file joins fingerprints, either by their blocks or by comparing all with
// all.

// A NearPair is two sets whose fingerprints differ in Dist bits.
type NearPair struct {
	A, B uint32
	Dist uint8
}

// Near finds the pairs of a set of v with one of w that are within dist bits,
// each once. If self is true, w is v, and the pairs are those within v, with A
// < B. Worker number k of workers calls found(k, pairs), in no order. It uses
// the list again, so found must not keep it. compared counts the comparisons.
//
// With flat it compares all with all. Otherwise it uses what index.Near uses:
// two fingerprints within dist have a block in which they are within its
// radius. The fingerprints are sorted by one block after the other, and each
// bucket is compared with the buckets within the radius. A pair is found by the
// first such block.
//
// It takes 12 bytes of memory for each set and block. It sorts as many blocks
// at a time as there are workers, at most 4, as far as budget bytes allow.
func Near(ctx context.Context, v, w index.View, self bool, dist int, flat bool, workers int, budget int64, found func(worker int, pairs []NearPair)) (compared int64, err error) {
	workers = max(workers, 1)
	j := nearJoin{dist: dist, radii: index.RadiiOf(dist), self: self, found: found, compared: new(atomic.Int64)}
	if flat || len(flips(j.radii[0])) > int(v.Len()) { // there would be more buckets to look at than fingerprints
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

type nearJoin struct {
	dist     int
	radii    index.Radii
	self     bool
	found    func(worker int, pairs []NearPair)
	compared *atomic.Int64
}

// These are how much a worker takes at a time, and the tiles of two buckets
// that it compares.
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
	done   int64 // fingerprints held against others
	asked  int64 // done, when the context was last asked
}

// work takes shares of the blocks until there are none left.
func (w *nearWorker) work(todo []blockOf, next *atomic.Int64, stage *progress.Stage) error {
	for {
		from := (next.Add(1) - 1) * nearShare
		i := 0
		for i < len(todo) && from >= int64(rounded(len(todo[i].x.sets), nearShare)) {
			from -= int64(rounded(len(todo[i].x.sets), nearShare))
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

func rounded(n, to int) int { return (n + to - 1) / to * to }

// share compares the fingerprints [from, to) of a block with all that may be
// near them.
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

// tile compares x[from:end] with y[lo:hi], in pieces for which there is room.
func (w *nearWorker) tile(b *blockOf, from, end, lo, hi uint32, triangle bool) error {
	if w.done-w.asked > 1<<22 {
		if w.asked = w.done; w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	w.done += int64(end-from) * int64(hi-lo)
	xs, ys := b.x.hashes[from:end], b.y.hashes[lo:lo+uint32(rounded(int(hi-lo), 8))]
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

func (w *nearWorker) pair(a, b uint32, dist int) {
	if w.self && a > b {
		a, b = b, a
	}
	if w.pairs = append(w.pairs, NearPair{a, b, uint8(dist)}); len(w.pairs) == 4096 {
		w.flush()
	}
}

func (w *nearWorker) flush() {
	if len(w.pairs) > 0 {
		w.found(w.number, w.pairs)
		w.pairs = w.pairs[:0]
	}
}

// These are the costs of Near, in nanoseconds, with AVX-512 and where memory is
// not in the cache.
const (
	sortNanos    = 20  // put one fingerprint in order of one block
	bucketNanos  = 100 // begin to compare two buckets
	compareNanos = .2
	skew         = 3 // so many more are in a bucket than were they spread evenly
)

// NearCost predicts how many nanoseconds Near takes to join n sets with
// themselves, by blocks and flat, so that the planner can choose.
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
