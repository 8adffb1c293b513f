package api

// Properties of measures, read from the table in measures.go.

import (
	"fmt"
	"slices"
)

// Measure names a similarity. The zero value is Jaccard.
type Measure uint8

// Method is a measure with its arguments.
type Method struct {
	Measure Measure `json:"measure"`
	Args    Args    `json:"args,omitzero"`
}

// measure is the static description of a measure: one row of the table.
type measure struct {
	method string // its name behind USING
	chosen string // value of the parameter "of" that selects it, or ""
	about  string // documentation, one line
	of     compared
	params []Param // in their order

	oneSided  func(Args) bool     // the score changes if query and document are swapped; nil: never
	swapped   func(*Args) Measure // returns the measure with query and document swapped, and adapts its arguments; nil: none exists
	check     func(Args) error    // rejects incompatible arguments
	least     Threshold           // default threshold of a search; zero: 0.8
	columns   []string            // of its rows beside sim; nil: shared and union
	unit      string              // of its evidence; "" means shingles for bags, none for other measures
	kept      func(Settings) bool // whether a collection keeps its index; nil: every collection does
	setting   string              // setting that keeps the index
	access    []Access            // paths that USING accepts, the planner's choice first
	alone     bool                // COMPARE includes it only by name
	nameBound bool                // names the bound of its rule in RELATED TO
}

// compared is the part of two documents that a measure compares.
type compared uint8

const (
	bags         compared = iota // shingles with their repetitions
	weights                      // shingles with their document frequencies in the collection
	fingerprints                 // SimHash
	letters                      // texts: their characters
	texts                        // texts: other features
)

// Measures returns all measures, in the order in which COMPARE shows them.
func Measures() []Measure {
	all := make([]Measure, len(table))
	for i := range all {
		all[i] = Measure(i)
	}
	return all
}

// row returns the measure's row of the table; an invalid measure has a row without arguments.
func (m Measure) row() *measure {
	if !m.Valid() {
		return &measure{method: fmt.Sprintf("measure %d", m), of: texts}
	}
	return &table[m]
}

// String returns the name in the language, with the argument that selects the measure: "jaccard",
// "containment(of='query')".
func (m Measure) String() string {
	r := m.row()
	if r.chosen == "" {
		return r.method
	}
	return r.method + "(of='" + r.chosen + "')"
}

// ParseMeasure parses a name in the form of String. The name of a method alone, as "containment",
// denotes its first measure.
func ParseMeasure(name string) (Measure, bool) {
	for _, named := range []func(Measure) string{Measure.String, Measure.Method} {
		if i := slices.IndexFunc(Measures(), func(m Measure) bool { return named(m) == name }); i >= 0 {
			return Measure(i), true
		}
	}
	return 0, false
}

// Valid reports whether m is one of the measures.
func (m Measure) Valid() bool { return int(m) < len(table) }

// Method returns its name in USING: both measures of containment share one.
func (m Measure) Method() string { return m.row().method }

// About describes the score in one line.
func (m Measure) About() string { return m.row().about }

// OfBags reports whether m compares bags of shingles.
func (m Measure) OfBags() bool { return m.row().of <= weights }

// Weighs reports whether shingles weigh by their document frequency. Scores then change with the
// contents of the collection.
func (m Measure) Weighs() bool { return m.row().of == weights }

// OfFingerprints reports whether m compares the fingerprints of sets, whose rows have a distance in bits.
func (m Measure) OfFingerprints() bool { return m.row().of == fingerprints }

// OfTexts reports whether m compares texts: neither bags nor the fingerprints of
// their sets.
func (m Measure) OfTexts() bool { return m.row().of >= letters }

// OfLetters reports whether m compares the characters of texts, in their places.
func (m Measure) OfLetters() bool { return m.row().of == letters }

// Symmetric reports whether swapping query and document keeps the score.
func (m Method) Symmetric() bool { return m.Measure.Symmetric(m.Args) }

// Symmetric reports whether swapping query and document keeps the score.
func (m Measure) Symmetric(a Args) bool {
	r := m.row()
	return r.oneSided == nil || !r.oneSided(a)
}

// Swapped returns the measure with the roles of query and document exchanged; ok is false if none
// exists.
func (m Measure) Swapped(a Args) (_ Measure, _ Args, ok bool) {
	swapped := m.row().swapped
	if swapped == nil {
		return m, a, m.Symmetric(a)
	}
	m = swapped(&a)
	return m, a, true
}

// Least is the default threshold of a search.
func (m Measure) Least() Threshold {
	if least := m.row().least; least != (Threshold{}) {
		return least
	}
	return Ratio(4, 5)
}

// Columns lists the columns of its rows, except sim. Callers must not change the slice.
func (m Measure) Columns() []string {
	if columns := m.row().columns; columns != nil {
		return columns
	}
	return []string{"shared", "union"}
}

// Counts reports whether its rows have the columns shared and union.
func (m Measure) Counts() bool { return slices.Contains(m.Columns(), "shared") }

// OfIndexes reports whether m compares one number of each text, which a row shows.
func (m Measure) OfIndexes() bool { return slices.Contains(m.row().columns, "si") }

// Unit names the unit of its evidence; "" if the measure has no evidence.
func (m Measure) Unit() string {
	if unit := m.row().unit; unit != "" || !m.OfBags() {
		return unit
	}
	return "shingles"
}

// Kept reports whether a collection keeps the index of m. Without it a search reads every text.
func (m Measure) Kept(s Settings) bool {
	kept := m.row().kept
	return kept == nil || kept(s)
}

// Keeper returns the setting that keeps the index of m; "" if every collection has it.
func (m Measure) Keeper() string { return m.row().setting }

// Accesses lists the access paths that USING accepts, AccessAuto first. Callers must not change the slice.
func (m Measure) Accesses() []Access { return m.row().access }

// Compared reports whether COMPARE includes m by default.
func (m Measure) Compared() bool { return !m.row().alone }

// NamesBound reports whether RELATED TO names the bound of a rule after m, because another rule
// already has the name of the kind.
func (m Measure) NamesBound() bool { return m.row().nameBound }

// Params lists the arguments of m. Callers must not change the slice.
func (m Measure) Params() []Param { return m.row().params }
