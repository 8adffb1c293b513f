package join

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
)

// This file goes through the ranks that meet in buckets, and compares the pairs
// by their signatures.

// meet joins the buckets of a round for the ranks from from on, below to, until
// there are enough pairs. It returns one sorted list of pairs for each worker.
// No pair is there twice, and no pair is in known. Apart from these, the lists
// have all pairs of the ranks below reached, which is at least from + 1.
func (j *postingJoin) meet(ctx context.Context, from, to int, known []uint64) (found [][]uint64, reached int, err error) {
	const stretch = 64 // ranks that a worker takes at a time
	var next, pairs atomic.Int64
	next.Store(int64(from))
	g, ctx := errgroup.WithContext(ctx)
	for _, m := range j.meetings {
		g.Go(func() error {
			m.reset(to)
			for first := true; first || int(pairs.Load()) <= j.most; first = false {
				r := int(next.Add(stretch)) - stretch
				if r >= to {
					break
				}
				at, _ := slices.BinarySearch(known, uint64(r)<<32)
				for end := min(r+stretch, to); r < end; {
					if err := ctx.Err(); err != nil {
						return err
					}
					for ; at < len(known) && known[at]>>32 == uint64(r); at++ {
						m.stamps[uint32(known[at])] = uint32(r) + 1
					}
					n := len(m.found)
					m.partners(uint32(r))
					r++
					if int(pairs.Add(int64(len(m.found)-n))) > j.most {
						if r < end {
							m.reached = r
						}
						break
					}
				}
			}
			m.compare()
			slices.Sort(m.found)
			return nil
		})
	}
	err = g.Wait()
	reached = min(to, int(next.Load()))
	for _, m := range j.meetings {
		j.stats.Length += m.length
		reached = min(reached, m.reached)
		found = append(found, m.found)
	}
	return found, reached, err
}

// meeting is one worker of meet.
type meeting struct {
	*postingJoin
	stamps  []uint32 // of a partner's rank: one more than the last rank that met it, or was known to
	reached int      // the first rank that was taken but not gone through
	length  int64
	found   []uint64

	met []uint64 // pairs that are to be compared
}

func (m *meeting) reset(to int) {
	clear(m.stamps)
	m.reached, m.length, m.found = to, 0, nil
}

// partners finds the pairs of rank r with the higher ranks that it can be
// paired with.
func (m *meeting) partners(r uint32) {
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
	const atOnce = 256
	if len(m.met) >= atOnce {
		m.compare()
	}
}

// compare finds those of the pairs met that the signatures allow. Nearly all
// its time is waiting for memory, so it fetches the heads of many pairs at
// once.
func (m *meeting) compare() {
	m.length += int64(len(m.met))
	near := m.met[:0]
	for _, p := range m.met {
		low, high := uint32(p>>32), uint32(p)
		if m.head.apart(low, high) <= m.apart(m.size[low]) {
			near = append(near, p)
		}
	}
	for _, p := range near {
		low, high := p>>32, uint32(p)
		if index.MayResemble(m.t, uint64(m.size[low]), uint64(m.size[high]), m.view.Signature(m.set[low]), m.view.Signature(m.set[high])) {
			m.found = append(m.found, p)
		}
	}
	m.met = m.met[:0]
}
