package api

// The arguments of measures.

import (
	"fmt"
	"strings"
)

// Args are the arguments of all measures. The zero value means the defaults. The names in
// JSON are those of stored ledgers.
type Args struct {
	Alpha Weight `json:"Alpha"` // tversky: of what only the query has; not given means 1
	Beta  Weight `json:"Beta"`  // tversky: of what only the document has; not given means 1
	Of    Side   `json:"Of"`    // weighted: whose shingles the weight shared is a share of; BothSides are those of the union
	K     int    `json:"K"`     // measures of bags: tokens of a shingle, 1 to 100; 0 means as many as those of the collection

	Min      int         `json:"Min"`      // patricia, coverage: a match counts if it has more characters than this; 0 means 15. quotes: words in a row; 0 means 20
	Bits     int         `json:"Bits"`     // versions, entities: in how many bits near fingerprints may differ; 0 means the default, negative means none
	Versions VersionArgs `json:"Versions"` // versions: how sentences are read and counted

	TF  bool   `json:"TF"`  // entities: weigh an entity by how often it is named
	IDF bool   `json:"IDF"` // words: weigh a word by how rare it is in the collection
	SI  string `json:"SI"`  // si: which one, as sketch.ParseSI reads it; "" means the first that the collection keeps
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
	r := m.row()
	var args []string
	if r.chosen != "" {
		args = append(args, "of='"+r.chosen+"'")
	}
	for _, p := range r.params {
		if p.show == nil {
			continue
		}
		if value, given := p.show(a); given && p.Name != "" {
			args = append(args, p.Name+"="+value)
		} else if given {
			args = append(args, value)
		}
	}
	if len(args) == 0 {
		return r.method
	}
	return r.method + "(" + strings.Join(args, ", ") + ")"
}

// Unused names the arguments that a measure does not take, of those that are given;
// "" if it takes all.
func (m Measure) Unused(a Args) string {
	if a == (Args{}) {
		return ""
	}
	takes := map[string]bool{}
	for _, p := range m.Params() {
		takes[p.field] = true
	}
	var names []string
	for _, other := range Measures() {
		for _, p := range other.Params() {
			if p.show == nil || takes[p.field] {
				continue
			}
			if _, given := p.show(a); given {
				takes[p.field], names = true, append(names, p.field)
			}
		}
	}
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
	if a.Of > DocSide {
		return fmt.Errorf("%s: side %d: want both, query or doc", m, a.Of)
	}
	if check := m.row().check; check != nil {
		return check(a)
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
	In       string `json:"In"`       // all those of a collection's documents; "" is none
	MoreThan int64  `json:"MoreThan"` // all those that more than so many documents have of the collection searched; 0 is none
}

// VersionArgs say how versions reads sentences and counts them. The zero value is the
// default.
type VersionArgs struct {
	KeepCase bool   `json:"KeepCase"` // capitals differ from small letters
	DropStop bool   `json:"DropStop"` // the full stop at the end of a sentence is left out, with closing quotes behind it
	Print    bool   `json:"Print"`    // sentences agree by their fingerprints alone; else what they share is counted too
	Alone    bool   `json:"Alone"`    // resemblance does not count, only sentences do
	Of       Side   `json:"Of"`       // whose sentences must have a partner
	Share    Weight `json:"Share"`    // of those that must have one: above 0, at most 1; not given means 0.95
}

// PaperVersions is the reading of paper 004: case is kept, the final stop is left out,
// fingerprints decide, and the sentences of the query alone count ("2 of 2 sentences of document 1").
func PaperVersions() VersionArgs {
	return VersionArgs{KeepCase: true, DropStop: true, Print: true, Alone: true, Of: QuerySide}
}

// String lists the arguments that are given, as the language writes them.
func (a VersionArgs) String() string {
	_, args, _ := strings.Cut(strings.TrimSuffix(Versions.Describe(Args{Versions: a}), ")"), "(")
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
