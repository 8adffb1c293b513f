package join

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// This file finds the pairs of a cell, in rounds and portions.

// A stretch is ranks that follow one another: [from,to).
type stretch struct{ from, to uint32 }

func (s stretch) len() int { return int(s.to - s.from) }

// A cell is the pairs with the lower rank in one stretch and the higher one in
// another, which is the same or lies above. A join that has all its tables in
// memory is a single cell. Within a cell ranks are numbered from 0, those of the
// lower stretch first. It holds a pair as low<<32 | high.
type cell struct {
	*Ranks
	low, high stretch
	size      []uint32 // of the low ranks
	reach     []uint32 // the last rank of the cell whose size theirs allows

	head     sigHeads
	begin    func(ctx context.Context)                    // called before buckets are read from the first on; nil for a cell that was dealt
	read     func(ctx context.Context, p *keyRange) error // reads buckets from p.next on, until p is full
	ranges   []*keyRange
	meetings []*meeting // one for each worker
	lengths  []uint32   // of a low rank: what the length filter has left in this portion
	most     int        // pairs that are found at a time; a portion has at most as many, or those of one rank
	whole    bool       // the ranges have all buckets
	stats    *Stats
}

// These are the bytes that a cell takes for each rank, and more for each low
// one; either also for each worker. Then those for each listed rank, as it was
// read and in the order of ranks, and for a set in a bucket. The last are those
// for each pair found at a time: in a list, in the merged lists, in the result,
// and in what the caller makes of it.
const (
	bytesPerLow     = 12
	bytesPerStart   = 4
	bytesPerStamp   = 4
	bytesPerListed  = 12
	bytesPerSet     = 4
	bytesPerPair    = 64
	bytesOfLongHead = 8 * longWords
)

// newCell makes the tables of cells with at most so many low ranks and ranks in
// all, in memory bytes beside the heads. No more than entries are listed.
func newCell(r *Ranks, in Memory, lows, n, workers int, memory int64, entries uint64, stats *Stats) *cell {
	c := &cell{Ranks: r, size: in.Halves(lows), reach: in.Halves(lows), lengths: in.Halves(lows), stats: stats}
	memory -= int64(lows)*bytesPerLow + int64(workers)*int64(bytesPerStart*lows+bytesPerStamp*n)
	c.most = int(max(memory/4/bytesPerPair, 16))
	room := max(memory/4*3, 1<<12) / int64(workers)
	room = min(room, int64(entries)*(fewSets-1)*bytesPerListed, 1<<32) // all pairs; inBucket has 31 bits
	listed, inBuckets := int(room/8*7/bytesPerListed)+1, int(room/8/bytesPerSet)+1
	more := n + fewSets*fewSets // the last bucket may exceed the room
	for range workers {
		c.ranges = append(c.ranges, &keyRange{
			mostListed: listed, mostInBuckets: inBuckets,
			listed: in.Words(listed + more)[:0], places: in.Halves(listed + more),
			buckets: in.Halves(inBuckets + more + 1)[:0], start: in.Halves(lows + 1),
		})
		c.meetings = append(c.meetings, &meeting{cell: c, stamps: in.Halves(n)})
	}
	return c
}

// reset prepares the cell of two stretches. The caller sets what is read, and
// the heads.
func (c *cell) reset(low, high stretch) {
	c.low, c.high, c.whole = low, high, false
	c.size, c.reach, c.lengths = c.size[:low.len()], c.reach[:low.len()], c.lengths[:low.len()]
	clear(c.lengths)
	c.spread(int(low.from), c.size, c.reach)
	for i, last := range c.reach {
		c.reach[i] = c.local(min(last, high.to-1))
	}
	limits := c.limits()
	for _, p := range c.ranges {
		p.limits, p.start = limits, p.start[:low.len()+1]
	}
}

// local returns the number within the cell of a rank of its stretches, or the
// number of the last one below it.
func (c *cell) local(rank uint32) uint32 {
	switch {
	case rank < c.low.to:
		return rank - c.low.from
	case rank < c.high.from:
		return c.low.to - c.low.from - 1
	}
	return rank - c.high.from + c.low.to - c.low.from
}

// setAt returns the set of a rank of the cell.
func (c *cell) setAt(local uint32) uint32 {
	if n := c.low.to - c.low.from; local >= n {
		return c.set[c.high.from+local-n]
	}
	return c.set[c.low.from+local]
}

// join calls found with the pairs of the cell, as packed sets in any order, a
// portion at a time. last is true for the last portion.
func (c *cell) join(ctx context.Context, found func(pairs []uint64, last bool) error) error {
	n := c.low.len()
	for from := 0; from < n; {
		pairs, to, err := c.portion(ctx, from)
		if err != nil {
			return err
		}
		for i, p := range pairs {
			pairs[i] = packed(c.setAt(uint32(p>>32)), c.setAt(uint32(p)))
		}
		c.stats.Signature += int64(len(pairs))
		for _, n := range c.lengths[from:to] {
			c.stats.Length += int64(n)
		}
		clear(c.lengths[to:]) // they come again
		if err := found(pairs, to == n); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// portion finds the pairs of the low ranks [from, to), sorted. Where a portion
// ends depends on nothing but the sets, and the memory.
func (c *cell) portion(ctx context.Context, from int) (pairs []uint64, to int, err error) {
	to = c.low.len()
	for round := 0; ; round++ {
		more := false
		if round == 0 && !c.whole && c.begin != nil {
			c.begin(ctx)
		}
		if !c.whole {
			if more, err = c.fill(ctx, round == 0); err != nil {
				return nil, 0, err
			}
			c.whole = round == 0 && !more
		}
		found, err := c.meet(ctx, from, to, pairs)
		if err != nil {
			return nil, 0, err
		}
		pairs = merged(append(found, pairs)) // each round has found others
		if len(pairs) > c.most {
			to = min(to, max(from+1, int(pairs[c.most]>>32)))
			n, _ := slices.BinarySearch(pairs, uint64(to)<<32)
			pairs = pairs[:n]
		}
		if !more {
			return pairs, to, nil
		}
	}
}

// fill reads into each range as many buckets as there is room for. It begins at
// the first of the range, or goes on where it stopped. more reports whether
// there are more.
func (c *cell) fill(ctx context.Context, first bool) (more bool, err error) {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range c.ranges {
		g.Go(func() error {
			if first {
				p.next = p.first
			}
			p.listed, p.buckets, p.stats = p.listed[:0], p.buckets[:0], Stats{}
			if err := c.read(ctx, p); err != nil {
				return err
			}
			p.findPlaces()
			return nil
		})
	}
	err = g.Wait()
	for _, p := range c.ranges {
		c.stats.Postings += p.stats.Postings
		c.stats.Pairs += p.stats.Pairs
		more = more || p.next < p.end
	}
	return more, err
}
