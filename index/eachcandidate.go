package index

// Candidates of many searches in one pass over a segment. Their keys are looked up in order, so
// that a page is opened once for all of them and its memory is still near.

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

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
	bytes   int64 // memory for each segment searched at once
}

// NewProbes prepares probes for the sets that score ≥ t. Their searches hold at most so many bytes
// for each segment searched at once. ok is false unless prefixes suffice for all of them.
func NewProbes(probes []Probe, formula measure.Formula, t api.Threshold, bytes int64) (p Probes, ok bool) {
	p = Probes{tiers[0], probes, make([]*measure.Window, len(probes)), formula, t, bytes}
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

// Searches are the searches for probes, with their sorted keys.
type Searches struct {
	all     []*Search
	most    int             // bounds the sets that the searches meet in a segment
	left    atomic.Int64    // number of candidates that may still be found
	keys    func() []uint64 // key of a segment in the upper half, search in the lower; ascending
	members func() []uint64 // the same with the high half of a member's hash
}

// ErrMany is the error of searches that meet more sets than they may hold.
var ErrMany = errors.New("index: the searches meet too many sets")

// Searches returns a search for each probe, in a layout without intervals.
func (l Layout) Searches(p Probes) *Searches {
	s := &Searches{all: make([]*Search, len(p.probes)), most: int(p.bytes / 8)}
	s.left.Store(p.bytes / 4)
	for i, probe := range p.probes {
		s.all[i] = l.search(probe.Bag, probe.Facts, p.formula, p.t, p.windows[i])
	}
	s.keys = sync.OnceValue(func() []uint64 {
		return s.sorted(func(keys []uint64, i, h uint64) []uint64 {
			for part := range s.all[i].parts() {
				keys = append(keys, PartKey(part, token(h))<<32|i)
			}
			return keys
		})
	})
	s.members = sync.OnceValue(func() []uint64 {
		return s.sorted(func(keys []uint64, i, h uint64) []uint64 { return append(keys, h>>32<<32|i) })
	})
	return s
}

// sorted returns the keys that add appends for each member of a prefix, ascending.
func (s *Searches) sorted(add func(keys []uint64, i, h uint64) []uint64) (keys []uint64) {
	for i, one := range s.all {
		for _, h := range one.prefix {
			keys = add(keys, uint64(i), h)
		}
	}
	return new(Sorter).Sort(keys)
}

// EachCandidate appends to found[i] the sets of a segment, numbered from or above, that may match
// search i, ascending. Segments may be searched concurrently.
func (s *Searches) EachCandidate(seg Stored, v View, from uint32, found [][]uint32) error {
	run, pages := seg.Runs[Prefix], seg.Pages(Prefix)
	if run == nil || len(run.First) == 0 {
		return nil
	}
	room := manyRoom.Get().(*many)
	defer func() {
		clear(room.wanted[:cap(room.wanted)]) // pages must not be held after the search, nor after one that failed
		manyRoom.Put(room)
	}()
	room.met, room.ends = room.met[:0], room.ends[:0]
	for _, one := range s.all {
		room.ends = append(room.ends, one.layout.ends(one.tier))
	}
	for keys := s.keys(); len(keys) > 0; {
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
				end := room.ends[keys[0]&math.MaxUint32][w.part()]
				for _, e := range room.payloads {
					if e >= end {
						break
					}
					room.met = append(room.met, keys[0]<<32|uint64(e&setMask))
				}
				if len(room.met) > s.most {
					return ErrMany
				}
			}
		}
	}
	return s.candidates(room.met, v, seg.Lo, from, seg.Hi, found)
}

// candidates appends to found[i] the sets from lo to below hi that may match search i, ascending.
// An item of met is a search in the upper half and a set, less lo, in the lower; there is one for
// each member in the prefixes of both.
func (s *Searches) candidates(met []uint64, v View, lo, from, hi uint32, found [][]uint32) error {
	n := int64(0)
	eachCounted(met, func(x, shared uint64) {
		i, set := x>>32, lo+uint32(x)
		if set >= from && set < hi && s.all[i].passes(v, set, shared) {
			found[i] = append(found[i], set)
			n++
		}
	})
	if s.left.Add(-n) < 0 {
		return ErrMany
	}
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
	met      []uint64
	wanted   []wantedKey
	payloads []uint32
	ends     [][Parts]uint32 // by search
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

// passes reports whether a set may match, by size and signature, that shares so many members
// of the prefixes.
func (s *Search) passes(v View, set uint32, counted uint64) bool {
	size := v.Size(set)
	if size.Distinct == 0 {
		return false
	}
	need, ok := s.formula.Need(s.facts.Size, size, s.t)
	return ok && s.sharedAtMost(size, counted) >= need &&
		SharedBound(s.facts.Distinct, size.Distinct, s.facts.Signature, v.Signature(set)) >= need
}
