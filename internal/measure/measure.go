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

	"github.com/simdb/simdb/internal/shingle"
)

// Measure names a similarity. The zero value is Jaccard.
type Measure uint8

const (
	Jaccard            Measure = iota // |Q∩D| / |Q∪D| over sets: resemblance
	ContainmentOfQuery                // |Q∩D| / |Q|
	ContainmentOfDoc                  // |Q∩D| / |D|
	Multiset                          // Σmin / Σmax of repetitions
	Repetition                        // Σ over common (rQ+rD) / Σ over all (rQ+rD): paper 003, eq. 3
	SimHash                           // (64 − Hamming distance) / 64
	Patricia                          // characters of D in long matches with Q / characters of Q: paper 001
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
	SimHash:            "simhash",
	Patricia:           "patricia",
	Versions:           "versions",
	Entities:           "entities",
	Words:              "words",
	SI:                 "si",
}

// String returns the name used in the language: "jaccard",
// "containment(of='query')", "containment(of='doc')", "multiset",
// "repetition", "simhash", "patricia", "versions", "entities", "words", "si".
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

// Symmetric reports whether the score stays the same if query and document are
// swapped.
func (m Measure) Symmetric() bool {
	switch m {
	case ContainmentOfQuery, ContainmentOfDoc, Patricia, SI:
		return false
	}
	return true
}

// Valid reports whether m is one of the measures.
func (m Measure) Valid() bool { return m < measures }

// OfBags reports whether Score compares bags by m.
func (m Measure) OfBags() bool { return m < SimHash }

// OfTexts reports whether m compares texts: neither bags nor the fingerprints of
// their sets.
func (m Measure) OfTexts() bool { return m > SimHash }

// Score is an exact similarity: Shared/Of. Union is shown beside it. It equals
// Of for every measure but containment, for which Of is the size of one side.
type Score struct{ Shared, Union, Of uint64 }

// Sim returns Shared/Of, 0 when Of is 0.
func (s Score) Sim() float64 {
	if s.Of == 0 {
		return 0
	}
	return nearest(s.Shared, s.Of)
}

// Score compares two bags. It panics for a measure that does not compare bags
// (see OfBags).
func (m Measure) Score(query, doc shingle.Bag) Score {
	q, d := SizeOf(query), SizeOf(doc)
	switch m {
	case Multiset:
		both := common(query, doc)
		return ratio(both.least, q.Total+d.Total-both.least)
	case Repetition:
		return ratio(common(query, doc).sum, q.Total+d.Total)
	}
	return m.ofSets(q, d, uint64(shingle.Shared(query.Set, doc.Set, 0)))
}

// Match compares two bags as Score does, and reports whether they match:
// whether they share a shingle and score ≥ t. The score of bags that do not
// match must not be used, because resemblance stops counting once t is out of
// reach.
func (m Measure) Match(query, doc shingle.Bag, t Threshold) (Score, bool) {
	if m != Jaccard {
		s := m.Score(query, doc)
		return s, s.Shared > 0 && t.Admits(s.Shared, s.Of)
	}
	q, d := SizeOf(query), SizeOf(doc)
	need := max(1, t.Overlap(q.Distinct+d.Distinct))
	shared := uint64(shingle.Shared(query.Set, doc.Set, int(need)))
	return m.ofSets(q, d, shared), shared >= need
}

// ofSets returns the score of sets that have shared members in common.
func (m Measure) ofSets(query, doc Size, shared uint64) Score {
	union := query.Distinct + doc.Distinct - shared
	switch m {
	case Jaccard:
		return ratio(shared, union)
	case ContainmentOfQuery:
		return Score{Shared: shared, Union: union, Of: query.Distinct}
	case ContainmentOfDoc:
		return Score{Shared: shared, Union: union, Of: doc.Distinct}
	}
	panic("measure: " + m.String() + " compares no bags")
}

func ratio(shared, of uint64) Score { return Score{Shared: shared, Union: of, Of: of} }

// repetitions are two sums over the common members of two bags: of the smaller
// repetition of each member, and of both.
type repetitions struct{ least, sum uint64 }

func common(a, b shingle.Bag) (r repetitions) {
	for i, j := 0, 0; i < len(a.Set) && j < len(b.Set); {
		switch x, y := a.Set[i], b.Set[j]; {
		case x < y:
			i++
		case y < x:
			j++
		default:
			ra, rb := uint64(a.Count(i)), uint64(b.Count(j))
			r.least += min(ra, rb)
			r.sum += ra + rb
			i++
			j++
		}
	}
	return r
}

// Hamming scores two fingerprints: Shared = 64 − dist, Union = Of = 64.
func Hamming(query, doc uint64) Score {
	return ratio(uint64(64-bits.OnesCount64(query^doc)), 64)
}

// Size is what the filters know of a bag.
type Size struct{ Distinct, Total uint64 }

// SizeOf returns the size of a bag.
func SizeOf(b shingle.Bag) Size { return Size{Distinct: uint64(len(b.Set)), Total: b.Total} }

// Bound returns the highest score that two bags of these sizes can have if they
// have at most shared distinct shingles in common. Every safe filter ends here.
// With shared = min(Distinct) it is the length filter. With a bound from
// signatures or folded sets it is the filter of that name. It panics for a
// measure that does not compare bags.
//
// Why no score is higher: let s shingles be common, with s ≤ shared and s ≤
// both Distinct. Each measure below grows with s, so the greatest s is taken.
// For sets the score then is the ratio itself. For bags, a side has Distinct −
// s shingles that are not common. Each of them occurs at least once, so at most
// mass = Total − (Distinct − s) of the side's repetitions lie on common ones.
// Then Σmin is at most the lesser mass, and Σmin/Σmax = Σmin/(both Totals −
// Σmin) grows with Σmin. The numerator of the repetition similarity is at most
// the sum of both masses, and its denominator is fixed. With s = 0 nothing is
// common and both are 0. There are two bags of these sizes that reach the
// bound: those with all repetitions beyond the first on one common shingle.
func (m Measure) Bound(query, doc Size, shared uint64) Score {
	s := min(shared, query.Distinct, doc.Distinct)
	var queryMass, docMass uint64
	if s > 0 {
		queryMass = query.Total - (query.Distinct - s)
		docMass = doc.Total - (doc.Distinct - s)
	}
	switch m {
	case Multiset:
		least := min(queryMass, docMass)
		return ratio(least, query.Total+doc.Total-least)
	case Repetition:
		return ratio(queryMass+docMass, query.Total+doc.Total)
	}
	return m.ofSets(query, doc, s)
}

// Compare orders exact similarities: it is negative if s is the smaller one.
func (s Score) Compare(o Score) int {
	ah, al := bits.Mul64(s.Shared, o.Of)
	bh, bl := bits.Mul64(o.Shared, s.Of)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}
