package join

import (
	"math"
	"slices"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// This file ranks sets by size, for all joins but that of fingerprints.

// Ranks are the sets of a view in the order of (size, number). They also say
// which sets a threshold lets be paired: the length filter of a join is a range
// of ranks. Ranks never change.
type Ranks struct {
	view index.View
	t    measure.Threshold

	rankOf []uint32 // of a set; hole for a hole
	set    []uint32 // of a rank
	steps  []step   // ascending; there are few sizes
	size   []uint32 // of a rank; nil before flatten
	reach  []uint32 // the last rank whose size a rank's allows; nil before flatten

	wide   func(set uint32) sketch.Signature // nil: the signatures of the view
	memory Memory
	lookup Memory // has rankOf, which joins need for a while only
}

// step is the ranks of one size. They begin at from. reach is the last rank whose
// size theirs allows.
type step struct{ size, from, reach uint32 }

const hole = math.MaxUint32

// bytesPerRank is what Ranks take for each set.
const bytesPerRank = 8

// Rank prepares joins for resemblance ≥ t. It takes 8 bytes for each set, on
// the Go heap if memory is nil. Otherwise memory also holds the tables of one
// join, which frees it. The ranks must not be used after that join.
func Rank(view index.View, t measure.Threshold, memory Memory) *Ranks {
	if memory == nil {
		memory = heapMemory{}
	}
	const counted = 1 << 16 // sizes; sets of others are sorted
	n := view.Len()
	at, sets := make([]uint32, counted), 0
	var longer []uint64 // size<<32 | set
	for i := range n {
		if d := view.Size(i).Distinct; d >= counted {
			longer = append(longer, d<<32|uint64(i))
		} else if d > 0 {
			at[d]++
			sets++
		}
	}
	longer = index.SortEntries(longer)
	lookup := memory.Apart()
	r := &Ranks{view: view, t: t, memory: memory, lookup: lookup, rankOf: lookup.Halves(int(n)), set: memory.Halves(sets + len(longer))}
	sum := uint32(0)
	for size, count := range at {
		if at[size] = sum; count > 0 {
			r.steps = append(r.steps, step{size: uint32(size), from: sum})
		}
		sum += count
	}
	for i := range n {
		r.rankOf[i] = hole
		if d := view.Size(i).Distinct; d > 0 && d < counted {
			r.put(i, at[d])
			at[d]++
		}
	}
	for _, x := range longer {
		if size := uint32(x >> 32); len(r.steps) == 0 || r.steps[len(r.steps)-1].size < size {
			r.steps = append(r.steps, step{size: size, from: sum})
		}
		r.put(uint32(x), sum)
		sum++
	}
	r.findReach()
	return r
}

func (r *Ranks) put(set, rank uint32) { r.rankOf[set], r.set[rank] = rank, set }

func (r *Ranks) findReach() {
	last := 0
	for i := range r.steps {
		for last = max(last, i); last+1 < len(r.steps) && r.t.Admits(uint64(r.steps[i].size), uint64(r.steps[last+1].size)); {
			last++
		}
		r.steps[i].reach = r.end(last) - 1
	}
}

// end returns the rank behind those of a step.
func (r *Ranks) end(step int) uint32 {
	if step+1 < len(r.steps) {
		return r.steps[step+1].from
	}
	return uint32(len(r.set))
}

// stepOf returns the number of the step that a rank is in.
func (r *Ranks) stepOf(rank int) int {
	return sort.Search(len(r.steps), func(i int) bool { return int(r.steps[i].from) > rank }) - 1
}

func (r *Ranks) sizeOf(rank int) uint64  { return uint64(r.steps[r.stepOf(rank)].size) }
func (r *Ranks) reachOf(rank int) uint32 { return r.steps[r.stepOf(rank)].reach }

// spread fills size and reach with those of the ranks from first on.
func (r *Ranks) spread(first int, size, reach []uint32) {
	s := 0
	if len(size) > 0 {
		s = r.stepOf(first)
	}
	for i := range size {
		for uint32(first+i) >= r.end(s) {
			s++
		}
		size[i], reach[i] = r.steps[s].size, r.steps[s].reach
	}
}

// flatten makes size and reach, 8 bytes more for each set.
func (r *Ranks) flatten() {
	if r.size == nil {
		r.size, r.reach = r.memory.Halves(len(r.set)), r.memory.Halves(len(r.set))
		r.spread(0, r.size, r.reach)
	}
}

// With returns the ranks with other signatures than those of the view. Their
// widths must be comparable. The function must be safe for concurrent use.
func (r *Ranks) With(signature func(set uint32) sketch.Signature) *Ranks {
	w := *r
	w.wide = signature
	return &w
}

func (r *Ranks) signature(rank int) sketch.Signature {
	if r.wide != nil {
		return r.wide(r.set[rank])
	}
	return r.view.Signature(r.set[rank])
}

// Sets lists n of the sets, or all if there are fewer, at even distances by size.
func (r *Ranks) Sets(n int) []uint32 {
	out := make([]uint32, 0, n)
	for i := range min(n, len(r.set)) {
		out = append(out, r.set[len(r.set)*i/min(n, len(r.set))])
	}
	slices.Sort(out)
	return out
}

// Window counts the pairs whose sizes the threshold allows.
func (r *Ranks) Window() (pairs int64) {
	for i, s := range r.steps {
		n := int64(r.end(i) - s.from)
		pairs += n*int64(s.reach-s.from) - n*(n-1)/2
	}
	return pairs
}

// Members counts the members of all sets.
func (r *Ranks) Members() (n int64) {
	for i, s := range r.steps {
		n += int64(s.size) * int64(r.end(i)-s.from)
	}
	return n
}
