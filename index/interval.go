package index

// Intervals are ranges of repetition (paper 003, table 2): Intervals[i] is the
// upper end of range i, ascending; repetitions above the last fall into one
// more, "other".
type Intervals []uint32

// PaperIntervals are the paper's A to J, 1–10 … 91–100, and K for the rest.
var PaperIntervals = Intervals{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}

// ParseIntervals reads '1-10,11-20,…', 'paper' or 'none' (empty). The ranges
// must start at 1 and leave no gap.
func ParseIntervals(s string) (Intervals, error) { panic("stub") }

// Of returns the number of the range that repetition r falls into.
func (iv Intervals) Of(r uint32) int { panic("stub") }

// String is the inverse of ParseIntervals.
func (iv Intervals) String() string { panic("stub") }
