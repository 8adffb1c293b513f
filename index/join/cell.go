package join

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// This file keeps the buckets of a cell in memory, so that everything that a rank meets is
// found together.

// cell is the pairs of a lower rank of one stretch with a higher one of another, or of the
// same. Low ranks are numbered from 0, and so are high ones.
type cell struct {
	*running
	low, high stretch
	highs     stretch  // the part of the high ones that is at hand
	sizes     []uint32 // of the high ranks: distinct members, and all
	tables    []*table
	probers   []*prober
}

// table is buckets of a cell. One worker fills it.
type table struct {
	chunks []stretch // of the words: whole buckets
	start  []uint32  // places[start[x]:start[x+1]] are the buckets that low rank x probes
	places []uint32  // the place of a bucket in the words, and above it the tier of the token
}

const (
	placeBits = 29
	placeMask = 1<<placeBits - 1
)

// newCell makes the tables of cells with at most so many low ranks, and as many high
// ones.
func (j *running) newCell(n int) *cell {
	c := &cell{running: j, sizes: j.Memory.Halves(2 * n)}
	for range j.workers {
		c.tables = append(c.tables, &table{start: j.Memory.Halves(n + 1)})
		c.probers = append(c.probers, &prober{cell: c, counts: j.Memory.Halves(n)})
	}
	return c
}

// join joins the cell of two stretches that list was dealt to. If it has no room, it is
// divided.
func (c *cell) join(ctx context.Context, low, high stretch, list []extent) error {
	return c.joinPart(ctx, low, high, low, high, list)
}

// joinPart joins the pairs of a cell with ranks in some parts of its stretches.
func (c *cell) joinPart(ctx context.Context, low, high, lows, highs stretch, list []extent) error {
	if lows.from+1 >= highs.to {
		return nil // no pair
	}
	c.low, c.high, c.highs = low, high, highs
	fits := true
	var err error
	switch whole := lows == low && highs == high; {
	case !c.dealt.full:
		c.share(list)
	case whole:
		fits, err = c.load(list)
	default:
		fits, err = c.loadPart(lows, highs, list)
	}
	if err != nil {
		return err
	}
	if fits {
		return c.probe(ctx, lows)
	}
	if lows.len() >= highs.len() {
		middle := lows.from + uint32(lows.len())/2
		if err := c.joinPart(ctx, low, high, stretch{lows.from, middle}, highs, list); err != nil {
			return err
		}
		return c.joinPart(ctx, low, high, stretch{middle, lows.to}, highs, list)
	}
	middle := highs.from + uint32(highs.len())/2
	if err := c.joinPart(ctx, low, high, lows, stretch{highs.from, middle}, list); err != nil {
		return err
	}
	return c.joinPart(ctx, low, high, lows, stretch{middle, highs.to}, list)
}

// share shares out what was dealt and is in memory.
func (c *cell) share(list []extent) {
	for i, t := range c.tables {
		t.chunks = t.chunks[:0]
		for _, x := range list[len(list)*i/len(c.tables) : len(list)*(i+1)/len(c.tables)] {
			t.chunks = append(t.chunks, stretch{uint32(x.at), uint32(x.at) + x.n})
		}
	}
}

// load reads what was dealt from scratch; false if it has no room.
func (c *cell) load(list []extent) (fits bool, err error) {
	words := 0
	for _, x := range list {
		words += int(x.n)
	}
	if words > len(c.dealt.words) {
		return false, nil
	}
	at := uint32(0)
	var g errgroup.Group
	for i, t := range c.tables {
		t.chunks = t.chunks[:0]
		own := list[len(list)*i/len(c.tables) : len(list)*(i+1)/len(c.tables)]
		for _, x := range own {
			t.chunks = append(t.chunks, stretch{at, at + x.n})
			at += x.n
		}
		g.Go(func() error {
			for k, x := range own {
				s := t.chunks[k]
				if err := c.dealt.read(c.dealt.words[s.from:s.to], x); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return true, g.Wait()
}

// loadPart is load for some of the ranks. Two of them always fit.
func (c *cell) loadPart(lows, highs stretch, list []extent) (fits bool, err error) {
	var room []uint32
	out, low, high := c.dealt.words[:0], c.within(lows, c.low), c.within(highs, c.high)
	for _, t := range c.tables {
		t.chunks = t.chunks[:0]
	}
	for i, x := range list {
		from := uint32(len(out))
		room = grown(room, int(x.n))
		if err := c.dealt.read(room, x); err != nil {
			return false, err
		}
		for words := room; len(words) > 0; {
			l, h := words[2:][:words[0]], words[2+words[0]:][:words[1]]
			words = words[2+len(l)+len(h):]
			if l, h = part(l, low), part(h, high); len(l) == 0 || len(h) == 0 {
				continue
			}
			if len(out)+2+len(l)+len(h) > cap(out) && lows.len()+highs.len() > 2 {
				return false, nil
			}
			out = append(append(append(out, uint32(len(l)), uint32(len(h))), l...), h...)
		}
		if to := uint32(len(out)); to > from {
			t := c.tables[i%len(c.tables)]
			t.chunks = append(t.chunks, stretch{from, to})
		}
	}
	c.dealt.words = out[:cap(out)]
	return true, nil
}

func (c *cell) within(s, of stretch) stretch { return stretch{s.from - of.from, s.to - of.from} }

// part returns those of ascending ranks that are in a stretch.
func part(ranks []uint32, s stretch) []uint32 {
	if s.from > 0 {
		ranks = ranks[before(ranks, s.from):]
	}
	return ranks[:before(ranks, s.to)]
}

// bucket returns the low and the high ranks of the bucket at a place.
func (c *cell) bucket(at uint32) (lows, highs []uint32) {
	w := c.dealt.words[at:]
	n, m := w[0], w[1]
	return w[2:][:n], w[2+n:][:m]
}

// findPlaces lists the buckets of each low rank.
func (c *cell) findPlaces(t *table) {
	t.start = t.start[:c.low.len()+1]
	clear(t.start)
	for _, chunk := range t.chunks {
		for at := chunk.from; at < chunk.to; {
			lows, highs := c.bucket(at)
			for _, x := range lows {
				t.start[x&rankMask]++
			}
			at += 2 + uint32(len(lows)+len(highs))
		}
	}
	sum := uint32(0)
	for x, n := range t.start {
		t.start[x] = sum
		sum += n
	}
	t.places = grown(t.places, int(sum))
	for _, chunk := range t.chunks {
		for at := chunk.from; at < chunk.to; {
			lows, highs := c.bucket(at)
			for _, x := range lows {
				to := &t.start[x&rankMask]
				t.places[*to] = at | x>>rankBits<<placeBits
				*to++
			}
			at += 2 + uint32(len(lows)+len(highs))
		}
	}
	copy(t.start[1:], t.start) // starts have become ends
	t.start[0] = 0
}
