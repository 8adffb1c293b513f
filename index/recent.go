package index

// The prefixes of sets without postings, in memory, for streams of searches.

import (
	"math"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// Recent holds the prefixes of consecutive sets, by an order of its own. It finds the same
// candidates as a segment. Not safe for concurrent use.
type Recent struct {
	Layout Layout        // of the searches that it answers
	Share  api.Threshold // each match shares this part of its members, or more
	First  uint32        // first set
	Next   uint32        // the set after the last

	// A run holds the high half of a member's hash in the upper half of an entry, the set in the
	// lower. Its entries ascend, and it is at least runGrowth times as long as the next run.
	runs   [][]uint64
	added  []uint64 // entries not yet in a run
	sorter Sorter
	ranked []uint64
}

// runGrowth balances the entries merged on the way against the runs searched.
const runGrowth = 4

// NewRecent returns an empty table for the sets from number first on.
func NewRecent(order *Order, share api.Threshold, first uint32) *Recent {
	return &Recent{Layout: Layout{Order: order}, Share: share, First: first, Next: first}
}

// Add appends the set with number Next; a hole has no members.
func (r *Recent) Add(members shingle.Set) {
	r.ranked = r.Layout.Order.First(r.ranked[:0], members, PrefixLen(len(members), r.Share))
	for _, h := range r.ranked {
		r.added = append(r.added, h>>32<<32|uint64(r.Next))
	}
	r.Next++
}

// Bytes returns the memory of the table.
func (r *Recent) Bytes() int {
	n := cap(r.added) + cap(r.sorter.tmp)
	for _, run := range r.runs {
		n += cap(run)
	}
	return 8 * n
}

// BytesFor estimates the memory that a set of so many members adds: an entry for each member of
// its prefix, twice during a merge.
func (r *Recent) BytesFor(members uint64) int { return 16 * PrefixLen(int(members), r.Share) }

// settle turns the added entries into a run, and merges runs that are too short.
func (r *Recent) settle() {
	if len(r.added) == 0 {
		return
	}
	last := slices.Clone(r.sorter.Sort(r.added))
	r.added = r.added[:0]
	for n := len(r.runs) - 1; n >= 0 && len(r.runs[n]) < runGrowth*len(last); n-- {
		merged := make([]uint64, len(r.runs[n])+len(last))
		merge2(merged, r.runs[n], last)
		r.runs, last = r.runs[:n], merged
	}
	r.runs = append(r.runs, last)
}

// EachCandidate appends to found[i] the sets numbered from or above that may match search i,
// ascending. The searches must have the layout of the table, and need Share of each match.
func (r *Recent) EachCandidate(searches *Searches, v View, from uint32, found [][]uint32) error {
	r.settle()
	room := manyRoom.Get().(*many)
	defer manyRoom.Put(room)
	room.met = room.met[:0]
	for _, run := range r.runs {
		for keys := searches.members(); len(keys) > 0 && len(run) > 0; {
			member := keys[0] >> 32
			run = gallop(run, member<<32|uint64(from))
			n := 0
			for n < len(run) && run[n]>>32 == member {
				n++
			}
			for ; len(keys) > 0 && keys[0]>>32 == member; keys = keys[1:] {
				for _, e := range run[:n] {
					room.met = append(room.met, keys[0]<<32|e&math.MaxUint32)
				}
				if len(room.met) > searches.most {
					return ErrMany
				}
			}
		}
	}
	return searches.candidates(room.met, v, 0, from, r.Next, found)
}

// gallop returns the entries of an ascending run from e on.
func gallop(run []uint64, e uint64) []uint64 {
	step := 1
	for step <= len(run) && run[step-1] < e {
		run, step = run[step:], 2*step
	}
	i, _ := slices.BinarySearch(run[:min(step-1, len(run))], e)
	return run[i:]
}
