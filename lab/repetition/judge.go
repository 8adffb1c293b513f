package repetition

// This file verifies pairs. Most are dismissed before their shingles are
// compared: a comparison of all pairs would not end in minutes otherwise.

import (
	"math/bits"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// judge says by which measures a pair is a match. Safe for concurrent use.
type judge struct {
	docs []document
	j    api.Threshold

	// mostApart[n] is the largest d with (n−d)/(n+d) ≥ J. For n = |A|+|B| that
	// is how many shingles may be in only one of two sets with |A∩B|/|A∪B| ≥ J;
	// for n = both totals it is the largest Σ|r₁−r₂| with Σmin/Σmax ≥ J.
	mostApart []uint64

	parities []parity // by document
}

// parity says of each of its bits whether an odd number of the symbols of a set
// belong to it. Two sets that differ in n symbols differ in at most n bits,
// which is quickly seen: a comparison of all pairs needs it to end in minutes.
type parity [64]uint64

func parityOf(s shingle.Set) (p parity) {
	for _, symbol := range s {
		p[symbol/64%64] ^= 1 << (symbol % 64)
	}
	return p
}

func (p *parity) distance(q *parity) (n uint64) {
	for i := range p {
		n += uint64(bits.OnesCount64(p[i] ^ q[i]))
	}
	return n
}

func newJudge(docs []document, j api.Threshold) *judge {
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
	g := &judge{docs, j, most, make([]parity, len(docs))}
	for i, d := range docs {
		g.parities[i] = parityOf(d.bag.Set)
	}
	return g
}

// keep appends the pair to the matches of every measure by which it is one.
func (g *judge) keep(to *matches, p pair) {
	a, b := g.docs[p.a].bag, g.docs[p.b].bag
	if !g.possible(p) {
		return
	}
	for i, m := range measures {
		if _, ok := measure.FormulaOf(m, api.Args{}).Match(a, b, g.j); ok {
			to[i] = append(to[i], p)
		}
	}
}

// possible reports whether a pair can match by any of the measures; it is wrong
// at most when it says yes. One merge serves all three and ends when what the
// bags do not have in common is too much for each, which for most pairs is soon.
func (g *judge) possible(p pair) bool {
	a, b := g.docs[p.a].bag, g.docs[p.b].bag
	total := a.Total + b.Total
	mostSet, mostBag := g.mostApart[len(a.Set)+len(b.Set)], g.mostApart[total]
	mostUncommon := total - g.j.Ceil(total) // eq. 3: 1 − uncommon/total ≥ J
	// Every shingle of one set alone counts at least 1 for each measure.
	most := max(mostSet, mostBag, mostUncommon)
	if differ(uint64(len(a.Set)), uint64(len(b.Set))) > most || g.parities[p.a].distance(&g.parities[p.b]) > most {
		return false
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
