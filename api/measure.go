package api

// What a measure is: a row of the table in measures.go, and what its row says of it.

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

// measure is what there is to know of a measure before a text is read.
type measure struct {
	method string // what USING names
	chosen string // value of the parameter "of" that makes it a measure of its own, or ""
	about  string // one line for people
	of     compared
	params []Param // in their order

	oneSided  func(Args) bool     // the score changes if query and document are swapped; nil: never
	swapped   func(*Args) Measure // makes the arguments those of the measure that scores the other way round; nil: there is none
	check     func(Args) error    // refuses arguments that do not go together
	least     Threshold           // of a search that names none; zero: 0.8
	columns   []string            // of its rows beside sim; nil: shared and union
	unit      string              // of its evidence; of bags "" means shingles, else that there is none
	kept      func(Settings) bool // whether a collection keeps what it searches by; nil: every collection does
	setting   string              // that makes it so
	access    []Access            // ways that USING may ask for
	alone     bool                // COMPARE scores by it only if it is named
	nameBound bool                // RELATED TO calls the bound of a rule by its name
}

// compared is what of two documents a measure compares.
type compared uint8

const (
	bags         compared = iota // shingles, and how often each is there
	weights                      // shingles, and how rare each is in the collection
	fingerprints                 // SimHash
	letters                      // texts: their characters
	texts                        // texts: something else of them
)

// Measures returns all measures, in the order in which COMPARE shows them.
func Measures() []Measure {
	all := make([]Measure, len(table))
	for i := range all {
		all[i] = Measure(i)
	}
	return all
}

// row returns that of the table.
func (m Measure) row() *measure {
	if !m.Valid() {
		return &measure{method: fmt.Sprintf("measure %d", m)}
	}
	return &table[m]
}

// String returns the name used in the language, with the argument that makes it a measure of its own: "jaccard",
// "containment(of='query')".
func (m Measure) String() string {
	r := m.row()
	if r.chosen == "" {
		return r.method
	}
	return r.method + "(of='" + r.chosen + "')"
}

// ParseMeasure reads a name as String gives it. The name of a method alone, as "containment", is its first measure.
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

// Method returns what USING names: "containment" of both measures of that name.
func (m Measure) Method() string { return m.row().method }

// About says in one line what the score is.
func (m Measure) About() string { return m.row().about }

// OfBags reports whether Score compares bags by m.
func (m Measure) OfBags() bool { return m.row().of <= weights }

// Weighs reports whether a shingle counts by how many documents of the collection have it, so that
// a score changes with what is stored.
func (m Measure) Weighs() bool { return m.row().of == weights }

// OfFingerprints reports whether m compares the fingerprints of sets, whose rows have a distance in bits.
func (m Measure) OfFingerprints() bool { return m.row().of == fingerprints }

// OfTexts reports whether m compares texts: neither bags nor the fingerprints of
// their sets.
func (m Measure) OfTexts() bool { return m.row().of >= letters }

// OfLetters reports whether m compares the characters of texts, in their places.
func (m Measure) OfLetters() bool { return m.row().of == letters }

// Symmetric says whether the score stays the same if query and document are swapped.
func (m Method) Symmetric() bool { return m.Measure.Symmetric(m.Args) }

// Symmetric reports whether the score stays the same if query and document are swapped.
func (m Measure) Symmetric(a Args) bool {
	r := m.row()
	return r.oneSided == nil || !r.oneSided(a)
}

// Swapped returns the measure that scores a query and a document as m scores the document
// and the query, if there is one.
func (m Measure) Swapped(a Args) (Measure, Args, bool) {
	swapped := m.row().swapped
	if swapped == nil {
		return m, a, m.Symmetric(a)
	}
	m = swapped(&a)
	return m, a, true
}

// Least is the threshold of a search that names none.
func (m Measure) Least() Threshold {
	if least := m.row().least; least != (Threshold{}) {
		return least
	}
	return Ratio(4, 5)
}

// Columns are those of its rows beside sim.
func (m Measure) Columns() []string {
	if columns := m.row().columns; columns != nil {
		return columns
	}
	return []string{"shared", "union"}
}

// Counts reports whether its rows say how much is shared, and of how much.
func (m Measure) Counts() bool { return slices.Contains(m.Columns(), "shared") }

// OfIndexes reports whether m compares one number of each text, which a row shows.
func (m Measure) OfIndexes() bool { return slices.Contains(m.row().columns, "si") }

// Unit is what its evidence counts; "" if it has none.
func (m Measure) Unit() string {
	if unit := m.row().unit; unit != "" || !m.OfBags() {
		return unit
	}
	return "shingles"
}

// Kept reports whether a collection keeps what m searches by. Without it every text is read.
func (m Measure) Kept(s Settings) bool {
	kept := m.row().kept
	return kept == nil || kept(s)
}

// Keeper is the setting of a collection that keeps what m searches by; "" if every collection does.
func (m Measure) Keeper() string { return m.row().setting }

// Accesses are the ways to find candidates that USING may ask for.
func (m Measure) Accesses() []Access { return m.row().access }

// Compared reports whether COMPARE scores by m where it names no measure.
func (m Measure) Compared() bool { return !m.row().alone }

// NamesBound reports whether RELATED TO calls the bound of a rule by the name of the measure: another rule of the
// kind has its name.
func (m Measure) NamesBound() bool { return m.row().nameBound }

// Params are the arguments that m takes.
func (m Measure) Params() []Param { return m.row().params }
