package join

import (
	"math"

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
	size   []uint32 // of a rank
	reach  []uint32 // the last rank whose size a rank's allows

	wide   func(set uint32) sketch.Signature // nil: the signatures of the view
	memory Memory
}

const hole = math.MaxUint32

// Rank prepares joins for resemblance ≥ t. It takes 16 bytes for each set, on
// the Go heap if memory is nil. Otherwise memory also holds the tables of one
// join, which frees it. The ranks must not be used after that join.
func Rank(view index.View, t measure.Threshold, memory Memory) *Ranks {
	if memory == nil {
		memory = heapMemory{}
	}
	n := view.Len()
	r := &Ranks{view: view, t: t, memory: memory, rankOf: memory.Halves(int(n))}
	order := make([]uint64, 0, n) // size<<32 | set
	for i := range n {
		r.rankOf[i] = hole
		if d := view.Size(i).Distinct; d > 0 {
			order = append(order, d<<32|uint64(i))
		}
	}
	order = index.SortEntries(order)
	r.set = memory.Halves(len(order))
	r.size = memory.Halves(len(order))
	r.reach = memory.Halves(len(order))
	for i, x := range order {
		r.rankOf[uint32(x)] = uint32(i)
		r.set[i], r.size[i] = uint32(x), uint32(x>>32)
	}
	last := 0
	for i := range r.reach {
		for last+1 < len(r.size) && t.Admits(uint64(r.size[i]), uint64(r.size[last+1])) {
			last++
		}
		last = max(last, i)
		r.reach[i] = uint32(last)
	}
	return r
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

// Window counts the pairs whose sizes the threshold allows.
func (r *Ranks) Window() (pairs int64) {
	for i, last := range r.reach {
		pairs += int64(last) - int64(i)
	}
	return pairs
}
