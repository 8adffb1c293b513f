package join

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

// This file deals buckets to the cells that their ranks meet in.

// A stretch is ranks that follow one another: [from,to).
type stretch struct{ from, to uint32 }

func (s stretch) len() int { return int(s.to - s.from) }

// deal is what all dealers have in common.
//
// What is dealt to a cell is slices of buckets: two words say how many low and how many
// high ranks follow, numbered within their stretches. Above a low rank is the tier of its
// token.
type deal struct {
	*running
	stretches []stretch
	first     []int                  // of a low stretch, the number of its first cell, with itself
	limits    [][lastTier + 1]uint32 // of so many low ranks: the last rank that a tier reaches; nil: all
	cells     int
}

const limitRanks = 256

func (j *running) deal() *deal {
	d, n := &deal{running: j}, uint32(len(j.number))
	for from := uint32(0); from < n; from += j.length {
		d.stretches = append(d.stretches, stretch{from, min(from+j.length, n)})
	}
	if j.ofSets {
		d.findLimits()
	}
	for i := range d.stretches {
		d.first = append(d.first, d.cells)
		d.cells += d.reached(i) - i + 1
	}
	return d
}

func (d *deal) findLimits() {
	d.limits = make([][lastTier + 1]uint32, len(d.number)/limitRanks+1)
	var of demand
	for rank := range uint32(len(d.number)) {
		of.of(d.ranks, rank)
		l := &d.limits[rank/limitRanks]
		for tier := range of.tier + 1 {
			l[tier] = max(l[tier], of.reach[tier])
		}
	}
}

// reached returns the last stretch with ranks that those of stretch i may be
// paired with. Where only members count, the last rank reaches farthest.
func (d *deal) reached(i int) int {
	if !d.ofSets {
		return len(d.stretches) - 1
	}
	last := d.stretches[i].to - 1
	return int(d.reachOf(last, d.sizeAt(last)) / d.length)
}

// tokens deals them.
func (d *deal) tokens(ctx context.Context) (extents, error) {
	total := int64(0)
	for _, s := range d.Sides {
		total += s.Tokens.Count(index.PartOf(d.met) + 1)
	}
	ctx, stage := progress.Begin(ctx, "tokens read", total)
	dealt, memory := make(extents, d.workers), d.apart.Apart()
	defer memory.Free()
	var next, read atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for i := range d.workers {
		r := d.reader(newWriter(d.dealt, d.cells, d.buffer, memory))
		g.Go(func() error {
			for {
				from := uint64(next.Add(1)-1) * d.width
				if from >= tokens {
					dealt[i] = r.extents
					return r.flushAll()
				}
				n, err := r.tokens(ctx, from, min(from+d.width, tokens))
				if err != nil {
					return err
				}
				read.Add(int64(n))
				stage.Add(n)
			}
		})
	}
	err := g.Wait()
	d.stats.Postings = read.Load()
	return dealt, err
}

// dealer is one worker that deals buckets.
type dealer struct {
	*deal
	*writer
	reader
}

// bucket deals a bucket: low ranks, with their tiers, probe high ones. Both ascend. Ranks
// that meet nobody are left out.
func (d *dealer) bucket(lows, highs []uint32) error {
	kept, last, i := lows[:0], uint32(0), 0
	for _, x := range lows {
		rank := x & rankMask
		for i < len(highs) && highs[i] <= rank {
			i++
		}
		if i == len(highs) {
			break
		}
		limit := highs[len(highs)-1]
		if d.limits != nil {
			limit = d.limits[rank/limitRanks][x>>rankBits]
		}
		if highs[i] <= limit {
			if len(kept) == 0 {
				highs, i = highs[i:], 0
			}
			kept, last = append(kept, x), max(last, limit)
		}
	}
	for len(kept) > 0 {
		k := int(kept[0] & rankMask / d.length)
		n := inStretch(kept, d.stretches[k])
		for len(highs) > 0 && highs[0] <= kept[0]&rankMask {
			highs = highs[1:]
		}
		if err := d.slices(k, kept[:n], highs, last); err != nil {
			return err
		}
		kept = kept[n:]
	}
	return nil
}

// slices deals low ranks of a stretch with the high ones up to the last.
func (d *dealer) slices(i int, lows, highs []uint32, last uint32) error {
	for len(highs) > 0 && highs[0] <= last {
		k := int(highs[0] / d.length)
		if i+1 < len(d.first) && k-i >= d.first[i+1]-d.first[i] {
			return nil // too large for all of them
		}
		n := inStretch(highs, d.stretches[k])
		b, err := d.room(d.first[i]+k-i, 2+len(lows)+n)
		if err != nil {
			return err
		}
		b = append(b, uint32(len(lows)), uint32(n))
		for _, x := range lows {
			b = append(b, x-d.stretches[i].from)
		}
		for _, y := range highs[:n] {
			b = append(b, y-d.stretches[k].from)
		}
		if err := d.put(d.first[i]+k-i, b); err != nil {
			return err
		}
		highs = highs[n:]
	}
	return nil
}

// inStretch returns how many ranks, of which the first is in a stretch, are in it.
func inStretch(ranks []uint32, s stretch) int {
	if ranks[len(ranks)-1]&rankMask < s.to {
		return len(ranks)
	}
	n, _ := slices.BinarySearchFunc(ranks, s.to, func(x, to uint32) int { return int(x&rankMask) - int(to) })
	return n
}
