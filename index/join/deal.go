package join

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// This file deals buckets to cells: it reads the postings once, and writes for
// each cell what meets in it to scratch.

// deal is what all dealers have in common.
//
// What is dealt to a cell is pairs and slices of buckets, of local ranks. A pair
// is two words, low and high. A slice is a word of sliceMark with a number, and as
// many members as it says, ascending, rank<<1 | long: the low ones that are not
// long, and the high ones.
type deal struct {
	*postingJoin
	plan
	scratch Scratch
	limits  *limits
	length  uint32   // of a stretch; the last may be shorter
	number  []uint32 // of each limitRanks, that of their stretch
	first   []int    // of a low stretch, the number of its first cell, with itself
}

const sliceMark = 1 << 31

// extent is words that lie together in scratch.
type extent struct {
	at int64
	n  uint32
}

// extents are what is dealt to each cell, by worker.
type extents [][][]extent

// of lists what all workers dealt to a cell.
func (x extents) of(cell int) []extent {
	var all []extent
	for _, cells := range x {
		all = append(all, cells[cell]...)
	}
	return all
}

func (x extents) words() (n int64) {
	for _, cells := range x {
		for _, list := range cells {
			for _, e := range list {
				n += int64(e.n)
			}
		}
	}
	return n
}

func (j *postingJoin) newDeal(p plan, scratch Scratch) *deal {
	d := &deal{postingJoin: j, plan: p, scratch: scratch, limits: j.coarseLimits(), length: p.stretches[0].to}
	for i := range d.limits.coarse {
		d.number = append(d.number, uint32(i*limitRanks)/d.length)
	}
	cell := 0
	for i := range p.stretches {
		d.first = append(d.first, cell)
		cell += d.reached(i) - i + 1
	}
	return d
}

// reached returns the last stretch with ranks that those of stretch i may be
// paired with.
func (d *deal) reached(i int) int {
	return int(d.reachOf(int(d.stretches[i].to)-1) / d.length)
}

// postings deals all buckets.
func (d *deal) postings(ctx context.Context) (extents, error) {
	d.beginReading(ctx)
	dealt := make(extents, d.workers)
	spans, dealers := d.spans(d.workers), make([]*dealer, d.workers)
	memory := d.lookup.Apart()
	defer memory.Free()
	g, ctx := errgroup.WithContext(ctx)
	for w := range d.workers {
		to := &dealer{deal: d, writer: newWriter(d.scratch, d.cells, d.buffer, memory), span: spans[w], pairs: make([]uint64, 0, pairsOf(fewSets))}
		dealers[w] = to
		g.Go(func() error {
			if err := d.readBuckets(ctx, &to.span, to); err != nil {
				return err
			}
			dealt[w] = to.extents
			return to.flushAll()
		})
	}
	err := g.Wait()
	for _, to := range dealers {
		d.stats.Postings += to.span.stats.Postings
		d.stats.Pairs += to.span.stats.Pairs
	}
	return dealt, err
}

// dealer is one worker that deals buckets.
type dealer struct {
	*deal
	*writer
	span  keySpan
	pairs []uint64
	lows  []uint32
	words []uint32
}

func (d *dealer) full() bool { return false }

// addBucket deals a bucket.
func (d *dealer) addBucket(bucket []uint32) error {
	if len(bucket) > fewSets {
		bucket = sorted(bucket)
		d.span.stats.Pairs += pairsOf(len(bucket))
		return d.slices(bucket)
	}
	d.span.stats.Pairs += pairsOf(len(bucket))
	d.pairs = d.limits.appendPairs(d.pairs[:0], bucket)
	for _, p := range d.pairs {
		low, high := uint32(p>>32), uint32(p)
		i, k := d.number[low/limitRanks], d.number[high/limitRanks]
		low, high = low-i*d.length, high-k*d.length
		if i != k {
			high += d.length
		}
		if err := d.pair(d.first[i]+int(k-i), low, high); err != nil {
			return err
		}
	}
	return nil
}

