package index

// The rotated tables of paper 004: near fingerprints are found by a block of bits that they
// share (docs/decisions/0007).

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Near appends the sets of the segments with a SimHash within dist bits of q, ascending, each
// once. Four 16-bit blocks lead the rotated tables. Their radii sum to dist − 3, so by the
// pigeonhole principle no match is lost (Manku 07). The segments must ascend. Each set is
// compared with its fingerprint in view. lookups counts the ranges read.
func Near(segments []Stored, view View, q uint64, dist int, dst []uint32) (out []uint32, lookups int, err error) {
	if len(segments) == 0 {
		return dst, 0, nil
	}
	n := nearSearch{view: view, q: q, dist: dist, radii: RadiiOf(dist), dst: dst}
	for b := range Blocks {
		if err := n.block(segments, b); err != nil {
			return dst, n.lookups, err
		}
	}
	if err := n.flush(); err != nil {
		return dst, n.lookups, err
	}
	found := sortUnique(n.dst[len(dst):], segments[0].Lo, segments[len(segments)-1].Hi)
	return n.dst[:len(dst)+len(found)], n.lookups, nil
}

// block looks up the ranges of one block in all segments.
func (n *nearSearch) block(segments []Stored, b int) error {
	turned, radius := bits.RotateLeft64(n.q, b*BlockBits), n.radii[b]
	var several [][2]uint64
	if radius > 0 {
		for lo, hi := range ranges(turned, radius) {
			several = append(several, [2]uint64{lo, hi})
		}
	}
	for i := range segments {
		s := &segments[i]
		run := s.Runs[Rotated0+Kind(b)]
		if run == nil {
			return fmt.Errorf("index: segment [%d,%d) has no rotated table %d", s.Lo, s.Hi, b)
		}
		if radius < 0 || len(run.First) == 0 {
			continue
		}
		r := reach{s: s, run: run, pages: s.Pages(Rotated0 + Kind(b)), block: b, q: turned}
		if radius == 0 { // ranges would yield the same, more slowly
			if r.lo, r.hi = turned, turned; n.dist > 0 {
				r.lo, r.hi = turned>>48<<48, turned|(1<<48-1)
			}
			if err := n.add(r); err != nil {
				return err
			}
		}
		for _, each := range several {
			r.lo, r.hi = each[0], each[1]
			if err := n.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach is a range of keys to look up in one rotated table, with the entry where the range may
// begin.
type reach struct {
	s         *Stored
	run       *Run
	pages     Pages
	block     int
	q, lo, hi uint64 // rotated like the table

	number int // of the page
	data   []byte
	guess  int // estimated first entry
	likely int // estimated end of the range
}

// nearSearch looks up some ranges at a time. Each range incurs three dependent cache misses.
// nearSearch takes each step for all ranges before the next step, so that most misses overlap.
type nearSearch struct {
	view    View
	q       uint64
	dist    int
	radii   Radii
	dst     []uint32
	lookups int

	batch   [16]reach
	n       int
	places  []int // in a page
	found   []uint32
	touched byte // keeps the compiler from removing reads with unused results
}

// add queues a range, and flushes a full batch.
func (n *nearSearch) add(r reach) error {
	n.batch[n.n] = r
	if n.n++; n.n < len(n.batch) {
		return nil
	}
	return n.flush()
}

// flush looks up the queued ranges.
func (n *nearSearch) flush() (err error) {
	batch := n.batch[:n.n]
	n.n = 0
	n.lookups += len(batch)
	for i := range batch {
		batch[i].number = batch[i].run.pageNear(batch[i].lo)
	}
	for i := range batch {
		r := &batch[i]
		if r.data, err = r.pages.Page(r.number); err != nil {
			return err
		}
	}
	touched := byte(0)
	for i := range batch {
		r := &batch[i]
		r.guess = r.run.share(r.number, r.lo)
		r.likely = r.run.share(r.number, r.hi) + flatStep
		end := min(flatHeader+8*r.likely, len(r.data))
		for at := flatHeader + 8*max(r.guess-flatStep, 0); at < end; at += 64 {
			touched += r.data[at]
		}
		if len(r.data) > 0 {
			touched += r.data[0]
		}
	}
	n.touched = touched
	for i := range batch {
		if err := n.read(&batch[i]); err != nil {
			return err
		}
	}
	return nil
}

// read compares the entries of a range.
func (n *nearSearch) read(r *reach) error {
	n.found = n.found[:0]
	for number, data := r.number, r.data; ; {
		p, err := openFlatPage(data)
		if err != nil {
			return fmt.Errorf("page %d: %w", number, err)
		}
		n.places = p.near(p.before(r.lo, min(r.guess, p.n-1)), r.likely, r.hi, r.q, n.dist, n.places[:0])
		n.takeFirst(&p, r)
		if number++; number == len(r.run.First) || r.run.First[number] > r.hi {
			break
		}
		if data, err = r.pages.Page(number); err != nil {
			return err
		}
		r.guess, r.likely = 0, r.run.share(number, r.hi)+flatStep
	}
	for _, rel := range n.found {
		set := r.s.Lo + rel
		if rel < r.s.Hi-r.s.Lo && bits.OnesCount64(n.view.SimHash(set)^n.q) <= n.dist && n.view.has(set) {
			n.dst = append(n.dst, set)
		}
	}
	return nil
}

// takeFirst appends the payloads of places. Every fingerprint is in all four tables, so takeFirst
// skips fingerprints that the table of an earlier block finds.
func (n *nearSearch) takeFirst(p *flatPage, r *reach) {
	for _, i := range n.places {
		if n.radii.First(r.block, bits.RotateLeft64(p.key(i)^r.q, -r.block*BlockBits)) {
			n.found = append(n.found, p.payload(i))
		}
	}
}

// pageNear is pageBefore for evenly distributed keys: it begins at the page where an even
// distribution would put the key.
func (r *Run) pageNear(key uint64) int {
	guess, _ := bits.Mul64(key, uint64(len(r.First)))
	low, high, step := int(guess), int(guess)+1, 1
	for low > 0 && r.First[low] >= key {
		low, high, step = max(low-step, 0), low, 2*step
	}
	for step = 1; high < len(r.First) && r.First[high] < key; step *= 2 {
		low, high = high, min(high+step, len(r.First))
	}
	for low+1 < high { // First[low] < key or low is 0; First[high] ≥ key or high is the end
		if mid := (low + high) / 2; r.First[mid] < key {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// share estimates the index of key in a page, assuming a full page of evenly distributed keys.
func (r *Run) share(number int, key uint64) int {
	first, end := r.First[number], uint64(math.MaxUint64)
	if number+1 < len(r.First) {
		end = r.First[number+1]
	}
	switch {
	case key <= first:
		return 0
	case key >= end:
		return flatEntries - 1
	}
	return int(float64(key-first) / (float64(end-first) + 1) * (flatEntries - 1))
}

// ranges yields the ranges of keys with a leading block within radius bits of that of q,
// ascending, adjacent ranges joined.
func ranges(q uint64, radius int) func(yield func(lo, hi uint64) bool) {
	return func(yield func(lo, hi uint64) bool) {
		lead := q >> (64 - BlockBits)
		var near [Leads / 64]uint64
		for k := range radius + 1 {
			for flips := range Masks(k) {
				x := lead ^ flips
				near[x/64] |= 1 << (x % 64)
			}
		}
		for x := 0; ; {
			from := nextBit(&near, x, 0)
			if from == Leads {
				return
			}
			x = nextBit(&near, from, math.MaxUint64)
			if !yield(uint64(from)<<48, uint64(x)<<48-1) { // the last range ends at 2^64 − 1
				return
			}
		}
	}
}

// nextBit returns the first 1 at or after x, or Leads if there is none. With flip all ones it
// looks for a 0.
func nextBit(set *[Leads / 64]uint64, x int, flip uint64) int {
	for x < Leads {
		if w := (set[x/64] ^ flip) >> (x % 64); w != 0 {
			return x + bits.TrailingZeros64(w)
		}
		x = x/64*64 + 64
	}
	return Leads
}

// Costs of searches for fingerprints, in nanoseconds, with data outside of the cache. Small ranges
// are many and often share a page: among a million sets in five segments 1,300 ranges took 340 µs,
// and 20 ranges 9 µs. There the tables are faster than the flat scan up to 9 bits, and slower from
// 10 bits on.
const (
	lookupNanos    = 220 // one range of one segment
	candidateNanos = 2   // one key in it
	hashNanos      = .42 // one fingerprint of a flat scan
)

// NearCost predicts the nanoseconds of Near and ScanNear for n sets in a number of segments, for
// the planner.
func NearCost(n, segments, dist int) (near, flat float64) {
	for b := range Blocks {
		volume := Ball(Radius(b, dist))
		near += volume*float64(segments)*lookupNanos + float64(n)*volume/Leads*candidateNanos
	}
	return near, float64(n) * hashNanos
}

// sortUnique sorts set numbers in [lo, hi), drops repeats, and returns a prefix of sets. With
// more than one set per 256 numbers a bitmap is cheaper than sorting.
func sortUnique(sets []uint32, lo, hi uint32) []uint32 {
	if len(sets) < 64 || len(sets) < int(hi-lo)/256 {
		slices.Sort(sets)
		return slices.Compact(sets)
	}
	seen := make([]uint64, (hi-lo+63)/64)
	for _, x := range sets {
		seen[(x-lo)/64] |= 1 << ((x - lo) % 64)
	}
	sets = sets[:0]
	for i, word := range seen {
		for ; word != 0; word &= word - 1 {
			sets = append(sets, lo+uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return sets
}
