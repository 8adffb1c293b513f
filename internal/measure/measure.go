// Package measure scores two documents: as bags, as fingerprints or as texts. A score
// is an exact ratio of integers, compared with a Threshold without rounding, so that
// filters and verification agree on every machine. The package neither loads documents
// nor chooses pairs. Begin with Score and Formula.
package measure

import (
	"cmp"
	"math/big"
	"math/bits"

	"github.com/simdb/simdb/api"
)

// Score is an exact similarity: Unit·Shared/Of, where Unit 0 means 1. Union is for
// display. Of equals Union, except for containment, where it is the size of one side,
// and for tversky, where it is the weighted sum times Unit. Ignored is the number of
// shingles removed from the two texts before comparison.
type Score struct{ Shared, Union, Of, Unit, Ignored uint64 }

// Ratio returns the score as a fraction of integers. The denominator is 0 if there is
// no score.
func (s Score) Ratio() (num, den uint64) { return s.Shared * max(s.Unit, 1), s.Of }

// Sim returns the nearest float, 0 if Of is 0. It may exceed 1 for patricia.
func (s Score) Sim() float64 {
	if s.Of == 0 {
		return 0
	}
	num, den := s.Ratio()
	if num|den < 1<<53 {
		return float64(num) / float64(den) // exact integers, a single rounding
	}
	f, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den)).Float64()
	return f
}

// Reaches reports whether the score is at least t, exactly.
func (s Score) Reaches(t api.Threshold) bool { return t.Admits(s.Ratio()) }

// ReachesShare reports whether the score is at least share times of, exactly.
func (s Score) ReachesShare(share api.Threshold, of Score) bool {
	num, den := share.Fraction()
	sNum, sDen := s.Ratio()
	oNum, oDen := of.Ratio()
	left, right := product(sNum, oDen, den), product(oNum, sDen, num)
	return left.Cmp(right) >= 0
}

// product multiplies without overflow.
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

// Compare returns a negative number, 0 or a positive number if s is less than, equal to
// or greater than o, exactly.
func (s Score) Compare(o Score) int {
	sNum, sDen := s.Ratio()
	oNum, oDen := o.Ratio()
	ah, al := bits.Mul64(sNum, oDen)
	bh, bl := bits.Mul64(oNum, sDen)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}
