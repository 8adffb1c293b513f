package join

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
)

// This file joins sets by counting what each shares with the others.

// Counting finds the pairs that share as many members as the threshold asks,
// whatever it is. It keeps all members of all sets, in memory of the ranks. So it
// suits low thresholds, at which prefixes and signatures tell nothing. For each
// set it goes through the later ones of the lists of its members.
type Counting struct {
	*Ranks
	start   []uint32 // of a rank, in members; and the end
	members []uint64 // high half of a member << 32 | rank
	apart   Memory   // has members, which are needed for a while only

	lists  []uint32 // ascending ranks that have a member, or the high half of one; each ends with bucketEnd
	places []uint32 // by rank, like members: where it stands in lists
}

// bytesPerMember is the most that Counting takes for a member: as it is put, as much
// again to sort it, in a list with its end, and its place.
const bytesPerMember = 8 + 8 + 6 + 4

// CountingBytes is what Counting takes for the sets of the ranks.
func CountingBytes(r *Ranks, workers int) int64 {
	return bytesPerMember*r.Members() + int64(len(r.set))*int64(bytesPerRank+4+8+4*workers)
}

// Members counts the members of all sets.
func (r *Ranks) Members() (n int64) {
	for i, s := range r.steps {
		n += int64(s.size) * int64(r.end(i)-s.from)
	}
	return n
}

// NewCounting returns a join that waits for the members of all sets. There must be
// fewer than 2³¹.
func NewCounting(r *Ranks) *Counting {
	c := &Counting{Ranks: r, start: r.memory.Halves(len(r.set) + 1), apart: r.memory.Apart()}
	at, s := uint32(0), 0
	for rank := range r.set {
		if uint32(rank) >= r.end(s) {
			s++
		}
		c.start[rank] = at
		at += r.steps[s].size
	}
	c.start[len(r.set)] = at
	c.members = c.apart.Words(int(at))
	return c
}

// Put takes the members of a set. It is safe for concurrent use.
func (c *Counting) Put(set uint32, members []uint64) {
	rank := c.rankOf[set]
	own := c.members[c.start[rank]:c.start[rank+1]]
	for i := range own { // a set of another size has been damaged: verification tells
		own[i] = uint64(rank)
		if i < len(members) {
			own[i] |= members[i] >> 32 << 32
		}
	}
}

// Join finds the pairs, when all sets were put. Portions, workers, ctx and memory
// are as in Postings. A pair is compared by the high halves of its members: some
// in a million share less than it seems.
func (c *Counting) Join(ctx context.Context, workers int, memory int64, found func([]Pair) error) (stats Stats, err error) {
	defer c.memory.Free()
	sorted := index.SortEntries(c.members)
	if err := ctx.Err(); err != nil {
		return stats, err
	}
	c.makeLists(sorted)
	c.apart.Free()
	c.flatten()
	workers = max(workers, 1)
	most := max(int((memory-CountingBytes(c.Ranks, workers))/bytesPerPair), 1<<16)
	counters := make([]*counter, workers)
	for w := range counters {
		counters[w] = &counter{Counting: c, shared: c.memory.Halves(len(c.set))}
	}
	var pairs []uint64
	for from := 0; from < len(c.set); {
		to := min(from+1<<12, len(c.set))
		if err := c.count(ctx, counters, from, to); err != nil {
			return stats, err
		}
		for _, w := range counters {
			pairs = append(pairs, w.found...)
			stats.Pairs += w.meets
			stats.Length += w.pairs
			w.found, w.meets, w.pairs = w.found[:0], 0, 0
		}
		if from = to; from == len(c.set) {
			c.lists, c.places = nil, nil
			c.memory.Free()
		} else if len(pairs) < most {
			continue
		}
		slices.Sort(pairs)
		stats.Signature += int64(len(pairs))
		if err := found(unpacked(pairs)); err != nil {
			return stats, err
		}
		pairs = pairs[:0]
	}
	return stats, nil
}

// makeLists makes lists and places of the members that two sets have or more.
func (c *Counting) makeLists(sorted []uint64) {
	n, ends := len(sorted), 0
	same := func(i, k int) bool { return sorted[i]>>32 == sorted[k]>>32 }
	alone := func(i int) bool { return (i == 0 || !same(i-1, i)) && (i+1 == n || !same(i, i+1)) }
	for i := range sorted {
		if !alone(i) && (i+1 == n || !same(i, i+1)) {
			ends++
		}
	}
	c.lists, c.places = c.memory.Halves(n + ends)[:0], c.memory.Halves(n)
	next := slices.Clone(c.start[:len(c.set)])
	for i, x := range sorted {
		if alone(i) {
			continue
		}
		rank := uint32(x)
		c.places[next[rank]] = uint32(len(c.lists)) + 1
		next[rank]++
		c.lists = append(c.lists, rank)
		if i+1 == n || !same(i, i+1) {
			c.lists = append(c.lists, bucketEnd)
		}
	}
}

// count goes through the ranks [from,to).
func (c *Counting) count(ctx context.Context, counters []*counter, from, to int) error {
	var next atomic.Int64
	next.Store(int64(from))
	g, ctx := errgroup.WithContext(ctx)
	for _, w := range counters {
		g.Go(func() error {
			for {
				r := int(next.Add(1)) - 1
				if r >= to {
					return nil
				}
				if err := w.count(ctx, uint32(r)); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// counter is one worker.
type counter struct {
	*Counting
	shared []uint32 // with a later rank; zeros between two calls
	met    []uint32
	found  []uint64
	meets  int64
	pairs  int64
}

// count finds the pairs of one rank with later ones.
func (w *counter) count(ctx context.Context, r uint32) error {
	w.met = w.met[:0]
	last := w.reach[r]
	for i, place := range w.places[w.start[r]:w.start[r+1]] {
		if place == 0 { // the others are alone
			break
		}
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, other := range w.lists[place:] {
			if other > last { // also bucketEnd
				break
			}
			if w.shared[other] == 0 {
				w.met = append(w.met, other)
			}
			w.shared[other]++
		}
	}
	n := uint64(w.size[r])
	for _, other := range w.met {
		shared, m := uint64(w.shared[other]), uint64(w.size[other])
		w.meets += int64(shared)
		w.shared[other] = 0
		if other == r {
			continue // two of its members have one high half
		}
		w.pairs++
		if shared = min(shared, n, m); w.t.Admits(shared, n+m-shared) {
			w.found = append(w.found, packed(w.set[r], w.set[other]))
		}
	}
	return nil
}
