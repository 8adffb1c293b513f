package join

import (
	"slices"

	"golang.org/x/sync/errgroup"
)

// The buckets of a cell, in memory at the same time so that all matches of a rank are found
// together.

// cell holds the pairs of a lower rank in one stretch with a higher rank in the same or another
// stretch. Both kinds of rank are numbered from 0.
type cell struct {
	*running
	low, high stretch
	highs     stretch  // the high ranks in the current part
	sizes     []uint32 // distinct and total members of the high ranks
	tables    []*table
}

// table holds some buckets of a cell. One worker fills it.
type table struct {
	chunks []stretch // of the words: whole buckets
	start  []uint32  // low rank x probes the buckets places[start[x]:start[x+1]]
	places []uint32  // offset of a bucket in the words, with the tier of the token in the high bits
}

// newCell allocates tables for cells with at most n low and n high ranks.
func (j *running) newCell(n int) *cell {
	c := &cell{running: j, sizes: j.Memory.Halves(2 * n)}
	for range j.workers {
		c.tables = append(c.tables, &table{start: j.Memory.Halves(n + 1)})
	}
	return c
}

// share divides buckets that are in memory among the tables.
func (c *cell) share(list []extent) {
	for i, t := range c.tables {
		t.chunks = t.chunks[:0]
		for _, x := range shareOf(list, i, len(c.tables)) {
			t.chunks = append(t.chunks, stretch{uint32(x.at), uint32(x.at) + x.n})
		}
	}
}

// load reads dealt buckets from scratch; false if they exceed the memory. A part of one low and one
// high rank cannot be divided, so it gets more memory.
func (c *cell) load(from *store, list []extent, indivisible bool) (fits bool, err error) {
	if more := wordsIn(list) - len(c.dealt.words); more > 0 {
		if !indivisible {
			return false, nil
		}
		c.dealt.words = append(c.dealt.words, make([]uint32, more)...)
	}
	at := uint32(0)
	var g errgroup.Group
	for i, t := range c.tables {
		t.chunks = t.chunks[:0]
		own := shareOf(list, i, len(c.tables))
		for _, x := range own {
			t.chunks = append(t.chunks, stretch{at, at + x.n})
			at += x.n
		}
		g.Go(func() error {
			for k, x := range own {
				s := t.chunks[k]
				if err := from.read(c.dealt.words[s.from:s.to], x); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return true, g.Wait()
}

// bucket returns the low and high ranks of the bucket at an offset.
func (c *cell) bucket(at uint32) (lows, highs []uint32) { return bucketIn(c.dealt.words[at:]) }

// bucketIn returns the low and high ranks of the bucket at the begin of words.
func bucketIn(words []uint32) (lows, highs []uint32) {
	n, m := words[0], words[1]
	return words[2:][:n], words[2+n:][:m]
}

// findPlaces fills the table with the buckets of each low rank.
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
	t.places = resize(t.places, int(sum))
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

// resize returns a slice of n words that reuses b if possible.
func resize(b []uint32, n int) []uint32 { return slices.Grow(b[:0], n)[:n] }
