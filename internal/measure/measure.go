// Package measure scores two documents: as bags, as fingerprints or as texts. A
// score is an exact ratio of integers, which is compared with a Threshold
// without rounding. The package knows nothing of where bags and texts come
// from, or which pairs are worth comparing.
package measure

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Measure names a similarity. The zero value is Jaccard.
type Measure uint8

const (
	Jaccard            Measure = iota // |Q∩D| / |Q∪D| over sets: resemblance
	ContainmentOfQuery                // |Q∩D| / |Q|
	ContainmentOfDoc                  // |Q∩D| / |D|
	Multiset                          // Σmin / Σmax of repetitions
	Repetition                        // Σ over common (rQ+rD) / Σ over all (rQ+rD): paper 003, eq. 3
	Tversky                           // |Q∩D| / (|Q∩D| + α·|Q∖D| + β·|D∖Q|) over sets
	SimHash                           // (64 − Hamming distance) / 64
	Patricia                          // characters of D in long matches with Q / characters of Q: paper 001
	Coverage                          // characters of Q in long matches with D / characters of Q
	Versions                          // sentences of both that have a near one in the other: paper 004
	Entities                          // the same over what the paragraphs name: paper 004
	Words                             // cosine of the word frequencies: paper 004
	SI                                // 1 − |SI of Q − SI of D| / |SI of Q|: paper 000
	measures                          // how many there are
)

var names = [...]string{
	Jaccard:            "jaccard",
	ContainmentOfQuery: "containment(of='query')",
	ContainmentOfDoc:   "containment(of='doc')",
	Multiset:           "multiset",
	Repetition:         "repetition",
	Tversky:            "tversky",
	SimHash:            "simhash",
	Patricia:           "patricia",
	Coverage:           "coverage",
	Versions:           "versions",
	Entities:           "entities",
	Words:              "words",
	SI:                 "si",
}

// String returns the name used in the language: "jaccard",
// "containment(of='query')", "containment(of='doc')", "multiset",
// "repetition", "tversky", "simhash", "patricia", "coverage", "versions", "entities", "words", "si".
func (m Measure) String() string {
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("measure %d", m)
}

// Parse reads a name as String gives it. "containment" alone is containment of the
// query.
func Parse(name string) (Measure, bool) {
	if name == "containment" {
		return ContainmentOfQuery, true
	}
	i := slices.Index(names[:], name)
	return Measure(max(i, 0)), i >= 0
}

// Valid reports whether m is one of the measures.
func (m Measure) Valid() bool { return m < measures }

// OfBags reports whether Score compares bags by m.
func (m Measure) OfBags() bool { return m < SimHash }

// OfTexts reports whether m compares texts: neither bags nor the fingerprints of
// their sets.
func (m Measure) OfTexts() bool { return m > SimHash }

// Score is an exact similarity: Unit·Shared/Of, where Unit 0 stands for 1. Union is shown
// beside it. It equals Of for every measure but containment, for which Of is the size of
// one side, and tversky, for which Of is the weighted sum times Unit.
type Score struct{ Shared, Union, Of, Unit uint64 }

// Ratio returns the score as a fraction of integers. The second is 0 if there is no score.
func (s Score) Ratio() (num, den uint64) { return s.Shared * max(s.Unit, 1), s.Of }

// Sim returns the score as a float, 0 when Of is 0.
func (s Score) Sim() float64 {
	if s.Of == 0 {
		return 0
	}
	return nearest(s.Ratio())
}

// Reaches reports whether the score is t or more, exactly.
func (s Score) Reaches(t Threshold) bool { return t.Admits(s.Ratio()) }

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
