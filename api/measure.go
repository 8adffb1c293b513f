package api

// The measures.

import (
	"fmt"
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
	Weighted                          // Σ weights of Q∩D / Σ weights of Q∪D, or of one side; a shingle weighs 1/(documents that have it)
	SimHash                           // (64 − Hamming distance) / 64
	Patricia                          // characters of D in long matches with Q / characters of Q: paper 001
	Coverage                          // characters of Q in long matches with D / characters of Q
	Versions                          // sentences of both that have a near one in the other: paper 004
	Entities                          // the same over what the paragraphs name: paper 004
	Words                             // cosine of the word frequencies: paper 004
	SI                                // 1 − |SI of Q − SI of D| / |SI of Q|: paper 000
	Quotes                            // words of Q in rows of words that D has / words of Q
	measures                          // how many there are
)

var names = [...]string{
	Jaccard:            "jaccard",
	ContainmentOfQuery: "containment(of='query')",
	ContainmentOfDoc:   "containment(of='doc')",
	Multiset:           "multiset",
	Repetition:         "repetition",
	Tversky:            "tversky",
	Weighted:           "weighted",
	SimHash:            "simhash",
	Patricia:           "patricia",
	Coverage:           "coverage",
	Versions:           "versions",
	Entities:           "entities",
	Words:              "words",
	SI:                 "si",
	Quotes:             "quotes",
}

// String returns the name used in the language: "jaccard",
// "containment(of='query')", "containment(of='doc')", "multiset",
// "repetition", "tversky", "weighted", "simhash", "patricia", "coverage", "versions", "entities", "words", "si", "quotes".
func (m Measure) String() string {
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("measure %d", m)
}

// ParseMeasure reads a name as String gives it. "containment" alone is containment of the
// query.
func ParseMeasure(name string) (Measure, bool) {
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

// Method is a measure with its arguments.
type Method struct {
	Measure Measure
	Args    Args
}

// Symmetric says whether the score stays the same if query and document are swapped.
func (m Method) Symmetric() bool { return m.Measure.Symmetric(m.Args) }
