// Package measure scores two documents: as bags, as fingerprints or as texts. A
// score is an exact ratio of integers, which is compared with a Threshold
// without rounding. The package knows nothing of where bags and texts come
// from, or which pairs are worth comparing.
package measure

import (
	"cmp"
	"math/big"
	"math/bits"

	"github.com/simdb/simdb/api"
)

// Score is an exact similarity: Unit·Shared/Of, where Unit 0 stands for 1. Union is shown
// beside it. It equals Of for every measure but containment, for which Of is the size of
// one side, and tversky, for which Of is the weighted sum times Unit. Ignored is how many
// shingles were taken out of the two texts before.
type Score struct{ Shared, Union, Of, Unit, Ignored uint64 }

// Ratio returns the score as a fraction of integers. The second is 0 if there is no score.
func (s Score) Ratio() (num, den uint64) { return s.Shared * max(s.Unit, 1), s.Of }

// Sim returns the nearest float, 0 when Of is 0. It may be above 1 for patricia.
func (s Score) Sim() float64 {
	if s.Of == 0 {
		return 0
	}
	num, den := s.Ratio()
	if num|den < 1<<53 {
		return float64(num) / float64(den) // exact integers: it is rounded once
	}
	f, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den)).Float64()
	return f
}

// Reaches reports whether the score is t or more, exactly.
func (s Score) Reaches(t api.Threshold) bool { return t.Admits(s.Ratio()) }

// ReachesShare reports whether the score is a share of another, or more, exactly.
func (s Score) ReachesShare(share api.Threshold, of Score) bool {
	num, den := share.Fraction()
	sNum, sDen := s.Ratio()
	oNum, oDen := of.Ratio()
	left, right := product(sNum, oDen, den), product(oNum, sDen, num)
	return left.Cmp(right) >= 0
}

func product(factors ...uint64) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, new(big.Int).SetUint64(f))
	}
	return p
}

// Hamming scores two fingerprints: Shared = 64 − dist, Union = Of = 64.
func Hamming(query, doc uint64) Score {
	return ratio(uint64(64-bits.OnesCount64(query^doc)), 64)
}

// Compare orders exact similarities: it is negative if s is the smaller one.
func (s Score) Compare(o Score) int {
	sNum, sDen := s.Ratio()
	oNum, oDen := o.Ratio()
	ah, al := bits.Mul64(sNum, oDen)
	bh, bl := bits.Mul64(oNum, sDen)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}
