package join

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Dividing a cell that exceeds the memory.

// part holds the pairs of a cell with the lower rank in lows and the higher in highs.
type part struct{ lows, highs stretch }

// divided holds the parts of a part, with their buckets in scratch of their own.
type divided struct {
	*store
	parts []part
	dealt extents
}

// mostParts bounds the buffers and the scratch of a division: the other ranks of a bucket are copied to each
// part. More parts are made by dividing parts.
const mostParts = 16

// divide deals the buckets of a part again, to parts of the longer of its two stretches that should fit
// the memory, which holds the buffers meanwhile. The caller closes the scratch.
func (c *cell) divide(ctx context.Context, p part, from *store, list []extent) (*divided, error) {
	whole, ofHighs := p.lows, p.lows.len() < p.highs.len()
	if ofHighs {
		whole = p.highs
	}
	n := min(3*wordsIn(list)/(2*len(c.dealt.words))+2, mostParts, whole.len())
	length := uint32((whole.len() + n - 1) / n)
	d := &divided{store: &store{scratch: c.Scratch.Apart(), full: true}, dealt: make(extents, len(c.tables))}
	for at := whole.from; at < whole.to; at += length {
		x := p
		if s := (stretch{at, min(at+length, whole.to)}); ofHighs {
			x.highs = s
		} else {
			x.lows = s
		}
		d.parts = append(d.parts, x)
	}
	n = len(d.parts)
	first := whole.from - c.low.from // as in buckets
	if ofHighs {
		first = whole.from - c.high.from
	}
	room := len(c.dealt.words) / len(c.tables)
	g, ctx := errgroup.WithContext(ctx)
	for i := range c.tables {
		g.Go(func() error {
			w := writerIn(d.store, n, c.dealt.words[i*room:(i+1)*room])
			var words []uint32
			for _, x := range shareOf(list, i, len(c.tables)) {
				if err := ctx.Err(); err != nil {
					return err
				}
				words = resize(words, int(x.n))
				if err := from.read(words, x); err != nil {
					return err
				}
				for rest := words; len(rest) > 0; {
					lows, highs := bucketIn(rest)
					rest = rest[2+len(lows)+len(highs):]
					if err := w.split(lows, highs, first, length, ofHighs); err != nil {
						return err
					}
				}
			}
			d.dealt[i] = w.extents
			return w.flushAll()
		})
	}
	if err := g.Wait(); err != nil {
		d.scratch.Close()
		return nil, err
	}
	return d, nil
}

// split deals a bucket to parts of its low or high ranks, which begin at first.
func (w *writer) split(lows, highs []uint32, first, length uint32, ofHighs bool) error {
	split := lows
	if ofHighs {
		split = highs
	}
	for len(split) > 0 {
		number := (split[0]&rankMask - first) / length
		end := first + (number+1)*length
		n := inStretch(split, stretch{end - length, end})
		if ofHighs {
			highs = split[:n]
		} else {
			lows = split[:n]
		}
		split = split[n:]
		b, err := w.room(int(number), 2+len(lows)+len(highs))
		if err != nil {
			return err
		}
		b = append(append(append(b, uint32(len(lows)), uint32(len(highs))), lows...), highs...)
		if err := w.put(int(number), b); err != nil {
			return err
		}
	}
	return nil
}

// wordsIn returns the number of words in extents.
func wordsIn(list []extent) (n int) {
	for _, x := range list {
		n += int(x.n)
	}
	return n
}
