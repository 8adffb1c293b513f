package index

// Candidates of many searches in one pass over a segment. Their keys are looked up in order, so
// that a page is opened once for all of them and its memory is still near.

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Probe is a bag to search for.
type Probe struct {
	Bag   shingle.Bag
	Facts Facts
}

// Probes are searched for together, by a measure of sets.
type Probes struct {
	Share   api.Threshold // each match shares this part of its members, or more
	probes  []Probe
	windows []*measure.Window
	formula measure.Formula
	t       api.Threshold
}

// NewProbes prepares probes for the sets that score ≥ t. ok is false unless prefixes suffice for
// all of them.
func NewProbes(probes []Probe, formula measure.Formula, t api.Threshold) (p Probes, ok bool) {
	p = Probes{tiers[0], probes, make([]*measure.Window, len(probes)), formula, t}
	known := map[uint64]*measure.Window{} // by size: a window costs more than a look-up
	for i, probe := range probes {
		w := known[probe.Facts.Distinct]
		if w == nil {
			window, ok := formula.Window(probe.Facts.Size, t, 0)
			tier := tierFor(&window)
			if !ok || tier == lastTier || !formula.OfSets() {
				return p, false
			}
			if tiers[tier].Cmp(p.Share) < 0 {
				p.Share = tiers[tier]
			}
			w = &window
			known[probe.Facts.Distinct] = w
		}
		p.windows[i] = w
	}
	return p, true
}

// Searches returns a search for each probe, in a layout without intervals.
func (l Layout) Searches(p Probes) []*Search {
	searches := make([]*Search, len(p.probes))
	for i, probe := range p.probes {
		searches[i] = l.search(probe.Bag, probe.Facts, p.formula, p.t, p.windows[i])
	}
	return searches
}

// EachCandidate appends to found[i] the sets of a segment, numbered from or above, that may match
// searches[i], ascending. The searches must come from Searches.
func EachCandidate(searches []*Search, seg Stored, v View, from uint32, found [][]uint32) error {
	run, pages := seg.Runs[Prefix], seg.Pages(Prefix)
	if run == nil || len(run.First) == 0 {
		return nil
	}
	room := manyRoom.Get().(*many)
	defer func() {
		clear(room.wanted[:cap(room.wanted)]) // pages must not be held after the search, nor after one that failed
		manyRoom.Put(room)
	}()
	room.keys, room.met, room.ends = room.keys[:0], room.met[:0], room.ends[:0]
	for i, s := range searches {
		room.ends = append(room.ends, s.layout.entry(s.tier+1, 0, 0)) // first entry of the next tier
		for part := range s.parts() {
			for _, h := range s.prefix {
				room.keys = append(room.keys, PartKey(part, token(h))<<32|uint64(i))
			}
		}
	}
	keys := room.sort.Sort(room.keys)
	for len(keys) > 0 {
		room.take(keys, run)
		if err := openPages(room.wanted, pages); err != nil {
			return err
		}
		for j := range room.wanted {
			w := &room.wanted[j]
			var err error
			if room.payloads, err = w.payloads(run, pages, room.payloads[:0]); err != nil {
				return err
			}
			for ; len(keys) > 0 && keys[0]>>32 == w.key; keys = keys[1:] {
				i := keys[0] & math.MaxUint32
				for _, e := range room.payloads {
					if e >= room.ends[i] {
						break
					}
					room.met = append(room.met, i<<32|uint64(e&setMask))
				}
			}
		}
	}
	eachCounted(room.met, func(x, n uint64) {
		i, set := x>>32, seg.Lo+uint32(x)
		if set >= from && set < seg.Hi && searches[i].passes(v, set, n, searches[i].share) {
			found[i] = append(found[i], set)
		}
	})
	return nil
}

// eachCounted sorts items and calls yield with each, ascending, and how often it occurs.
func eachCounted[T cmp.Ordered](items []T, yield func(item T, n uint64)) {
	slices.Sort(items)
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n] == items[0] {
			n++
		}
		yield(items[0], uint64(n))
		items = items[n:]
	}
}

// many is scratch space of EachCandidate.
type many struct {
	keys, met []uint64 // key or search in the upper half, search or set in the lower
	wanted    []wantedKey
	payloads  []uint32
	ends      []uint32 // by search
	sort      Sorter
}

var manyRoom = sync.Pool{New: func() any { return new(many) }}

// keysAtOnce is the number of keys whose cache misses overlap.
const keysAtOnce = 256

// take sets wanted to the next distinct keys, with their pages.
func (r *many) take(keys []uint64, run *Run) {
	r.wanted = r.wanted[:0]
	number := run.pageBefore(keys[0] >> 32)
	for i := 0; i < len(keys) && len(r.wanted) < keysAtOnce; i++ {
		key := keys[i] >> 32
		if i > 0 && key == keys[i-1]>>32 {
			continue
		}
		const near = 8 // pages that are passed faster than found
		for end := number + near; number+1 < len(run.First) && run.First[number+1] < key; {
			if number++; number == end {
				number = run.pageBefore(key)
				break
			}
		}
		r.wanted = append(r.wanted, wantedKey{key: key, number: number})
	}
}

// passes reports whether a set may match, by size and signature, that has so many counted members
// and is posted for a share.
func (s *Search) passes(v View, set uint32, counted uint64, share api.Threshold) bool {
	size := v.Size(set)
	if size.Distinct == 0 {
		return false
	}
	need, ok := s.formula.Need(s.facts.Size, size, s.t)
	return ok && s.sharedAtMost(size, counted, share) >= need &&
		SharedBound(s.facts.Distinct, size.Distinct, s.facts.Signature, v.Signature(set)) >= need
}
