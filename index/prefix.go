package index

import "github.com/simdb/simdb/measure"

// PrefixLen returns how many of the n members of a set, rarest first, must be
// looked at so that two sets with resemblance ≥ t always share one of them:
// n − ⌈t·n⌉ + 1, in integers; 0 for n = 0 (paper 003, eq. 2).
func PrefixLen(n int, t measure.Threshold) int { panic("stub") }

// Tiers are the thresholds, descending, for which one set of postings serves:
// a posting carries the first tier whose prefix its position falls into, and a
// query at t reads the tiers up to At(t). The last tier is the collection's
// min_sim. At most eight.
type Tiers []measure.Threshold

// NewTiers returns 1, .95, .9, .8, .7, .6, .5 as far as they are above minSim,
// and minSim.
func NewTiers(minSim measure.Threshold) Tiers { panic("stub") }

// At returns the highest tier to read for threshold t: the first whose
// threshold is ≤ t. ok is false when t is below the last tier.
func (ts Tiers) At(t measure.Threshold) (tier uint8, ok bool) { panic("stub") }
