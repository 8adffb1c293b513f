package repetition

import (
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// judge says by which measures a pair is a match. Safe for concurrent use.
type judge struct {
	docs []document
	j    measure.Threshold

	// mostApart[n] is the largest d with (n−d)/(n+d) ≥ J. For n = |A|+|B| that
	// is how many shingles may be in only one of two sets with |A∩B|/|A∪B| ≥ J;
	// for n = both totals it is the largest Σ|r₁−r₂| with Σmin/Σmax ≥ J.
	mostApart []uint64
}

func newJudge(docs []document, j measure.Threshold) *judge {
	largest := uint64(0)
	for _, d := range docs {
		largest = max(largest, d.bag.Total)
	}
	most := make([]uint64, 2*largest+1)
	for n, d := uint64(1), uint64(0); n < uint64(len(most)); n++ {
		for d < n && j.Admits(n-d-1, n+d+1) {
			d++
		}
		most[n] = d
	}
	return &judge{docs, j, most}
}

// keep appends the pair to the matches of every measure by which it is one.
func (g *judge) keep(to *matches, p pair) {
	a, b := g.docs[p.a].bag, g.docs[p.b].bag
	if !g.possible(a, b) {
		return
	}
	for i, m := range measures {
		if _, ok := m.Match(a, b, g.j); ok {
			to[i] = append(to[i], p)
		}
	}
}

// possible reports whether the bags can match by any of the measures; it is
// wrong at most when it says yes. One merge serves all three and ends when what
// the bags do not have in common is too much for each, which for most pairs is
// soon. Without that, a brute-force answer would take an hour instead of a minute.
func (g *judge) possible(a, b shingle.Bag) bool {
	total := a.Total + b.Total
	mostSet, mostBag := g.mostApart[len(a.Set)+len(b.Set)], g.mostApart[total]
	mostUncommon := total - g.j.Ceil(total) // eq. 3: 1 − uncommon/total ≥ J
	if differ(uint64(len(a.Set)), uint64(len(b.Set))) > max(mostSet, mostUncommon) {
		return false // so many shingles are in one set only, and mostBag ≤ mostUncommon
	}
	var set, bag, uncommon uint64
	i, k := 0, 0
	for set <= mostSet || bag <= mostBag || uncommon <= mostUncommon {
		switch {
		case i == len(a.Set) && k == len(b.Set):
			return true
		case k == len(b.Set) || i < len(a.Set) && a.Set[i] < b.Set[k]:
			r := uint64(a.Count(i))
			set, bag, uncommon = set+1, bag+r, uncommon+r
			i++
		case i == len(a.Set) || b.Set[k] < a.Set[i]:
			r := uint64(b.Count(k))
			set, bag, uncommon = set+1, bag+r, uncommon+r
			k++
		default:
			bag += differ(uint64(a.Count(i)), uint64(b.Count(k)))
			i, k = i+1, k+1
		}
	}
	return false
}

func differ(a, b uint64) uint64 { return max(a, b) - min(a, b) }
