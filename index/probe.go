package index

// This file finds the candidates of one probe in the postings of one segment.

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Probe is one side of a search, prepared for a Layout. It must be used from
// one goroutine at a time.
type Probe struct {
	Bag    shingle.Bag
	Facts  Facts
	MinSim measure.Threshold // as given to Layout.Probe

	// The members that the probe looks up, in the order of the Layout. They are
	// its own prefix at exactly MinSim, whatever tier is read on the other
	// side.
	prefix []uint64

	low, high uint32 // sizes that a similar set can have

	wanted  []wantedKey // of the segment being searched
	touched byte
}

// wantedKeys are reused by the next probe. A search needs 10 kB of them, more
// than of anything else. The memory for a probe of a very long text is not
// kept.
var wantedKeys = sync.Pool{New: func() any { return new([]wantedKey) }}

const maxPooledKeys = 1 << 12

// Probe prepares a search for sets with resemblance ≥ t to the bag.
func (l Layout) Probe(bag shingle.Bag, f Facts, t measure.Threshold) *Probe {
	n := len(bag.Set)
	p := &Probe{Bag: bag, Facts: f, MinSim: t, prefix: l.Order.First(nil, bag.Set, PrefixLen(n, t))}
	low, high := window(t, n)
	p.low, p.high = uint32(low), uint32(high)
	return p
}

// Candidates appends the candidates of the segment, ascending, each once. A
// candidate shares a bucket of kind k with the probe and has a size that
// resemblance ≥ MinSim allows. Prefix buckets are safe for Jaccard at MinSim ≥
// the last tier. Interval buckets are lossy. buckets and postings count the
// work. Below the last tier Candidates returns an error, because matches would
// be lost.
func (p *Probe) Candidates(l Layout, s Stored, k Kind, v View, dst []uint32) (out []uint32, buckets, postings int, err error) {
	tier, ok := l.Tiers.At(p.MinSim)
	if !ok || k > Interval || s.Runs[k] == nil {
		return dst, 0, 0, fmt.Errorf("index: no run of kind %d serves sim >= %v", k, p.MinSim)
	}
	start := len(dst)
	err = p.lookUp(l, s, k, l.Tiers.Part(tier)+1, func(w *wantedKey, run *Run, pages Pages) (err error) {
		n := len(dst)
		if dst, err = w.payloads(run, pages, dst); err != nil {
			return err
		}
		postings += len(dst) - n
		kept := dst[:n]
		for _, e := range dst[n:] {
			if EntryTier(e) > tier {
				break // the entries of a key are in tier order
			}
			rel := PayloadSet(k, e)
			if rel >= s.Hi-s.Lo { // a damaged page can have such a set
				continue
			}
			if len(kept) > start && kept[len(kept)-1] == s.Lo+rel {
				continue // a similar set is met many times
			}
			if size := v.distinct(s.Lo + rel); p.low <= size && size <= p.high {
				kept = append(kept, s.Lo+rel)
			}
		}
		dst = kept
		return nil
	})
	if err != nil {
		return dst[:start], 0, postings, err
	}
	return dst[:start+len(ascending(dst[start:], s.Lo, s.Hi))], len(p.prefix), postings, nil
}

// lookUp calls visit for every key that the probe wants of a run.
func (p *Probe) lookUp(l Layout, s Stored, k Kind, parts int, visit func(w *wantedKey, run *Run, pages Pages) error) error {
	run, pages := s.Runs[k], s.Pages(k)
	if len(run.First) == 0 {
		return nil
	}
	pooled := wantedKeys.Get().(*[]wantedKey)
	p.wanted = *pooled
	defer func() {
		clear(p.wanted) // pages must not be held after the search
		*pooled, p.wanted = p.wanted, nil
		if cap(*pooled) <= maxPooledKeys {
			wantedKeys.Put(pooled)
		}
	}()
	p.want(l, run, k, parts)
	if err := p.open(pages); err != nil {
		return err
	}
	for i := range p.wanted {
		if err := visit(&p.wanted[i], run, pages); err != nil {
			return err
		}
	}
	return nil
}

// payloads appends those of the key.
func (w *wantedKey) payloads(run *Run, pages Pages, dst []uint32) (_ []uint32, err error) {
	dst, err = w.page.point(w.group, w.key, dst)
	if err == nil && w.number+1 < len(run.First) && run.First[w.number+1] <= w.key {
		return run.lookupFrom(w.number+1, pages, w.key, w.key, dst)
	}
	return dst, err
}

// wantedKey is a key to look up, and the group of a page where it may begin.
type wantedKey struct {
	key    uint64
	number int // of the page
	page   page
	group  int
}

// want lists the keys to look up in the first parts of a run.
func (p *Probe) want(l Layout, run *Run, k Kind, parts int) {
	p.wanted = slices.Grow(p.wanted[:0], parts*len(p.prefix))
	for part := range parts {
		for _, h := range p.prefix {
			t := token(h)
			if k == Interval {
				t = l.Intervals.key(p.Bag, h)
			}
			key := PartKey(part, t)
			p.wanted = append(p.wanted, wantedKey{key: key, number: run.pageBefore(key)})
		}
	}
}

// open finds the page and the group of each wanted key. A key has to wait for
// memory three or four times in a row. open takes each step for all keys before
// the next step. So most of the waits overlap, because no key needs another.
// touched keeps the compiler from leaving out reads whose results are not used.
func (p *Probe) open(pages Pages) (err error) {
	if a, ok := pages.(Ahead); ok {
		if err := a.Ahead(len(p.wanted), func(i int) int { return p.wanted[i].number }); err != nil {
			return err
		}
	}
	for i := range p.wanted {
		w := &p.wanted[i]
		if w.page.b, err = pages.Page(w.number); err != nil {
			return err
		}
	}
	touched := byte(0)
	for i := range p.wanted {
		if b := p.wanted[i].page.b; len(b) > 128 {
			touched += b[0] + b[64] + b[128]
		}
	}
	for i := range p.wanted {
		w := &p.wanted[i]
		if w.page, err = openPage(w.page.b); err != nil {
			return fmt.Errorf("page %d: %w", w.number, err)
		}
		w.group = w.page.groupBefore(w.key)
	}
	for i := range p.wanted {
		w := &p.wanted[i]
		if place := int(w.page.groupWord(w.group) >> lowBits); place+128 < len(w.page.b) {
			touched += w.page.b[place] + w.page.b[place+64] + w.page.b[place+128]
		}
	}
	p.touched = touched
	return nil
}

// window returns the smallest and the largest size, in 32 bits, of a set with
// resemblance ≥ t to an n-set: the m with ⌈t·n⌉ ≤ m and ⌈t·m⌉ ≤ n.
func window(t measure.Threshold, n int) (lo, hi int) {
	lo = max(int(t.Ceil(uint64(n))), 1)
	const most = math.MaxUint32 & math.MaxInt
	hi = n + sort.Search(max(most-n, 0), func(more int) bool {
		return t.Ceil(uint64(n+more+1)) > uint64(n)
	})
	return lo, hi
}

// ascending sorts the set numbers, all in [lo, hi), and drops repeats. The
// result is a prefix of sets. If there is more than one set for every 256
// numbers, a bitmap is cheaper than sorting.
func ascending(sets []uint32, lo, hi uint32) []uint32 {
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

// EstimatePostings predicts how many postings a Prefix probe reads in an index
// of n sets, by the frequencies of the order.
func (p *Probe) EstimatePostings(l Layout, n int) float64 {
	sum := 0.0
	for _, h := range p.prefix {
		sum += l.Order.Frequency(h, n)
	}
	return sum
}
