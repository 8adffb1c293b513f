package measure

// The measures of bags, each as a formula. Measures other than Tversky's index have
// their own shape.

import "github.com/simdb/simdb/api"

// formulas maps each measure of bags to its formula; others are nil.
var formulas = [1 << 8]func(api.Args) Formula{
	api.Jaccard:            func(api.Args) Formula { return Resemblance },
	api.ContainmentOfQuery: func(api.Args) Formula { return Formula{shape: &ofSets, query: 1, unit: 1} },
	api.ContainmentOfDoc:   func(api.Args) Formula { return Formula{shape: &ofSets, doc: 1, unit: 1} },
	api.Dice:               func(api.Args) Formula { return Formula{shape: &ofSets, query: 1, doc: 1, unit: 2} },
	api.Overlap:            func(api.Args) Formula { return Formula{shape: &overlap} },
	api.Tversky: func(a api.Args) Formula {
		f := Formula{shape: &ofSets}
		f.query, f.doc, f.unit = a.CommonWeights()
		return f
	},
	api.Multiset:   func(api.Args) Formula { return Formula{shape: &multiset} },
	api.Repetition: func(api.Args) Formula { return Formula{shape: &repetition} },
	api.Weighted: func(a api.Args) Formula {
		f := Formula{shape: &weighted, query: 1, doc: 1, unit: 1}
		switch a.Of {
		case api.QuerySide:
			f.doc = 0
		case api.DocSide:
			f.query = 0
		}
		return f
	},
}

// A shape computes the scores and the bounds of a kind of formula. With s common
// members, the shape of sets scores
//
//	unit·s / (unit·s + query·(|Q|−s) + doc·(|D|−s))
//
// which is Tversky's with α = query/unit and β = doc/unit. Resemblance has the weights
// 1 and 1, the containments 1 and 0, 0 and 1. Every score must grow with the common
// members (see Bound), and the need of a match must not fall with the size of the
// greater set (see Window, and package join).
type shape struct {
	sets   bool // repetitions have no effect
	weighs bool // members have weights (see Reading)
	byMass bool // see ByMass

	of         func(query, doc Size) uint64                               // sets: the denominator; nil: Tversky's
	ofRepeated func(total, least, sum uint64) Score                       // of bags, from repetitions: all of both; of common members the lesser, and both
	estimate   func(query, doc Size, t float64) float64                   // of Need; nil: Tversky's
	need       func(query, doc Size, num, den uint64) uint64              // solves Bound ≥ num/den in integers; nil: only estimate does. 0 stands for any
	repeats    func(query Size, n uint64, bound Repeats, k uint64) uint64 // see loosest; nil: none
	loose      func(f Formula) Formula                                    // see Loose; nil: bounded only by a common member
}

var ofSets = shape{sets: true, loose: func(f Formula) Formula {
	f.doc = 0
	return f
}}

// With IGNORING the document may have only the common members.
var overlap = shape{
	need: func(query, doc Size, num, den uint64) uint64 {
		return (num*min(query.Distinct, doc.Distinct) + den - 1) / den
	},
	sets: true, of: func(query, doc Size) uint64 { return min(query.Distinct, doc.Distinct) },
	estimate: func(query, doc Size, t float64) float64 { return t * float64(min(query.Distinct, doc.Distinct)) },
	loose:    func(Formula) Formula { return Formula{shape: &ofSets, unit: 1} },
}

var multiset = shape{
	// A match has (least + n) / (all repetitions − (least + n)) ≥ num/den.
	need: func(query, doc Size, num, den uint64) uint64 {
		least, want := min(query.Total-query.Distinct, doc.Total-doc.Distinct), (num*(query.Total+doc.Total)+num+den-1)/(num+den)
		return max(want, least) - least
	},
	ofRepeated: func(total, least, _ uint64) Score { return ratio(least, total-least) },
	estimate: func(query, doc Size, t float64) float64 { // t/(1+t) of all repetitions must be common; the lesser surplus may be repeats
		return t/(1+t)*float64(query.Total+doc.Total) - float64(min(query.Total-query.Distinct, doc.Total-doc.Distinct))
	},
	repeats: func(query Size, _ uint64, _ Repeats, k uint64) uint64 { return (query.Total - query.Distinct) * k },
}

var repetition = shape{
	need: func(query, doc Size, num, den uint64) uint64 {
		more, want := query.Total-query.Distinct+doc.Total-doc.Distinct, (num*(query.Total+doc.Total)+den-1)/den
		return (max(want, more) - more + 1) / 2
	},
	byMass:     true,
	ofRepeated: func(total, _, sum uint64) Score { return ratio(sum, total) },
	estimate: func(query, doc Size, t float64) float64 {
		return (t*float64(query.Total+doc.Total) - float64(query.Total-query.Distinct) - float64(doc.Total-doc.Distinct)) / 2
	},
	repeats: func(_ Size, n uint64, bound Repeats, k uint64) uint64 { return n * uint64(bound) * (k / loosestUnit) },
}

var weighted = shape{weighs: true, estimate: func(_, _ Size, _ float64) float64 { return 1 }}
