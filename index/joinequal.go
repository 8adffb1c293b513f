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
// which halves what sorting moves. Workers scatter their shares of the words to
// parts; then one puts a part in order of its buckets, in its cache, as the set
// and the 32 bits behind the block, and compares each of these with those ahead
// of it, 16 at a time. What was cut off is looked up in the view for the few
// pairs that the rest lets through: of 28 bits beside the block, as a million
// sets leave, one pair of unrelated fingerprints in 70,000.
const (
	equalDist    = blocks - 1
	equalPart    = 5 // bits that tell the parts
	equalParts   = 1 << equalPart
	equalBuckets = leads / equalParts // of a part
	equalPile    = 4 * chunkSets      // words of a part in one place, at most
	equalStride  = equalPile + 16     // so that piles do not all begin in the same lines of the cache
	equalRoom    = 1 << 13            // words compared in one go
	equalAhead   = 16                 // words that one is compared with
	equalMaybe   = 1024               // pairs looked up at a time
)

// equalJoin is a join up to equalDist.
type equalJoin struct {
	*nearJoin
	v      View
	hashes []*[chunkSets]uint64 // of v's chunks
	whole  []bool               // which of these have no holes
	sets   uint64               // mask of the bits of a word that are the set's
	shares []*equalShare
	hands  []*equalWorker
	homes  [1 << blocks]int8
	block  int          // by which words are being put in order
	next   atomic.Int64 // part
}

// equalShare is the words of some chunks, scattered: of a part those of its piles.
type equalShare struct {
	from, to int // chunks
	words    []uint64
	piles    [equalParts][]equalPiled
}

// equalPiled is words[from:to] of a share.
type equalPiled struct{ from, to uint32 }

// equal joins the sets of v, one block after the other, with 11 bytes for each set.
func (j *nearJoin) equal(ctx context.Context, v View, workers int) error {
	e := equalJoin{nearJoin: j, v: v, homes: homes(j.dist), sets: 1<<max(bits.Len32(v.n), 1) - 1}
	for _, c := range v.chunks {
		e.hashes = append(e.hashes, c.simHash)
	}
	chunks := (int(v.n) + chunkSets - 1) / chunkSets
	e.whole = make([]bool, chunks)
	for k := range workers {
		e.hands = append(e.hands, &equalWorker{join: &e, nearWorker: nearWorker{nearJoin: j, number: k}, hits: make([]sketch.Hit, equalRoom)})
		e.shares = append(e.shares, &equalShare{from: chunks * k / workers, to: chunks * (k + 1) / workers})
	}
	var err error
	for e.block = 0; e.block <= j.dist && err == nil; e.block++ {
		err = e.join(ctx)
	}
	for _, w := range e.hands {
		w.flush()
		e.compared.Add(w.done)
	}
	return err
}

