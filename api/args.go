package api

// The arguments of measures.

import (
	"fmt"
	"slices"
	"strings"
)

// Args are the arguments of all measures. The zero value means the defaults.
type Args struct {
	Alpha Weight // tversky: of what only the query has; not given means 1
	Beta  Weight // tversky: of what only the document has; not given means 1
	Of    Side   // weighted: whose shingles the weight shared is a share of; BothSides are those of the union
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

// Weights are the arguments of Tversky: how much a shingle counts against a score that only
// the query has, and one that only the document found has. A float is read as the decimal it
// prints as; Args with weights of ParseWeight can have fractions. For weights that there
// are not, below 0, above 100 or with more than three decimals, the search is ErrInvalid.
func Weights(alpha, beta float64) Args {
	return Args{Alpha: WeightOf(alpha), Beta: WeightOf(beta)}
}

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
	case Weighted:
		add(a.Of == QuerySide, "of='query'")
		add(a.Of == DocSide, "of='doc'")
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
	add(a.Of != BothSides, "Of", Weighted)
	add(a.K != 0, "K", Jaccard, ContainmentOfQuery, ContainmentOfDoc, Multiset, Repetition, Tversky)
	add(a.Min != 0, "Min", Patricia, Coverage)
	add(a.Bits != 0, "Bits", Versions, Entities)
	add(a.Versions != VersionArgs{}, "Versions", Versions)
	add(a.TF, "TF", Entities)
	add(a.IDF, "IDF", Words)
	add(a.SI != "", "SI", SI)
	return strings.Join(names, ", ")
}

// Symmetric reports whether the score stays the same if query and document are swapped.
func (m Measure) Symmetric(a Args) bool {
	switch m {
	case ContainmentOfQuery, ContainmentOfDoc:
		return false
	case Tversky:
		aNum, aDen := a.Alpha.Fraction()
		bNum, bDen := a.Beta.Fraction()
		return aNum == bNum && aDen == bDen
	case Weighted:
		return a.Of == BothSides
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
	case Weighted:
		a.Of = a.Of.swapped()
		return m, a, true
	case Versions:
		a.Versions.Of = a.Versions.Of.swapped()
		return m, a, true
	}
	return m, a, m.Symmetric(a)
}

// Check refuses arguments that do not go together, or that the measure does not take.
func (m Measure) Check(a Args) error {
	if unused := m.Unused(a); unused != "" {
		return fmt.Errorf("%s takes no argument %s", m, unused)
	}
	if a.K < 0 || a.K > MaxK {
		return fmt.Errorf("%s: k is %d: want 1 to %d", m, a.K, MaxK)
	}
	if a.Of > DocSide {
		return fmt.Errorf("%s: side %d: want both, query or doc", m, a.Of)
	}
	if m == Tversky {
		return a.checkWeights()
	}
	if m == Versions {
		num, den := a.Versions.Share.Fraction() // 1 where it is not given, which will do
		return CheckVersions(max(a.Bits, 0), a.Versions.Of, Threshold{num, den})
	}
	return nil
}

// CommonWeights returns the weights of Tversky over one denominator, unit.
func (a Args) CommonWeights() (alpha, beta, unit uint64) {
	aNum, aDen := a.Alpha.Fraction()
	bNum, bDen := a.Beta.Fraction()
	for unit = aDen; unit%bDen != 0; {
		unit += aDen
	}
	return aNum * (unit / aDen), bNum * (unit / bDen), unit
}

// checkWeights refuses weights that Tversky's measure cannot have together.
func (a Args) checkWeights() error {
	alpha, beta, unit := a.CommonWeights()
	switch {
	case max(alpha, beta) > MaxWeight*unit:
		return fmt.Errorf("tversky wants weights from 0 to %d, with at most three decimals or a denominator up to %d", MaxWeight, maxUnit)
	case alpha == 0 && beta == 0:
		return fmt.Errorf("tversky(alpha=0, beta=0) would be 1 for whatever shares a shingle: want one weight above 0")
	case unit > maxUnit:
		return fmt.Errorf("tversky(alpha=%s, beta=%s): want weights with a common denominator up to %d", a.Alpha, a.Beta, maxUnit)
	}
	return nil
}

// CheckVersions refuses what no score of sentences can go by: fingerprints of sentences
// differ in at most so many bits, and at least a share of those of a side have a partner.
func CheckVersions(bits int, of Side, share Threshold) error {
	switch num, den := share.Fraction(); {
	case bits < 0 || bits > 32:
		return fmt.Errorf("versions: %d bits: want 0 to 32", bits)
	case of > DocSide:
		return fmt.Errorf("versions: side %d: want both, query or doc", of)
	case num > den:
		return fmt.Errorf("versions: share %v: want at most 1", share.Float64())
	case num == 0:
		return fmt.Errorf("versions: share is 0: want more")
	}
	return nil
}

// Side says whose sentences, or shingles, a share is of.
type Side uint8

const (
	BothSides Side = iota // of both texts: what they share over all of both
	QuerySide             // those of the query alone
	DocSide               // those of the document found alone
)

// WeightUnit is what Weighted gives a shingle that one document has, or none. One that n
// documents have weighs WeightUnit/n, rounded to the nearest integer: exactly, up to n = 24.
const WeightUnit = 5354228880

// Ignoring names the shingles that a question takes out of all texts before it counts. The
// zero value takes none out.
type Ignoring struct {
	In       string // all those of a collection's documents; "" is none
	MoreThan int64  // all those that more than so many documents have of the collection searched; 0 is none
}

// VersionArgs say how versions reads sentences and counts them. The zero value is the
// default.
type VersionArgs struct {
	KeepCase bool   // capitals differ from small letters
	DropStop bool   // the full stop at the end of a sentence is left out, with closing quotes behind it
	Print    bool   // sentences agree by their fingerprints alone; else what they share is counted too
	Alone    bool   // resemblance does not count, only sentences do
	Of       Side   // whose sentences must have a partner
	Share    Weight // of those that must have one: above 0, at most 1; not given means 0.95
}

// PaperVersions is the reading of paper 004: case is kept, the final stop is left out,
// fingerprints decide, and the sentences of the query alone count ("2 of 2 sentences of document 1").
func PaperVersions() VersionArgs {
	return VersionArgs{KeepCase: true, DropStop: true, Print: true, Alone: true, Of: QuerySide}
}

// String lists the arguments that are given, as the language writes them.
func (a VersionArgs) String() string { return strings.Join(a.describe(), ", ") }

func (a VersionArgs) describe() (args []string) {
	for _, arg := range []struct {
		given bool
		text  string
	}{
		{a.KeepCase, "case='keep'"},
		{a.DropStop, "stop='drop'"},
		{a.Print, "agree='fingerprint'"},
		{a.Alone, "resemblance='off'"},
		{a.Of == QuerySide, "of='query'"},
		{a.Of == DocSide, "of='doc'"},
		{a.Share.Given(), fmt.Sprintf("share=%s", a.Share)},
	} {
		if arg.given {
			args = append(args, arg.text)
		}
	}
	return args
}

func (s Side) swapped() Side {
	switch s {
	case QuerySide:
		return DocSide
	case DocSide:
		return QuerySide
	}
	return s
}
