package index

// The filters of paper 003: prefix lengths, tiers, which record the prefixes that contain a
// posting, and repetition intervals.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// PrefixLen returns the number of members of a set of n, rarest first, to inspect for
// resemblance ≥ t: two sets with this resemblance share one of these. It is n − ⌈t·n⌉ + 1 in
// integers, but at most n, and 0 for n = 0 (paper 003, eq. 2). At least ⌈t·n⌉ members are
// shared, so the first shared member comes no later.
func PrefixLen(n int, t api.Threshold) int {
	return min(n, n-int(t.Ceil(uint64(n)))+1)
}

// tiers are thresholds, descending. A posting carries the first tier whose prefix contains its
// place in the set. A search reads the tiers up to the first T for which each match shares ⌈T·n⌉
// of its n members (Window.NeedsShare). Every member is posted, since the last tier is 0.
var tiers = [...]api.Threshold{
	api.Ratio(1, 1), api.Ratio(95, 100), api.Ratio(9, 10), nearSim,
	api.Ratio(7, 10), api.Ratio(6, 10), api.Ratio(5, 10), {},
}

const (
	tierBits = 3
	lastTier = 1<<tierBits - 1
)

// nearSim is the least threshold in part 0 of the postings.
var nearSim = api.Ratio(8, 10)

// PartOf returns the part with the postings of a tier.
func PartOf(tier uint8) int {
	if tiers[tier].Cmp(nearSim) >= 0 {
		return 0
	}
	return 1
}

// TierOf returns the highest tier to read for threshold t: the first with a threshold ≤ t,
// because only its prefixes and longer ones are as long as t requires.
func TierOf(t api.Threshold) uint8 {
	return firstTier(func(u api.Threshold) bool { return u.Cmp(t) <= 0 })
}

// Tiers returns the tiers, descending; read-only. The last is 0, for which the prefix is the
// whole set.
func Tiers() []api.Threshold { return tiers[:] }

// tierFor returns the highest tier with prefixes that contain a shared member of every match.
func tierFor(w *measure.Window) uint8 { return firstTier(w.NeedsShare) }

// AllTiers reports whether a search for a query of that size reads the postings of all tiers.
func AllTiers(f measure.Formula, query measure.Size, t api.Threshold) bool {
	w, ok := f.Window(query, t, 0)
	return ok && tierFor(&w) == lastTier
}

// firstTier returns the first tier that satisfies ok, or the last.
func firstTier(ok func(api.Threshold) bool) uint8 {
	for i, t := range tiers[:lastTier] {
		if ok(t) {
			return uint8(i)
		}
	}
	return lastTier
}

// Intervals are ranges of repetition (paper 003, table 2). Intervals[i] is the upper end of
// range i; ends ascend. Repetitions above the last end form one more range, "other".
type Intervals []uint32

// PaperIntervals are the paper's A to J, 1–10 … 91–100, and K for the rest. Read-only.
var PaperIntervals = Intervals{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}

// maxIntervals bounds the ranges of a collection, so that their numbers fit the seven bits of a
// posting.
const maxIntervals = 1<<(32-setBits-tierBits) - 1

// ParseIntervals parses '1-10,11-20,…', 'paper' or 'none' (empty). The ranges must start at 1
// without gaps.
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

// Of returns the index of the range that contains repetition r.
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

// of returns the index of the range of member h of the bag; 0 without ranges.
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
