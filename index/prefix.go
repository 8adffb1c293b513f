package index

// This file has the lengths of prefixes, for one threshold and for all tiers.

import (
	"slices"

	"github.com/simdb/simdb/internal/measure"
)

// PrefixLen returns how many of the n members of a set, the rarest first, must
// be looked at for resemblance ≥ t. If two sets have this resemblance, they
// share one of these members. The length is n − ⌈t·n⌉ + 1 in integers, but at
// most n, and 0 for n = 0 (paper 003, eq. 2). At least ⌈t·n⌉ members are
// shared, so the first of them stands no later.
func PrefixLen(n int, t measure.Threshold) int {
	return min(n, n-int(t.Ceil(uint64(n)))+1)
}

// Tiers are the thresholds that one set of postings serves, descending. A
// posting carries the first tier whose prefix its position falls into. A search
// at t reads the tiers up to At(t). The last tier is the collection's min_sim, or
// after WithAll the tier 0. There are at most nine.
type Tiers []measure.Threshold

// NewTiers returns those of 1, .95, .9, .8, .7, .6 and .5 that are above
// minSim, and then minSim.
func NewTiers(minSim measure.Threshold) Tiers {
	var ts Tiers
	for _, percent := range []uint64{100, 95, 90, 80, 70, 60, 50} {
		if t := measure.Ratio(percent, 100); t.Cmp(minSim) > 0 {
			ts = append(ts, t)
		}
	}
	return append(ts, minSim)
}

// WithAll adds the tier 0, which gives every member of a set a posting.
func (ts Tiers) WithAll() Tiers { return append(slices.Clip(ts), measure.Threshold{}) }

// All reports whether there is the tier 0.
func (ts Tiers) All() bool { return len(ts) > 0 && ts[len(ts)-1] == measure.Threshold{} }

// indexed returns the tiers without the tier 0.
func (ts Tiers) indexed() Tiers {
	if ts.All() {
		return ts[:len(ts)-1]
	}
	return ts
}

// At returns the highest tier to read for threshold t. It is the first tier
// whose threshold is ≤ t: only prefixes of this tier, or longer ones, are as
// long as t needs. ok is false if t is below the last tier.
func (ts Tiers) At(t measure.Threshold) (tier uint8, ok bool) {
	for i, u := range ts {
		if u.Cmp(t) <= 0 {
			return uint8(i), true
		}
	}
	return 0, false
}
