package measure

// This file has the arguments that measures take, and writes a measure with its
// arguments.

import (
	"fmt"
	"slices"
	"strings"
)

// Args are the arguments of all measures. The zero value means the defaults.
type Args struct {
	Alpha Weight // tversky: of what only the query has; not given means 1
	Beta  Weight // tversky: of what only the document has; not given means 1
	K     int    // measures of bags: tokens of a shingle, 1 to 100; 0 means as many as those of the collection

	Min      int         // patricia, coverage: a match counts if it has more characters than this; 0 means 15
	Bits     int         // versions, entities: in how many bits near fingerprints may differ; 0 means the default, negative means none
	Versions VersionArgs // versions: how sentences are read and counted

	TF  bool   // entities: weigh an entity by how often it is named
	IDF bool   // words: weigh a word by how rare it is in the collection
	SI  string // si: which one, as sketch.ParseSI reads it; "" means the first that the collection keeps
}

// MaxK is the greatest K, of a collection too.
const MaxK = 100

// Describe writes a measure with the arguments that are not the defaults, as
// the language does.
func (m Measure) Describe(a Args) string {
	name, own, _ := strings.Cut(strings.TrimSuffix(m.String(), ")"), "(")
	var args []string
	add := func(given bool, format string, value ...any) {
		if given {
			args = append(args, fmt.Sprintf(format, value...))
		}
	}
	add(own != "", "%s", own)
	switch m {
	case Tversky:
		add(a.Alpha.Given(), "alpha=%s", a.Alpha)
		add(a.Beta.Given(), "beta=%s", a.Beta)
	case Patricia, Coverage:
		add(a.Min != 0, "min=%d", a.Min)
	case Versions:
		add(a.Bits != 0, "bits=%d", max(a.Bits, 0))
		args = append(args, a.Versions.describe()...)
	case Entities:
		add(a.Bits != 0, "bits=%d", max(a.Bits, 0))
		add(a.TF, "tf='on'")
	case Words:
		add(a.IDF, "idf='on'")
	case SI:
		add(a.SI != "", "'%s'", a.SI)
	}
	add(a.K != 0, "k=%d", a.K)
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// Unused names the arguments that a measure does not take, of those that are given;
// "" if it takes all.
func (m Measure) Unused(a Args) string {
	var names []string
	add := func(given bool, name string, takes ...Measure) {
		if given && !slices.Contains(takes, m) {
			names = append(names, name)
		}
	}
	add(a.Alpha.Given(), "Alpha", Tversky)
	add(a.Beta.Given(), "Beta", Tversky)
	add(a.K != 0, "K", Jaccard, ContainmentOfQuery, ContainmentOfDoc, Multiset, Repetition, Tversky)
	add(a.Min != 0, "Min", Patricia, Coverage)
	add(a.Bits != 0, "Bits", Versions, Entities)
	add(a.Versions != VersionArgs{}, "Versions", Versions)
	add(a.TF, "TF", Entities)
	add(a.IDF, "IDF", Words)
	add(a.SI != "", "SI", SI)
	return strings.Join(names, ", ")
}

// Check refuses arguments that do not go together, or that the measure does not take.
func (m Measure) Check(a Args) error {
	if unused := m.Unused(a); unused != "" {
		return fmt.Errorf("%s takes no argument %s", m, unused)
	}
	if a.K < 0 || a.K > MaxK {
		return fmt.Errorf("%s: k is %d: want 1 to %d", m, a.K, MaxK)
	}
	if m == Tversky {
		return checkWeights(a.Alpha, a.Beta)
	}
	if m == Versions {
		return a.Versions.rule(a.Bits).Check()
	}
	return nil
}

// Symmetric reports whether the score stays the same if query and document are swapped.
func (m Measure) Symmetric(a Args) bool {
	if m.OfBags() {
		return m.Formula(a).Symmetric()
	}
	return m != Patricia && m != Coverage && m != SI && (m != Versions || a.Versions.Of == BothSides)
}

// Swapped returns the measure that scores a query and a document as m scores the document
// and the query, if there is one.
func (m Measure) Swapped(a Args) (Measure, Args, bool) {
	switch m {
	case ContainmentOfQuery:
		return ContainmentOfDoc, a, true
	case ContainmentOfDoc:
		return ContainmentOfQuery, a, true
	case Tversky:
		a.Alpha, a.Beta = a.Beta, a.Alpha
		return m, a, true
	case Versions:
		a.Versions.Of = a.Versions.Of.swapped()
		return m, a, true
	}
	return m, a, m.Symmetric(a)
}
