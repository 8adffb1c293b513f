// Package measure turns two bags or fingerprints into a similarity: an exact
// ratio of integers, compared with a Threshold without rounding.
package measure

import "github.com/simdb/simdb/shingle"

// Measure names a similarity. The zero value is Jaccard.
type Measure uint8

const (
	Jaccard            Measure = iota // |Q∩D| / |Q∪D| over sets: resemblance
	ContainmentOfQuery                // |Q∩D| / |Q|
	ContainmentOfDoc                  // |Q∩D| / |D|
	Multiset                          // Σmin / Σmax of repetitions
	Repetition                        // Σ over common (rQ+rD) / Σ over all (rQ+rD): paper 003, eq. 3
	SimHash                           // (64 − Hamming distance) / 64
)

// String returns the name used in the language: "jaccard",
// "containment(of='query')", "containment(of='doc')", "multiset",
// "repetition", "simhash".
func (m Measure) String() string { panic("stub") }

// Symmetric reports whether swapping query and document keeps the score.
func (m Measure) Symmetric() bool { panic("stub") }

// Score is an exact similarity: Shared/Of. Union is shown beside it; it equals
// Of for every measure but containment, where Of is the size of one side.
type Score struct{ Shared, Union, Of uint64 }

// Sim returns Shared/Of, 0 when Of is 0.
func (s Score) Sim() float64 { panic("stub") }

// Score compares two bags. It panics for SimHash, which needs fingerprints.
func (m Measure) Score(query, doc shingle.Bag) Score { panic("stub") }

// Hamming scores two fingerprints: Shared = 64 − dist, Union = Of = 64.
func Hamming(query, doc uint64) Score { panic("stub") }

// Size is what the filters know of a bag.
type Size struct{ Distinct, Total uint64 }

// Bound returns the highest score that two bags of these sizes can have when
// they have at most shared distinct shingles in common. Every safe filter ends
// here: with shared = min(Distinct) it is the length filter, with a bound from
// signatures or folded sets the filter of that name. It panics for SimHash.
func (m Measure) Bound(query, doc Size, shared uint64) Score { panic("stub") }
