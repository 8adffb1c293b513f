package index

// This file has the repetition intervals.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/shingle"
)

// Intervals are ranges of repetition (paper 003, table 2). Intervals[i] is the
// upper end of range i, and the ends ascend. Repetitions above the last end
// fall into one more range, "other".
type Intervals []uint32

// PaperIntervals are the paper's A to J, 1–10 … 91–100, and K for the rest.
var PaperIntervals = Intervals{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}

// maxIntervals bounds the ranges of a collection: with the one for the rest their numbers
// take the seven bits that a posting has for them.
const maxIntervals = 1<<(32-setBits-tierBits) - 1

// ParseIntervals reads '1-10,11-20,…', 'paper' or 'none' (empty). The ranges
// must start at 1 and leave no gap.
func ParseIntervals(s string) (Intervals, error) {
	switch strings.TrimSpace(s) {
	case "", "none":
		return nil, nil
	case "paper":
		return slices.Clone(PaperIntervals), nil
	}
	var iv Intervals
	next := uint64(1)
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		from, to, ok := strings.Cut(part, "-")
		if !ok {
			return nil, fmt.Errorf("index: intervals: want a range like 1-10, found %q", part)
		}
		lo, err1 := strconv.ParseUint(strings.TrimSpace(from), 10, 32)
		hi, err2 := strconv.ParseUint(strings.TrimSpace(to), 10, 32)
		switch {
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("index: intervals: want a range like 1-10, found %q", part)
		case lo != next:
			return nil, fmt.Errorf("index: intervals: range %q must start at %d", part, next)
		case hi < lo || hi == math.MaxUint32:
			return nil, fmt.Errorf("index: intervals: range %q ends before it starts or is too large", part)
		}
		if len(iv) == maxIntervals {
			return nil, fmt.Errorf("index: intervals: more than %d ranges", maxIntervals)
		}
		iv = append(iv, uint32(hi))
		next = hi + 1
	}
	return iv, nil
}

// Of returns the number of the range that repetition r falls into.
func (iv Intervals) Of(r uint32) int {
	i, _ := slices.BinarySearch(iv, r)
	return i
}

// String is the inverse of ParseIntervals.
func (iv Intervals) String() string {
	if len(iv) == 0 {
		return "none"
	}
	var b strings.Builder
	from := uint32(1)
	for i, to := range iv {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d-%d", from, to)
		from = to + 1
	}
	return b.String()
}

// of returns the number of the range of member h of the bag, 0 if there are no ranges.
func (iv Intervals) of(bag shingle.Bag, h uint64) int {
	if len(iv) == 0 {
		return 0
	}
	r := uint32(1)
	if bag.Counts != nil {
		i, _ := slices.BinarySearch(bag.Set, h)
		r = bag.Count(i)
	}
	return iv.Of(r)
}
