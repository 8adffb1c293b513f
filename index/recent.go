package index

// The prefixes of sets without postings, in memory, for a stream of searches.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// Recent holds the prefixes of consecutive sets in a hash table, by an order of its own. It finds
// the same candidates as a segment. Not safe for concurrent use.
type Recent struct {
	Layout Layout        // of the searches that it answers
	Share  api.Threshold // each match shares this part of its members, or more
	First  uint32        // first set
	Next   uint32        // the set after the last

	slots   []recentSlot // open addressing; a power of two
	tokens  int          // used slots
	entries []recentEntry
	ranked  []uint64
	met     []uint32
}

// recentSlot holds a member, as the high half of its hash.
type recentSlot struct{ member, last uint32 } // last entry plus 1; 0: free

// recentEntry is a set with a member.
type recentEntry struct{ set, previous uint32 } // previous entry of the member plus 1, or 0

// NewRecent returns an empty table for the sets from number first on.
func NewRecent(order *Order, share api.Threshold, first uint32) *Recent {
	return &Recent{Layout: Layout{Order: order}, Share: share, First: first, Next: first, slots: make([]recentSlot, 1<<12)}
}

// Add appends the set with number Next; a hole has no members.
func (r *Recent) Add(members shingle.Set) {
	r.ranked = r.Layout.Order.First(r.ranked[:0], members, PrefixLen(len(members), r.Share))
	for _, h := range r.ranked {
		s := r.slot(h)
		if s.last == 0 {
			if r.tokens++; 4*r.tokens > 3*len(r.slots) {
				r.grow()
				s = r.slot(h)
			}
			s.member = uint32(h >> 32)
		}
		r.entries = append(r.entries, recentEntry{r.Next, s.last})
		s.last = uint32(len(r.entries))
	}
	r.Next++
}

// Bytes returns the memory of the table.
func (r *Recent) Bytes() int { return 8 * (cap(r.entries) + len(r.slots)) }

// BytesFor estimates the memory that a set of so many members adds.
func (r *Recent) BytesFor(members uint64) int { return 24 * PrefixLen(int(members), r.Share) }

// slot returns the slot of a member, or the free slot that it would take.
func (r *Recent) slot(h uint64) *recentSlot {
	mask := uint32(len(r.slots) - 1)
	member := uint32(h >> 32)
	for i := member & mask; ; i = (i + 1) & mask {
		if s := &r.slots[i]; s.last == 0 || s.member == member {
			return s
		}
	}
}

// grow doubles the table.
func (r *Recent) grow() {
	old := r.slots
	r.slots = make([]recentSlot, 2*len(old))
	for _, s := range old {
		if s.last != 0 {
			*r.slot(uint64(s.member) << 32) = s
		}
	}
}

// Candidates appends the sets numbered from or above that may match, ascending. The search must
// have the layout of the table, and need Share of each match.
func (r *Recent) Candidates(s *Search, v View, from uint32, dst []uint32) []uint32 {
	r.met = r.met[:0]
	for _, h := range s.prefix {
		for at := r.slot(h).last; at != 0; {
			e := r.entries[at-1]
			if e.set < from {
				break
			}
			r.met = append(r.met, e.set)
			at = e.previous
		}
	}
	eachCounted(r.met, func(set uint32, n uint64) {
		if s.passes(v, set, n, r.Share) {
			dst = append(dst, set)
		}
	})
	return dst
}