// slices deals a bucket that ascends to the cells of each stretch that has low
// ones of it.
func (d *dealer) slices(bucket []uint32) error {
	for len(bucket) > 1 {
		i := d.number[bucket[0]>>1/limitRanks]
		n := d.inStretch(bucket, i)
		d.lows = d.lows[:0]
		limit := uint32(0)
		for _, x := range bucket[:n] {
			if x&1 == 0 {
				d.lows = append(d.lows, x-i*d.length<<1)
				limit = d.limits.coarse[x>>1/limitRanks]
			}
		}
		if len(d.lows) > 0 {
			if err := d.slicesOf(i, bucket, n, limit); err != nil {
				return err
			}
		}
		bucket = bucket[n:]
	}
	return nil
}

// inStretch returns how many of the first members of a bucket are in stretch i.
func (d *dealer) inStretch(bucket []uint32, i uint32) int {
	n, _ := slices.BinarySearch(bucket, (i+1)*d.length<<1)
	return n
}

// slicesOf deals the first n members of a bucket, of stretch i, with each other
// and with what follows up to the limit.
func (d *dealer) slicesOf(i uint32, bucket []uint32, n int, limit uint32) error {
	d.words = d.words[:0]
	for _, x := range bucket[:n] {
		d.words = append(d.words, x-i*d.length<<1)
	}
	if err := d.slice(d.first[i], d.words, 0); err != nil {
		return err
	}
	for bucket = bucket[n:]; len(bucket) > 0 && bucket[0] <= limit; bucket = bucket[n:] {
		k := d.number[bucket[0]>>1/limitRanks]
		n = d.inStretch(bucket, k)
		d.words = append(d.words[:0], d.lows...)
		for _, x := range bucket[:n] {
			d.words = append(d.words, x-(k-1)*d.length<<1)
		}
		if err := d.slice(d.first[i]+int(k-i), d.words, len(d.lows)); err != nil {
			return err
		}
	}
	return nil
}

// slice deals members to a cell, the first of which are low, or all if lows is 0.
// A few are dealt as pairs.
func (d *dealer) slice(cell int, members []uint32, lows int) error {
	if len(members) > fewSets {
		return d.record(cell, members)
	}
	for a, low := range members {
		if lows > 0 && a == lows {
			break
		}
		for _, high := range members[max(a+1, lows):] {
			if low&1 == 0 {
				if err := d.pair(cell, low>>1, high>>1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writer gathers the words of one worker for each of many places.
type writer struct {
	scratch Scratch
	buffers [][]uint32
	extents [][]extent
}

// newWriter makes one with so many words of memory for each place.
func newWriter(scratch Scratch, places, buffer int, memory Memory) *writer {
	w := &writer{scratch: scratch, buffers: make([][]uint32, places), extents: make([][]extent, places)}
	all := memory.Halves(places * buffer)
	for i := range w.buffers {
		w.buffers[i] = all[i*buffer : i*buffer : (i+1)*buffer]
	}
	return w
}

func (w *writer) pair(place int, low, high uint32) error {
	b := w.buffers[place]
	if len(b)+2 > cap(b) {
		if err := w.flush(place); err != nil {
			return err
		}
		b = w.buffers[place]
	}
	w.buffers[place] = append(b, low, high)
	return nil
}

// record writes a slice.
func (w *writer) record(place int, members []uint32) error {
	head := [...]uint32{sliceMark | uint32(len(members))}
	return w.put(place, head[:], members)
}

// put writes words that stay together. More than a buffer has room for lie alone.
func (w *writer) put(place int, lists ...[]uint32) error {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	if len(w.buffers[place])+n > cap(w.buffers[place]) {
		if err := w.flush(place); err != nil {
			return err
		}
	}
	if n > cap(w.buffers[place]) {
		return w.append(place, slices.Concat(lists...))
	}
	for _, l := range lists {
		w.buffers[place] = append(w.buffers[place], l...)
	}
	return nil
}

func (w *writer) flush(place int) error {
	b := w.buffers[place]
	w.buffers[place] = b[:0]
	return w.append(place, b)
}

func (w *writer) append(place int, words []uint32) error {
	if len(words) == 0 {
		return nil
	}
	at, err := w.scratch.Append(words)
	w.extents[place] = append(w.extents[place], extent{at, uint32(len(words))})
	return err
}

func (w *writer) flushAll() error {
	for place := range w.buffers {
		if err := w.flush(place); err != nil {
			return err
		}
	}
	return nil
}
