package measure

// The measures of bags: their definitions, and the bound on which every safe filter
// relies. All measures of sets are cases of Tversky's index.

import (
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// A Formula scores two bags: a measure of bags with its weights. The zero value must
// not be used. Formulas with equal scores are ==.
type Formula struct {
	*shape
	query, doc, unit uint64   // Tversky's weights: of members of only one side, and of common members
	reading          *Reading // changes to the bags made by the query; nil: none
}

// Resemblance is the Jaccard index.
var Resemblance = Formula{shape: &ofSets, query: 1, doc: 1, unit: 1}

// FormulaOf returns the formula of a measure with its arguments. It panics for a
// measure that does not compare bags (see OfBags).
func FormulaOf(m api.Measure, a api.Args) Formula {
	formula := formulas[m]
	if formula == nil {
		panic("measure: " + m.String() + " compares no bags")
	}
	return formula(a)
}

// OfSets reports whether the formula ignores repetitions. It is false for the zero
// value.
func (f Formula) OfSets() bool { return f.shape != nil && f.sets }

// Symmetric reports whether swapping query and document preserves the score.
func (f Formula) Symmetric() bool { return f.query == f.doc }

// Swapped returns the formula with the roles of query and document exchanged.
func (f Formula) Swapped() Formula {
	f.query, f.doc = f.doc, f.query
	return f
}

// Unit returns the Unit of the scores; 0 means 1.
func (f Formula) Unit() uint64 {
	if f.unit == 1 {
		return 0
	}
	return f.unit
}

// Score compares two bags.
func (f Formula) Score(query, doc shingle.Bag) Score {
	if f.reading != nil {
		return f.ScoreRest(f.reading.Rest(query), doc)
	}
	return f.score(query, doc)
}

// score is Score after the changes of f.reading.
func (f Formula) score(query, doc shingle.Bag) Score {
	if f.ofRepeated != nil {
		both := countRepetitions(query, doc)
		return f.ofRepeated(query.Total+doc.Total, both.least, both.sum)
	}
	return f.ofSets(SizeOf(query), SizeOf(doc), uint64(shingle.Shared(query.Set, doc.Set, 0)))
}

// Match compares two bags and reports whether they share a shingle and score ≥ t. The
// Score of bags that do not match must not be used, because the comparison of sets
// stops counting once t is out of reach.
func (f Formula) Match(query, doc shingle.Bag, t api.Threshold) (Score, bool) {
	if !f.OfSets() || f.reading != nil {
		s := f.Score(query, doc)
		return s, s.Shared > 0 && s.Reaches(t)
	}
	q, d := SizeOf(query), SizeOf(doc)
	need, ok := f.Need(q, d, t)
	if !ok {
		return Score{}, false
	}
	n := uint64(shingle.Shared(query.Set, doc.Set, int(need)))
	return f.ofSets(q, d, n), n >= need
}

// ofSets returns the score of sets of these sizes with n common members.
func (f Formula) ofSets(query, doc Size, n uint64) Score {
	s := Score{Shared: n, Union: query.Distinct + doc.Distinct - n}
	if f.of != nil {
		s.Of = f.of(query, doc)
		return s
	}
	s.Of, s.Unit = f.unit*n+f.query*(query.Distinct-n)+f.doc*(doc.Distinct-n), f.Unit()
	return s
}

// ratio returns a score with Of as its Union.
func ratio(shared, of uint64) Score { return Score{Shared: shared, Union: of, Of: of} }

// repetitions holds two sums over the common members of two bags: of the smaller
// repetition of each member, and of both.
type repetitions struct{ least, sum uint64 }

// countRepetitions computes the repetitions of two bags.
func countRepetitions(a, b shingle.Bag) (r repetitions) {
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

// Size holds the sizes of a bag, from which filters bound its score.
type Size struct{ Distinct, Total uint64 }

// SizeOf returns the size of a bag.
func SizeOf(b shingle.Bag) Size { return Size{Distinct: uint64(len(b.Set)), Total: b.Total} }

// Bound returns the highest score of two bags of these sizes with at most shared
// distinct shingles in common. Every safe filter reduces to it. With shared =
// min(Distinct) it is the length filter; with a bound from signatures it is the
// signature filter.
//
// No score is higher: let s shingles be common, with s ≤ shared and s ≤ both Distinct.
// Each measure below grows with s, so take the greatest s. For sets the score then is
// the ratio itself. For bags, a side has Distinct − s other shingles. Each of them
// occurs at least once, so at most mass = Total − (Distinct − s) of the side's
// repetitions belong to common ones. Then Σmin is at most the lesser mass, and
// Σmin/Σmax = Σmin/(both Totals − Σmin) grows with Σmin. The numerator of the
// repetition similarity is at most the sum of both masses, and its denominator is
// fixed. With s = 0 both are 0. Two bags of these sizes reach the bound: the bags with
// all repetitions beyond the first on one common shingle.
func (f Formula) Bound(query, doc Size, shared uint64) Score {
	s := min(shared, query.Distinct, doc.Distinct)
	switch {
	case f.estimate == nil: // Tversky's, the most frequent case
		return Score{Shared: s, Union: query.Distinct + doc.Distinct - s, Of: f.unit*s + f.query*(query.Distinct-s) + f.doc*(doc.Distinct-s), Unit: f.Unit()}
	case f.weighs: // one shared member may weigh more than all others
		return ratio(min(s, 1), 1)
	case f.ofRepeated == nil:
		return f.ofSets(query, doc, s)
	case s == 0:
		return f.ofRepeated(query.Total+doc.Total, 0, 0)
	}
	queryMass, docMass := query.Total-(query.Distinct-s), doc.Total-(doc.Distinct-s)
	return f.ofRepeated(query.Total+doc.Total, min(queryMass, docMass), queryMass+docMass)
}

// Need returns the fewest distinct shingles that two bags of these sizes must share to
// score ≥ t: the least number, at least one, with Bound ≥ t. ok is false if there is no
// such number, because the sizes are too different.
func (f Formula) Need(query, doc Size, t api.Threshold) (shared uint64, ok bool) {
	most := min(query.Distinct, doc.Distinct)
	if n, known := f.solve(query, doc, t); known {
		if n > most {
			return 0, false
		}
		return n, true
	}
	if most == 0 || !f.Bound(query, doc, most).Reaches(t) {
		return 0, false
	}
	// Rounding may shift the estimate; Bound, which is exact, corrects it.
	n := uint64(min(max(f.guess(query, doc, t.Float64()), 1), float64(most)))
	for n > 1 && f.Bound(query, doc, n-1).Reaches(t) {
		n--
	}
	for !f.Bound(query, doc, n).Reaches(t) {
		n++
	}
	return n, true
}

// solve solves Bound ≥ t for the least n ≥ 1 in integers; known is false if a product
// might not fit in 64 bits.
func (f Formula) solve(query, doc Size, t api.Threshold) (n uint64, known bool) {
	num, den := t.Fraction()
	if num > den || (f.query|f.doc|f.unit|den)>>20 > 0 || (query.Total|doc.Total)>>22 > 0 {
		return 0, false
	}
	if f.estimate != nil {
		if f.need == nil {
			return 0, false
		}
		return max(1, f.need(query, doc, num, den)), true
	}
	// unit·n / (unit·n + query·(q−n) + doc·(d−n)) ≥ t
	per := f.unit*(den-num) + num*(f.query+f.doc)
	if per == 0 { // tversky(0, 0) at 1: any common shingle reaches it
		return 1, true
	}
	return max(1, (num*(f.query*query.Distinct+f.doc*doc.Distinct)+per-1)/per), true
}

// guess solves Bound = t for the number of common shingles in floating point.
func (f Formula) guess(query, doc Size, t float64) float64 {
	if f.estimate != nil {
		return math.Ceil(f.estimate(query, doc, t))
	}
	alpha, beta, unit := float64(f.query), float64(f.doc), float64(f.unit)
	per := unit - t*unit + t*(alpha+beta)
	if per == 0 { // tversky(0, 0) at 1: any common shingle reaches it
		return 1
	}
	return math.Ceil(t * (alpha*float64(query.Distinct) + beta*float64(doc.Distinct)) / per)
}

// ByMass reports whether the need of two bags is the mean of the needs of each with
// itself, so that repetitions of one compensate for the other, as with Repetition.
func (f Formula) ByMass() bool { return f.byMass }
