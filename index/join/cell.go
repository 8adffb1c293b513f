package join

import (
	"slices"

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
}

// table is buckets of a cell. One worker fills it.
type table struct {
	chunks []stretch // of the words: whole buckets
	start  []uint32  // places[start[x]:start[x+1]] are the buckets that low rank x probes
	places []uint32  // the place of a bucket in the words, and above it the tier of the token
}

// newCell makes the tables of cells with at most so many low ranks, and as many high
// ones.
func (j *running) newCell(n int) *cell {
	c := &cell{running: j, sizes: j.Memory.Halves(2 * n)}
	for range j.workers {
		c.tables = append(c.tables, &table{start: j.Memory.Halves(n + 1)})
	}
	return c
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
			if l, h = low.of(l), high.of(h); len(l) == 0 || len(h) == 0 {
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

// grown returns n words, in b if it has room.
func grown(b []uint32, n int) []uint32 { return slices.Grow(b[:0], n)[:n] }
