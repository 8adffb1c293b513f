package join

import (
	"context"
	"slices"
	"sort"

	"github.com/simdb/simdb/internal/progress"
)

// This file goes through the cells that a join was dealt to.

// inCells deals the postings and the heads to cells, and joins these.
func (j *postingJoin) inCells(ctx context.Context, p plan, scratch Scratch, found func([]Pair) error) error {
	d := j.newDeal(p, scratch)
	heads, err := d.heads(ctx)
	if err != nil {
		return err
	}
	dealt, err := d.postings(ctx)
	if err != nil {
		return err
	}
	j.lookup.Free()
	j.stats.Cells, j.stats.Dealt = int64(p.cells), 4*(heads.words()+dealt.words())
	n := int(d.length)
	ofHeads := int64(2 * n * bytesOfLongHead)
	t := &table{deal: d, heads: heads, found: found}
	t.cell = newCell(j.Ranks, j.memory, n, 2*n, p.workers, p.memory-int64(len(j.set))*bytesPerRank/2-ofHeads, j.entries, &j.stats)
	t.words = j.memory.Words(2 * n * longWords)
	ctx, stage := progress.Begin(ctx, "cells joined", int64(p.cells))
	for i := range p.stretches {
		t.lowOf = -1
		for k := i; k <= d.reached(i); k++ {
			if list := dealt.of(d.first[i] + k - i); len(list) > 0 {
				if err := t.join(ctx, i, k, list); err != nil {
					return err
				}
			}
			stage.Add(1)
		}
	}
	t.cell.ranges, t.cell.meetings, t.words = nil, nil, nil
	j.memory.Free()
	return t.handOver()
}

// table is where cells are joined, one after another.
type table struct {
	*deal
	cell  *cell
	heads extents
	words []uint64 // of the heads
	lowOf int      // the stretch whose heads are those of the low ranks; −1: none
	wide  uint32   // of that stretch

	pairs []uint64 // found and not handed over
	found func([]Pair) error
}

// join joins the cell of stretches i and k, to which list was dealt.
func (t *table) join(ctx context.Context, i, k int, list []extent) (err error) {
	c := t.cell
	c.reset(t.stretches[i], t.stretches[k])
	if c.head, err = t.headsOf(ctx, i, k); err != nil {
		return err
	}
	c.read = func(ctx context.Context, p *keyRange) error { return t.readDealt(ctx, list, p) }
	for w, p := range c.ranges {
		first, end := len(list)*w/t.workers, len(list)*(w+1)/t.workers
		p.keySpan = keySpan{first: uint64(first) << 32, end: uint64(end) << 32}
	}
	return c.join(ctx, func(pairs []uint64, _ bool) error {
		t.pairs = append(t.pairs, pairs...)
		if len(t.pairs) <= c.most {
			return nil
		}
		return t.handOver()
	})
}

func (t *table) handOver() error {
	slices.Sort(t.pairs)
	pairs := unpacked(t.pairs)
	t.pairs = t.pairs[:0]
	return t.found(pairs)
}

// headsOf reads the heads of a cell. Those of low ranks stay for the next one.
func (t *table) headsOf(ctx context.Context, i, k int) (h sigHeads, err error) {
	lows, low, high := t.stretches[i].len(), t.headLength(i), t.headLength(k)
	if t.lowOf != i {
		if t.wide, err = t.readHeads(ctx, t.heads.of(i), low, t.words); err != nil {
			return h, err
		}
		t.lowOf = i
	}
	n := lows
	h.of, h.wide = t.words, t.wide
	if i != k {
		n += t.stretches[k].len()
		wide, err := t.readHeads(ctx, t.heads.of(k), high, t.words[lows*low:])
		if err != nil {
			return h, err
		}
		if wide > 0 {
			h.wide = uint32(lows) + wide
		}
	}
	switch { // heads are not shorter in a higher stretch
	case low == longWords:
		h.long = 0
	case high == longWords:
		h.long = uint32(lows)
	default:
		h.long = uint32(n)
	}
	return h, nil
}

// readDealt reads what was dealt to a cell. Its places are extent<<32 | word.
func (t *table) readDealt(ctx context.Context, list []extent, p *keyRange) error {
	for p.next < p.end && !p.full() {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, at := list[p.next>>32], uint32(p.next)
		p.dealt = grown(p.dealt, x.n)
		if err := t.scratch.Read(p.dealt, x.at); err != nil {
			return err
		}
		for at < x.n && !p.full() {
			first := p.dealt[at]
			if first < sliceMark {
				p.listed = append(p.listed, uint64(first)<<32|uint64(p.dealt[at+1]))
				at += 2
				continue
			}
			members := p.dealt[at+1:][:first&^sliceMark]
			p.addSlice(members, t.cell)
			at += 1 + uint32(len(members))
		}
		if p.next += uint64(at - uint32(p.next)); at == x.n {
			p.next = p.next>>32<<32 + 1<<32
		}
	}
	return nil
}

// addSlice keeps a slice of a bucket. Where the stretches of the cell differ,
// low ones meet high ones only.
func (p *keyRange) addSlice(members []uint32, c *cell) {
	lows, listed := uint32(c.low.len()), len(p.listed)
	first := sort.Search(len(members), func(i int) bool { return members[i]>>1 >= lows })
	meets := func(i int) int { return i + 1 } // the first that member i may meet
	if c.low != c.high {
		meets = func(int) int { return first }
	}
	for i, x := range members[:first] {
		if m := meets(i); x&1 == 0 && m < len(members) && members[m] <= p.limit(x>>1) {
			p.listed = append(p.listed, uint64(x>>1)<<32|inBucket|uint64(len(p.buckets)+m-1))
		}
	}
	if len(p.listed) > listed {
		p.buckets = append(append(p.buckets, members...), bucketEnd)
	}
}
