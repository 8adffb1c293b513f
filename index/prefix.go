package index

import "github.com/simdb/simdb/measure"

// PrefixLen returns how many of the n members of a set, rarest first, must be
// looked at so that two sets with resemblance ≥ t that share a member at all
// always share one of these: n − ⌈t·n⌉ + 1, in integers, but no more than n;
// 0 for n = 0 (paper 003, eq. 2). The shared members number at least ⌈t·n⌉, so
// the first of them stands no later.
func PrefixLen(n int, t measure.Threshold) int {
	return min(n, n-int(t.Ceil(uint64(n)))+1)
}

// Tiers are the thresholds, descending, for which one set of postings serves:
// a posting carries the first tier whose prefix its position falls into, and a
// query at t reads the tiers up to At(t). The last tier is the collection's
// min_sim. At most eight.
type Tiers []measure.Threshold

// NewTiers returns 1, .95, .9, .8, .7, .6, .5 as far as they are above minSim,
// and minSim.
func NewTiers(minSim measure.Threshold) Tiers {
	var ts Tiers
	for _, percent := range []uint64{100, 95, 90, 80, 70, 60, 50} {
		if t := measure.Ratio(percent, 100); t.Cmp(minSim) > 0 {
			ts = append(ts, t)
		}
	}
	return append(ts, minSim)
}

// At returns the highest tier to read for threshold t: the first whose
// threshold is ≤ t, because only its prefixes, and longer ones, are as long as
// t asks for. ok is false when t is below the last tier.
func (ts Tiers) At(t measure.Threshold) (tier uint8, ok bool) {
	for i, u := range ts {
		if u.Cmp(t) <= 0 {
			return uint8(i), true
		}
	}
	return 0, false
}
