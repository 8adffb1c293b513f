package join

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

// This file goes through the ranks that meet in buckets, and compares the pairs
// by their signatures.

// meet joins the buckets of a round for the low ranks from from on, below to,
// until there are enough pairs. It returns one sorted list of pairs for each
// worker. No pair is there twice, and no pair is in known. Up to the rank with
// which the lists have more than c.most pairs, they have all.
func (c *cell) meet(ctx context.Context, from, to int, known []uint64) (found [][]uint64, err error) {
	const atATime = 256 // ranks that a worker takes
	var next, pairs atomic.Int64
	next.Store(int64(from))
	ctx, stage := progress.Begin(ctx, "sets joined", int64(to-from))
	g, ctx := errgroup.WithContext(ctx)
	for _, m := range c.meetings {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			m.reset()
			for enough := false; !enough && int(pairs.Load()) <= c.most; {
				r := int(next.Add(atATime)) - atATime
				if r >= to {
					break
				}
				first := r
				n := len(m.found)
				at, _ := slices.BinarySearch(known, uint64(r)<<32)
				for end := min(r+atATime, to); r < end && !enough; r++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					for ; at < len(known) && known[at]>>32 == uint64(r); at++ {
						m.stamps[uint32(known[at])] = uint32(r) + 1
					}
					m.partners(uint32(r))
					enough = len(m.found)-n > c.most
				}
				m.compare()
				stage.Add(min(atATime, to-first))
				pairs.Add(int64(len(m.found) - n))
			}
			slices.Sort(m.found)
			return nil
		})
	}
	err = g.Wait()
	for _, m := range c.meetings {
		found = append(found, m.found)
	}
	return found, err
}

// meeting is one worker of meet.
type meeting struct {
	*cell
	stamps []uint32 // of a partner: one more than the last rank that met it, or was known to
	found  []uint64

	met []uint64 // pairs that are to be compared
}

func (m *meeting) reset() {
	clear(m.stamps)
	m.found = nil
}

// partners finds the pairs of rank r with the higher ranks that it can be
// paired with.
func (m *meeting) partners(r uint32) {
	n := len(m.met)
	for _, p := range m.ranges {
		limit := p.limit(r)
		for _, other := range p.places[p.start[r]:p.start[r+1]] {
			if other < inBucket {
				if other<<1 < limit && m.stamps[other] != r+1 {
					m.stamps[other] = r + 1
					m.met = append(m.met, uint64(r)<<32|uint64(other))
				}
				continue
			}
			for _, x := range p.buckets[other-inBucket+1:] {
				if x > limit { // also bucketEnd
					break
				}
				if other := x >> 1; m.stamps[other] != r+1 {
					m.stamps[other] = r + 1
					m.met = append(m.met, uint64(r)<<32|uint64(other))
				}
			}
		}
	}
	m.lengths[r] += uint32(len(m.met) - n)
	const atOnce = 256
	if len(m.met) >= atOnce {
		m.compare()
	}
}

// compare finds those of the pairs met that the signatures allow. Nearly all
// its time is waiting for memory, so it fetches the heads of many pairs at
// once.
func (m *meeting) compare() {
	near := m.met[:0]
	for _, p := range m.met {
		low, high := uint32(p>>32), uint32(p)
		if m.head.apart(low, high) <= m.apart(m.size[low]) {
			near = append(near, p)
		}
	}
	for _, p := range near {
		a, b := m.setAt(uint32(p>>32)), m.setAt(uint32(p))
		if index.MayResemble(m.t, m.view.Size(a).Distinct, m.view.Size(b).Distinct, m.view.Signature(a), m.view.Signature(b)) {
			m.found = append(m.found, p)
		}
	}
	m.met = m.met[:0]
}
