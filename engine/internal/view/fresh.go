package view

// Bags of sets without postings, kept for the builder.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/shingle"
)

// FreshBags keeps the bags of the newest sets, as memory allows, so that building the next
// segment need not derive them again. Bags are contiguous from First on.
type FreshBags struct {
	First uint32 // set number of bags[0]
	bags  []shingle.Bag
	bytes int64
}

// get returns the bag of a set, if kept.
func (f *FreshBags) get(set uint32) (shingle.Bag, bool) {
	if set < f.First || int(set-f.First) >= len(f.bags) || f.bags[set-f.First].Set == nil {
		return shingle.Bag{}, false
	}
	return f.bags[set-f.First], true
}

// Add appends the bag of the next set, or an empty bag if the budget in bytes has no room.
func (f *FreshBags) Add(bag shingle.Bag, budget int64) {
	if f.bytes+bagBytes(bag) > budget {
		f.bags = append(f.bags, shingle.Bag{})
		return
	}
	f.bytes += bagBytes(bag)
	f.bags = append(f.bags, bag)
}

// Fill reports whether the bags occupy at least the fraction parts/of of the budget.
func (f *FreshBags) Fill(parts, of, budget int64) bool { return f.bytes >= budget/of*parts }

// FreshBudget returns the budget for fresh bags in bytes. For texts of 2 kB it holds some 12,000:
// a segment and the arrivals during its build. Before the first order it is twice that, because
// the first order improves with more sets and little else is in memory. In a collection with
// features the bags leave memory for the other postings, and the build reads the texts anyway.
func FreshBudget(s *record.Schema, ordered bool, memory int64) int64 {
	if s.Kept.Texts() {
		return memory / 32
	}
	if !ordered {
		return memory / 4
	}
	return memory / 8
}

// Drop removes the bags below a set number. Views keep their own slice.
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

// bagBytes returns the approximate bytes of a bag in memory.
func bagBytes(b shingle.Bag) int64 { return int64(8*len(b.Set)+4*len(b.Counts)) + 64 }
