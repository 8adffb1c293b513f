package index

import "github.com/simdb/simdb/api"

// This file has the lengths of prefixes, and the tiers that say of a posting in which
// prefixes it is.

import "github.com/simdb/simdb/internal/measure"

// PrefixLen returns how many of the n members of a set, the rarest first, must
// be looked at for resemblance ≥ t. If two sets have this resemblance, they
// share one of these members. The length is n − ⌈t·n⌉ + 1 in integers, but at
// most n, and 0 for n = 0 (paper 003, eq. 2). At least ⌈t·n⌉ members are
// shared, so the first of them stands no later.
func PrefixLen(n int, t api.Threshold) int {
	return min(n, n-int(t.Ceil(uint64(n)))+1)
}

// tiers are thresholds, descending. A posting carries the first tier whose prefix its
// place in the set falls into. A search reads the tiers up to the first T of which each
// match shares ⌈T·n⌉ of its n members (Window.NeedsShare), and no more of the
// postings. Every member of a set is posted, as the last tier is 0.
var tiers = [...]api.Threshold{
	api.Ratio(1, 1), api.Ratio(95, 100), api.Ratio(9, 10), nearSim,
	api.Ratio(7, 10), api.Ratio(6, 10), api.Ratio(5, 10), {},
}

const (
	tierBits = 3
	lastTier = 1<<tierBits - 1
)

// nearSim is the least threshold of those that are in part 0 of the postings.
var nearSim = api.Ratio(8, 10)

// PartOf returns the part that the postings of a tier are in.
func PartOf(tier uint8) int {
	if tiers[tier].Cmp(nearSim) >= 0 {
		return 0
	}
	return 1
}

// TierOf returns the highest tier to read for threshold t. It is the first tier
// whose threshold is ≤ t: only prefixes of this tier, or longer ones, are as
// long as t needs.
func TierOf(t api.Threshold) uint8 {
	return firstTier(func(u api.Threshold) bool { return u.Cmp(t) <= 0 })
}

// Tiers returns the tiers, descending. The last is 0, whose prefix is the set.
func Tiers() []api.Threshold { return tiers[:] }

// tierFor returns the highest tier whose prefixes have a shared member of every match.
func tierFor(w *measure.Window) uint8 { return firstTier(w.NeedsShare) }

// AllTiers says whether a search for a query of that size reads the postings of all tiers.
func AllTiers(f measure.Formula, query measure.Size, t api.Threshold) bool {
	w, ok := f.Window(query, t, 0)
	return ok && tierFor(&w) == lastTier
}

func firstTier(ok func(api.Threshold) bool) uint8 {
	for i, t := range tiers[:lastTier] {
		if ok(t) {
			return uint8(i)
		}
	}
	return lastTier
}
