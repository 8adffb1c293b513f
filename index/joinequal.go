package index

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/sketch"
)

// Up to 3 bits apart, two fingerprints are the same in one block at least, and
// a join within a view is shorter: a fingerprint and its set go into one word,
//
//	the fingerprint, turned so that the block leads, but for its last bits
//	the set, in as many bits as the largest one takes
//
// which halves what sorting moves. What was cut off is looked up in the view for
// the few pairs that the rest lets through: of 28 bits beside the block, as a
// million sets leave, one pair of unrelated fingerprints in 70,000.
//
// The words of a block are scattered to parts once; a worker puts a part in
// order in its cache and compares it there.
const (
	equalDist    = blocks - 1
	equalPart    = 5 // bits that tell the parts
	equalParts   = 1 << equalPart
	equalBuckets = leads / equalParts // of a part
	equalRoom    = 1 << 14            // for what a worker finds in one go, or more where a bucket is large
)

// equalJoin is a join up to equalDist.
type equalJoin struct {
	*nearJoin
	v     View
	kept  int    // bits of a word that are the fingerprint's
	sets  uint64 // mask of the others
	todo  []equalBlock
	next  atomic.Int64 // part, over all blocks
	begun int          // blocks before these
}

// equalBlock is the words of one block, by part.
type equalBlock struct {
	number int
	words  []uint64
	ends   [equalParts]uint32
}

// equal joins the sets of v. Workers take a block each, then parts of these, with
// 8 bytes for each set and block at hand.
func (j *nearJoin) equal(ctx context.Context, v View, workers int, budget int64) error {
	e := equalJoin{nearJoin: j, v: v, kept: 64 - max(bits.Len32(v.n), 1)}
	e.sets = 1<<(64-e.kept) - 1
	all := j.dist + 1
	atATime := min(max(int(budget/(8*int64(v.n)+1)), 1), workers, all)
	for e.begun < all {
		n := min(atATime, all-e.begun)
		if err := e.join(ctx, n, workers); err != nil {
			return err
		}
		e.begun += n
	}
	return nil
}

func (e *equalJoin) join(ctx context.Context, n, workers int) error {
	if e.todo == nil {
		e.todo = make([]equalBlock, n)
	}
	e.todo = e.todo[:n] // with their memory
	e.next.Store(0)
	g, scattering := errgroup.WithContext(ctx)
	for i := range e.todo {
		e.todo[i].number = e.begun + i
		g.Go(func() error { return e.scatter(scattering, &e.todo[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	g, ctx = errgroup.WithContext(ctx)
	for k := range workers {
		g.Go(func() error {
			w := equalWorker{join: e, nearWorker: nearWorker{nearJoin: e.nearJoin, ctx: ctx, number: k, hits: make([]uint64, equalRoom)}}
			err := w.work()
			w.flush()
			e.compared.Add(w.done)
			return err
		})
	}
	return g.Wait()
}

// scatter fills a block's words.
func (e *equalJoin) scatter(ctx context.Context, b *equalBlock) error {
	const shift = 64 - equalPart
	turn := b.number * blockBits
	var at [equalParts]uint32
	for i := uint32(0); i < e.v.n; {
		c, _, end := e.v.part(i, e.v.n)
		for k, h := range c.simHash[:end] {
			at[bits.RotateLeft64(h, turn)>>shift] += min(c.distinct[k], 1)
		}
		i += end
	}
	sum := uint32(0)
	for p, n := range at {
		at[p] = sum
		sum += n
	}
	b.words = slices.Grow(b.words[:0], int(sum))[:sum]
	for i := uint32(0); i < e.v.n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, _, end := e.v.part(i, e.v.n)
		for k, h := range c.simHash[:end] {
			if c.distinct[k] > 0 {
				word := bits.RotateLeft64(h, turn)&^e.sets | uint64(i+uint32(k))
				to := &at[word>>shift]
				b.words[*to] = word
				*to++
			}
		}
		i += end
	}
	b.ends = at
	return nil
}

// equalWorker compares parts.
type equalWorker struct {
	nearWorker
	join  *equalJoin
	words []uint64 // of a part, in order; room for 7 more behind them
	spans []sketch.Span
}

func (w *equalWorker) work() error {
	for {
		p := int(w.join.next.Add(1) - 1)
		if p >= len(w.join.todo)*equalParts {
			return nil
		}
		b, from := &w.join.todo[p/equalParts], uint32(0)
		if p %= equalParts; p > 0 {
			from = b.ends[p-1]
		}
		if err := w.part(b, b.words[from:b.ends[p]]); err != nil {
			return err
		}
	}
}

// part puts words in order of their buckets and compares each bucket.
func (w *equalWorker) part(b *equalBlock, words []uint64) error {
	const shift = 64 - blockBits
	var at [equalBuckets]uint32
	for _, x := range words {
		at[x>>shift%equalBuckets]++
	}
	w.words = slices.Grow(w.words[:0], len(words)+7)[:len(words)]
	from := uint32(0)
	for i, n := range at {
		at[i] = from
		from += n
	}
	for _, x := range words {
		to := &at[x>>shift%equalBuckets]
		w.words[*to] = x
		*to++
	}
	room := 0
	from = 0
	for _, end := range at {
		for s := (sketch.Span{From: from, To: end, End: end}); s.To-s.From > 0 && s.End-s.From > 1; s.From, s.To = s.To, end {
			groups := (s.End - s.From + 7) / 8
			if int(groups) > len(w.hits) { // one word may find as many
				w.hits = make([]uint64, groups)
			}
			s.To = min(s.To, s.From+uint32(len(w.hits))/groups)
			if room+s.Room() > len(w.hits) {
				if err := w.compare(b); err != nil {
					return err
				}
				room = 0
			}
			room += s.Room()
			w.spans = append(w.spans, s)
		}
		from = end
	}
	return w.compare(b)
}

// compare compares the words of the spans, and forgets them.
func (w *equalWorker) compare(b *equalBlock) error {
	if w.asked+1<<22 < w.done {
		if w.asked = w.done; w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	mask := ^w.join.sets
	n := sketch.NearBehind(w.hits, w.words[:len(w.words)+7], w.spans, mask, w.dist)
	for _, s := range w.spans {
		xs, all := int64(s.To-s.From), int64(s.End-s.From)
		w.done += xs * (2*all - xs - 1) / 2
	}
	w.spans = w.spans[:0]
	for _, hit := range w.hits[:n] {
		x, ys := w.words[hit>>32], w.words[uint32(hit):]
		for _, y := range ys[:min(8, len(ys))] {
			if d := (x ^ y) & mask; bits.OnesCount64(d) <= w.dist && d>>(64-blockBits) == 0 {
				w.check(b.number, x, y)
			}
		}
	}
	return nil
}

// check reports the sets of two words of a block if they are near and no block
// behind has them too, which the words often say themselves.
func (w *equalWorker) check(block int, x, y uint64) {
	if block < w.dist && (x^y)>>(64-2*blockBits) == 0 {
		return
	}
	a, b := uint32(x&w.join.sets), uint32(y&w.join.sets)
	d := w.join.v.SimHash(a) ^ w.join.v.SimHash(b)
	for k := block + 1; k <= w.dist; k++ {
		if d>>(64-blockBits*(k+1))%leads == 0 {
			return
		}
	}
	if dist := bits.OnesCount64(d); dist <= w.dist {
		w.pair(a, b, dist)
	}
}
