package view

// The bags of sets that have no postings yet: the builder needs them soon.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/shingle"
)

// FreshBags keeps the bags of the sets that have no postings yet, as far as
// memory allows: they will be needed to build the next segment.
type FreshBags struct {
	First uint32 // number of bags[0]
	bags  []shingle.Bag
	bytes int64
}

// get returns the bag of a set if it is kept.
func (f *FreshBags) get(set uint32) (shingle.Bag, bool) {
	if set < f.First || int(set-f.First) >= len(f.bags) || f.bags[set-f.First].Set == nil {
		return shingle.Bag{}, false
	}
	return f.bags[set-f.First], true
}

// Add takes the bag of the next set, if the budget has room for it.
func (f *FreshBags) Add(bag shingle.Bag, budget int64) {
	if f.bytes+bagBytes(bag) > budget {
		f.bags = append(f.bags, shingle.Bag{})
		return
	}
	f.bytes += bagBytes(bag)
	f.bags = append(f.bags, bag)
}

// Fill says whether the bags take so many parts of the budget.
func (f *FreshBags) Fill(parts, of, budget int64) bool { return f.bytes >= budget/of*parts }

// FreshBudget is what fresh bags may take: of texts of 2 kB some 12,000, a segment
// and what comes while it is built; twice that before the first order, which is
// to be made of more, when not much else is in memory. Where texts are kept their
// postings take what the bags do not, and a build reads the texts anyway.
func FreshBudget(s *record.Schema, ordered bool, memory int64) int64 {
	if s.Kept.Texts() {
		return memory / 32
	}
	if !ordered {
		return memory / 4
	}
	return memory / 8
}

// Drop forgets the bags below set. Views keep their own slice.
func (f *FreshBags) Drop(set uint32) {
	if set <= f.First {
		return
	}
	n := min(int(set-f.First), len(f.bags))
	for _, b := range f.bags[:n] {
		if b.Set != nil {
			f.bytes -= bagBytes(b)
		}
	}
	f.bags = append([]shingle.Bag(nil), f.bags[n:]...)
	f.First = set
}

func bagBytes(b shingle.Bag) int64 { return int64(8*len(b.Set)+4*len(b.Counts)) + 64 }
