package join

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

// This file probes the buckets of a cell with one low rank after another.

// probe lets each low rank probe the buckets in the tables.
func (c *overlapCell) probe(ctx context.Context) error {
	const stretch = 64 // ranks that a worker takes at a time
	var next atomic.Int64
	ctx, stage := progress.Begin(ctx, "sets joined", int64(c.low.len()))
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range c.probers {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= c.low.len() {
					return c.take(ctx, p)
				}
				for x := from; x < min(from+stretch, c.low.len()); x++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					p.partners(uint32(x))
				}
				stage.Add(min(stretch, c.low.len()-from))
				if len(p.pairs) > c.most/len(c.probers) {
					if err := c.take(ctx, p); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// overlapProbe is one worker.
type overlapProbe struct {
	*overlapCell
	counts []uint32 // of a high rank: how often it was met; 0 between probes
	met    int64    // counted in all
	shared int64    // partners that shared enough
	pairs  []uint64

	lists       [][]uint32 // the buckets of the rank at hand, short ones first
	partnersMet []uint32
}

// partners finds the pairs of low rank x.
func (p *overlapProbe) partners(x uint32) {
	have := 0
	for _, t := range p.tables {
		have += int(t.start[x+1] - t.start[x])
	}
	from, to := p.within(x)
	if have == 0 || from == to {
		return
	}
	of, all := uint64(1), uint64(1)
	if p.part != nil {
		of, all = p.part(x)
	}
	need := int((of*uint64(p.need[x]) + all - 1) / all)
	if have < need {
		return
	}
	p.list(x, have)
	partners := p.count(from, to, have-need+1)
	partners = p.sift(partners, have-need+1, need)
	for _, y := range partners {
		p.weigh(x, y, of, all)
		p.counts[y] = 0
	}
}

// list finds the buckets of a rank, in the order of their lengths' magnitude.
func (p *overlapProbe) list(x uint32, have int) {
	var at [33]int // where the next bucket of a magnitude goes
	each := func(yield func(magnitude int, bucket []uint32)) {
		for _, t := range p.tables {
			for _, place := range t.places[t.start[x]:t.start[x+1]] {
				b := t.members[t.ends[place]:t.ends[place+1]]
				yield(bits.Len32(uint32(len(b))), b)
			}
		}
	}
	each(func(m int, _ []uint32) { at[m]++ })
	sum := 0
	for m, n := range at {
		at[m], sum = sum, sum+n
	}
	p.lists = slices.Grow(p.lists[:0], have)[:have]
	each(func(m int, b []uint32) {
		p.lists[at[m]] = b
		at[m]++
	})
}

// count goes through the first n buckets, and returns who was met of the ranks
// [from,to).
func (p *overlapProbe) count(from, to uint32, n int) []uint32 {
	met := p.partnersMet[:0]
	for _, bucket := range p.lists[:n] {
		if len(bucket) > 32 {
			i, _ := slices.BinarySearch(bucket, from)
			bucket = bucket[i:]
		}
		for _, y := range bucket {
			if y < from {
				continue
			}
			if y >= to {
				break
			}
			p.met++
			if p.counts[y]++; p.counts[y] == 1 {
				met = append(met, y)
			}
		}
	}
	p.partnersMet = met
	return met
}

// sift asks the other buckets for those that were met. It returns those that are met
// need times.
func (p *overlapProbe) sift(met []uint32, n, need int) []uint32 {
	for ; n < len(p.lists) && len(met) > 0; n++ {
		left := len(p.lists) - n
		alive := met[:0]
		for _, y := range met {
			if int(p.counts[y])+left < need {
				p.counts[y] = 0
				continue
			}
			alive = append(alive, y)
		}
		met = alive
		bucket := p.lists[n]
		if len(met)*bits.Len(uint(len(bucket))) < len(bucket) {
			p.met += int64(len(met))
			for _, y := range met {
				if _, ok := slices.BinarySearch(bucket, y); ok {
					p.counts[y]++
				}
			}
			continue
		}
		p.met += int64(len(bucket))
		for _, y := range bucket {
			if p.counts[y] > 0 {
				p.counts[y]++
			}
		}
	}
	alive := met[:0]
	for _, y := range met {
		if int(p.counts[y]) >= need {
			alive = append(alive, y)
		} else {
			p.counts[y] = 0
		}
	}
	return alive
}

// weigh takes a pair if the partner was met as often as the sizes of both ask for, and
// if their signatures may share as much.
func (p *overlapProbe) weigh(x, y uint32, of, all uint64) {
	a, b := p.number[p.low.from+x], p.number[p.high.from+y]
	m, n := p.size(a), p.size(b)
	need, ok := p.needOf(m, n, p.side(a))
	if rest := m.Distinct - uint64(p.probes[x]); !ok || need > rest && uint64(p.counts[y])*all < of*(need-rest) {
		return
	}
	p.shared++
	if index.SharedBound(m.Distinct, n.Distinct, p.signature(a), p.signature(b)) >= need {
		p.pairs = append(p.pairs, packed(a, b))
	}
}