// join joins by one block.
func (e *equalJoin) join(ctx context.Context) error {
	g, scattering := errgroup.WithContext(ctx)
	for _, s := range e.shares {
		g.Go(func() error { return e.scatter(scattering, s) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	e.next.Store(0)
	g, ctx = errgroup.WithContext(ctx)
	for _, w := range e.hands {
		w.ctx = ctx
		g.Go(w.work)
	}
	return g.Wait()
}

// scatter piles up the words of a share.
func (e *equalJoin) scatter(ctx context.Context, s *equalShare) error {
	room := ((s.to-s.from)*chunkSets/(equalPile-chunkSets) + 1 + equalParts) * equalStride
	s.words = slices.Grow(s.words[:0], room)[:room]
	next := uint32(0)
	var ends [equalParts]uint32
	for p := range ends {
		s.piles[p] = append(s.piles[p][:0], equalPiled{from: next})
		ends[p] = next
		next += equalStride
	}
	var live liveSets
	for i := s.from; i < s.to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for p, end := range ends {
			pile := &s.piles[p][len(s.piles[p])-1]
			if end-pile.from > equalPile-chunkSets { // all of the chunk may go there
				pile.to = end
				s.piles[p] = append(s.piles[p], equalPiled{from: next})
				ends[p] = next
				next += equalStride
			}
		}
		c, n := e.v.chunks[i], min(chunkSets, int(e.v.n)-i*chunkSets)
		if e.block == 0 {
			e.whole[i] = !slices.Contains(c.distinct[:n], 0)
		}
		hashes, numbers := c.simHash[:n], allNumbers[:n]
		if !e.whole[i] {
			hashes, numbers = live.of(c, n)
		}
		scatter(s.words, &ends, hashes, numbers, e.block*blockBits, ^e.sets, uint64(i*chunkSets))
	}
	for p, end := range ends {
		s.piles[p][len(s.piles[p])-1].to = end
	}
	return nil
}

// liveSets is what is no hole of a chunk.
type liveSets struct {
	hashes  [chunkSets]uint64
	numbers [chunkSets]uint32 // in the chunk
}

// allNumbers are those of a chunk without holes.
var allNumbers = func() (all [chunkSets]uint32) {
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}()

// of returns the fingerprints of the first n sets of a chunk, and their numbers.
func (l *liveSets) of(c *chunk, n int) (hashes []uint64, numbers []uint32) {
	m := 0
	for i, size := range c.distinct[:n] {
		l.hashes[m], l.numbers[m] = c.simHash[i], uint32(i)
		m += int(min(size, 1))
	}
	return l.hashes[:m], l.numbers[:m]
}

// equalWorker compares parts.
type equalWorker struct {
	nearWorker
	join *equalJoin
	at   [equalBuckets]uint32

	// The words of a part in order, and their 32 bits behind the block, with room
	// for those that the last is compared with.
	words  []uint64
	low    []uint32
	ranges []sketch.Ahead
	room   int // what these may find
	hits   []sketch.Hit
	maybe  [equalMaybe]equalPair
	maybes int
}

// equalPair is two sets that may be near, and what their fingerprints differ in.
type equalPair struct {
	a, b uint32
	diff uint64
}

func (w *equalWorker) work() error {
	for {
		p := int(w.join.next.Add(1) - 1)
		if p >= equalParts {
			w.check()
			return nil
		}
		if err := w.part(p); err != nil {
			return err
		}
	}
}

// part puts the words of a part in order of their buckets and compares each bucket.
func (w *equalWorker) part(p int) error {
	at := &w.at
	clear(at[:])
	for _, s := range w.join.shares {
		for _, pile := range s.piles[p] {
			count(at, s.words[pile.from:pile.to])
		}
	}
	n := uint32(0)
	for i, m := range at {
		at[i] = n
		n += m
		w.done += int64(m) * (int64(m) - 1) / 2
	}
	w.words = slices.Grow(w.words[:0], int(n))[:n]
	for _, s := range w.join.shares {
		for _, pile := range s.piles[p] {
			place(w.words, at, s.words[pile.from:pile.to])
		}
	}
	w.low = slices.Grow(w.low[:0], int(n)+equalAhead)[:n+equalAhead]
	narrow(w.low, w.words)
	if err := w.ahead(0, n, 1); err != nil {
		return err
	}
	from := uint32(0)
	for _, end := range at {
		if from+equalAhead+1 < end {
			if err := w.bucket(from, end); err != nil {
				return err
			}
		}
		from = end
	}
	return w.compare()
}

// bucket compares what of a bucket is too far ahead for one go.
func (w *equalWorker) bucket(from, end uint32) error {
	for ; from+equalAhead+1 < end; from += min(equalRoom/2, end-from) {
		to := min(from+equalRoom/2, end)
		for by := uint32(equalAhead + 1); from+by < end; by += equalAhead {
			if err := w.ahead(from, min(to, end-by), by); err != nil {
				return err
			}
		}
	}
	return nil
}

// ahead compares the words [from, to) with those behind them, sooner or later.
func (w *equalWorker) ahead(from, to, by uint32) error {
	for from < to {
		n := min(to-from, uint32(len(w.hits)-w.room))
		w.ranges = append(w.ranges, sketch.Ahead{From: from, To: from + n, By: by})
		w.room += int(n)
		if from += n; w.room == len(w.hits) {
			if err := w.compare(); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares what the ranges say, and forgets them.
func (w *equalWorker) compare() error {
	if w.asked += int64(w.room); w.asked > 1<<18 {
		if w.asked = 0; w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	sets, block := w.join.sets, w.join.block
	n := sketch.NearAhead(w.hits, w.low, w.ranges, ^uint32(sets>>(64-blockBits-32)), w.dist)
	w.ranges, w.room = w.ranges[:0], 0
	// Where the next block is the same too, the pair is another one's; but equal
	// fingerprints are the last one's.
	least, first := uint64(1)<<(64-2*blockBits), uint64(0)
	switch {
	case block == blocks-1:
		least, first = least-1, 1
	case block == w.dist:
		least = 0
	}
	for _, hit := range w.hits[:n] {
		if w.maybes+equalAhead > len(w.maybe) {
			w.check()
		}
		x := w.words[hit.I]
		for near := hit.Near; near != 0; near &= near - 1 {
			j := int(hit.J) + bits.TrailingZeros32(near)
			if j >= len(w.words) {
				break
			}
			y := w.words[j]
			w.maybe[w.maybes%equalMaybe] = equalPair{a: uint32(x & sets), b: uint32(y & sets)}
			if (x^y)&^sets-first >= least {
				w.maybes++
			}
		}
	}
	return nil
}

// check reports the pairs that are near, if they are the block's. Looking all of
// them up first waits for memory side by side.
func (w *equalWorker) check() {
	maybe := w.maybe[:w.maybes]
	w.maybes = 0
	hashes := w.join.hashes
	for i := range maybe {
		p := &maybe[i]
		p.diff = hashes[p.a/chunkSets][p.a%chunkSets] ^ hashes[p.b/chunkSets][p.b%chunkSets]
	}
	for _, p := range maybe {
		if dist := bits.OnesCount64(p.diff); dist <= w.dist && int(w.join.homes[sameBlocks(p.diff)]) == w.join.block {
			w.pair(p.a, p.b, dist)
		}
	}
}

// sameBlocks returns a bit for each block that is the same in fingerprints that
// differ in diff, bit b for block b.
func sameBlocks(diff uint64) int {
	const low, high = 0x7fff7fff7fff7fff, 0x8000800080008000
	same := ^(diff&low + low | diff) & high // at a block's highest bit
	// One product puts the four side by side, block 0 last.
	return int(same >> 15 * (1<<63 | 1<<46 | 1<<29 | 1<<12) >> 60)
}

// homes returns, by the blocks in which fingerprints within dist bits are the
// same, the one that reports them: of all four one behind which they differ, as
// far as words tell, and the last for equal ones and when fewer are looked at.
func homes(dist int) (home [1 << blocks]int8) {
	for same := range home {
		home[same] = -1
		for b := range dist + 1 {
			if same>>b&1 != 0 && (home[same] < 0 || dist < equalDist || same>>((b+1)%blocks)&1 == 0) {
				home[same] = int8(b)
			}
		}
	}
	home[len(home)-1] = int8(dist)
	return home
}
