package join

// Joining a cell: low ranks probe its buckets. A cell that exceeds the memory is divided.

import (
	"context"
	"sync/atomic"

	"github.com/simdb/simdb/index"
	"golang.org/x/sync/errgroup"
)

// joiner is a cell with the workers that probe it.
type joiner struct {
	*cell
	probers []*prober
}

// newJoiner returns a joiner for cells with at most n low and n high ranks.
func (j *running) newJoiner(n int) *joiner {
	c := &joiner{cell: j.newCell(n)}
	for range j.workers {
		c.probers = append(c.probers, &prober{cell: c.cell, counts: j.Memory.Halves(n)})
	}
	return c
}

// join joins the cell of two stretches with the dealt buckets in list, dividing it if necessary.
func (c *joiner) join(ctx context.Context, low, high stretch, list []extent) error {
	c.low, c.high = low, high
	return c.joinPart(ctx, part{low, high}, c.dealt, list)
}

// joinPart joins a part of the cell.
func (c *joiner) joinPart(ctx context.Context, p part, from *store, list []extent) error {
	if p.lows.from+1 >= p.highs.to {
		return nil // no pair
	}
	c.highs = p.highs
	if !c.dealt.full {
		c.share(list)
		return c.probe(ctx, p.lows)
	}
	if fits, err := c.load(from, list, p.lows.len() == 1 && p.highs.len() == 1); err != nil {
		return err
	} else if fits {
		return c.probe(ctx, p.lows)
	}
	d, err := c.divide(ctx, p, from, list)
	if err != nil {
		return err
	}
	defer d.scratch.Close()
	for i, p := range d.parts {
		if list := d.dealt.of(i); len(list) > 0 {
			if err := c.joinPart(ctx, p, d.store, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// probe probes the buckets in the tables with the ranks of lows.
func (c *joiner) probe(ctx context.Context, lows stretch) error {
	const stretch = 64 // ranks that a worker takes at a time
	fill, each := errgroup.WithContext(ctx)
	for _, t := range c.tables {
		fill.Go(func() error {
			c.findPlaces(t)
			return each.Err()
		})
	}
	fill.Go(func() (err error) {
		defer index.CatchUnreadable(&err)()
		for i := c.highs.from - c.high.from; i < c.highs.to-c.high.from; i++ {
			size := c.sizeAt(c.high.from + i)
			c.sizes[2*i], c.sizes[2*i+1] = uint32(size.Distinct), uint32(size.Total)
		}
		return nil
	})
	if err := fill.Wait(); err != nil {
		return err
	}
	var next atomic.Int64
	next.Store(int64(lows.from - c.low.from))
	end := int(lows.to - c.low.from)
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range c.probers {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= end {
					if err := p.compare(ctx); err != nil {
						return err
					}
					return p.deliver(ctx)
				}
				for x := from; x < min(from+stretch, end); x++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					if err := p.partners(ctx, uint32(x)); err != nil {
						return err
					}
				}
				if err := p.relieve(ctx); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}
