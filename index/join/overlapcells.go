package join

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/internal/progress"
)

// This file joins sets by shared members cell by cell: their tokens are read once, and
// the buckets dealt to the cells that their ranks meet in.

// overlapDeal is what all dealers have in common.
//
// What is dealt to a cell is slices of buckets: two words say how many low and how many
// high ranks follow, numbered within their stretches.
type overlapDeal struct {
	*overlapJoin
	stretches []stretch
	first     []int // of a low stretch, the number of its first cell, with itself
	cells     int
}

func (j *overlapJoin) deal() *overlapDeal {
	d, n := &overlapDeal{overlapJoin: j}, uint32(len(j.number))
	for from := uint32(0); from < n; from += j.length {
		d.stretches = append(d.stretches, stretch{from, min(from+j.length, n)})
	}
	for i := range d.stretches {
		d.first = append(d.first, d.cells)
		d.cells += d.reached(i) - i + 1
	}
	return d
}

// reached returns the last stretch with ranks that those of stretch i may be paired
// with. Where only members count, the last rank reaches farthest.
func (d *overlapDeal) reached(i int) int {
	if !d.Formula.OfSets() {
		return len(d.stretches) - 1
	}
	last := d.stretches[i].to - 1
	return int(d.reachOf(last, d.size(d.number[last])) / d.overlapPlan.length)
}

// inCells deals all tokens, and joins cell by cell.
func (j *overlapJoin) inCells(ctx context.Context) error {
	d := j.deal()
	dealt, readers, err := d.tokens(ctx)
	if err != nil {
		return err
	}
	j.apart.Free()
	j.stats.Cells, j.stats.Dealt, j.once = int64(d.cells), 4*dealt.words(), true
	c := j.newCell(min(int(j.length), len(j.number)), j.room)
	ctx, stage := progress.Begin(ctx, "cells joined", int64(d.cells))
	for i, low := range d.stretches {
		for k := i; k <= d.reached(i); k++ {
			if list := dealt.of(d.first[i] + k - i); len(list) > 0 {
				c.reset(low, d.stretches[k])
				if err := c.join(ctx, list); err != nil {
					return err
				}
			}
			stage.Add(1)
		}
	}
	j.counted(readers, c)
	return nil
}

// tokens deals them.
func (d *overlapDeal) tokens(ctx context.Context) (extents, []*overlapReader, error) {
	d.beginReading(ctx)
	dealt, memory := make(extents, d.workers), d.apart.Apart()
	defer memory.Free()
	readers := d.readers(func(int) []uint32 { return nil })
	g, ctx := errgroup.WithContext(ctx)
	for i, r := range readers {
		to := &overlapDealer{overlapDeal: d, writer: newWriter(d.Scratch, d.cells, d.buffer, memory)}
		g.Go(func() error {
			if err := r.readTo(ctx, to); err != nil {
				return err
			}
			dealt[i] = to.extents
			return to.flushAll()
		})
	}
	return dealt, readers, g.Wait()
}

// overlapDealer is one worker that deals buckets.
type overlapDealer struct {
	*overlapDeal
	*writer
	words []uint32
}

func (d *overlapDealer) full() bool { return false }

// bucket deals a bucket.
func (d *overlapDealer) bucket(lows, highs []uint32) error {
	for len(lows) > 0 {
		i := int(lows[0] / d.length)
		n := inStretch(lows, d.stretches[i])
		for len(highs) > 0 && highs[0] <= lows[0] {
			highs = highs[1:]
		}
		if err := d.slices(i, lows[:n], highs); err != nil {
			return err
		}
		lows = lows[n:]
	}
	return nil
}

// slices deals low ranks of a stretch with the high ones.
func (d *overlapDealer) slices(i int, lows, highs []uint32) error {
	for len(highs) > 0 {
		k := int(highs[0] / d.length)
		if i+1 < len(d.first) && k-i >= d.first[i+1]-d.first[i] {
			return nil // too large for all of them
		}
		n := inStretch(highs, d.stretches[k])
		d.words = append(d.words[:0], uint32(len(lows)), uint32(n))
		for _, x := range lows {
			d.words = append(d.words, x-d.stretches[i].from)
		}
		for _, y := range highs[:n] {
			d.words = append(d.words, y-d.stretches[k].from)
		}
		if err := d.put(d.first[i]+k-i, d.words); err != nil {
			return err
		}
		highs = highs[n:]
	}
	return nil
}

// inStretch returns how many ranks, of which the first is in a stretch, are in it.
func inStretch(ranks []uint32, s stretch) int {
	n := 1
	for n < len(ranks) && ranks[n] < s.to {
		n++
	}
	return n
}

// join joins the cell that list was dealt to. If it has no room at once it is joined in
// rounds: a pair that must share so many members shares its part of them in one.
func (c *overlapCell) join(ctx context.Context, list []extent) error {
	words := 0
	for _, x := range list {
		words += int(x.n)
	}
	rounds := (words-1)/(c.room*len(c.tables)) + 1
	c.once = rounds == 1
	if !c.once {
		c.part = func(uint32) (of, all uint64) { return 1, uint64(rounds) }
	}
	for round := range rounds {
		each, fill := errgroup.WithContext(ctx)
		for i, t := range c.tables {
			n, at := len(c.tables)*rounds, round*len(c.tables)+i
			each.Go(func() error { return c.fill(fill, t, list[len(list)*at/n:len(list)*(at+1)/n]) })
		}
		if err := each.Wait(); err != nil {
			return err
		}
		c.stats.Rounds++
		if err := c.probe(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fill reads what was dealt to a cell.
func (c *overlapCell) fill(ctx context.Context, t *overlapTable, list []extent) error {
	t.clear()
	var words []uint32
	for _, x := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		words = grown(words, x.n)
		if err := c.Scratch.Read(words, x.at); err != nil {
			return err
		}
		for at := uint32(0); at < x.n; {
			lows, highs := words[at], words[at+1]
			at += 2
			if err := t.bucket(words[at:at+lows], words[at+lows:at+lows+highs]); err != nil {
				return err
			}
			at += lows + highs
		}
	}
	t.findPlaces()
	return nil
}
