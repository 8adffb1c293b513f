package api

// The arguments of measures.

import (
	"fmt"
	"strings"
)

// Args are the arguments of all measures; the zero value means the defaults. The names in JSON are
// part of the format of stored ledgers.
type Args struct {
	Alpha Weight `json:"Alpha"` // tversky: weight of shingles only in the query; not given means 1
	Beta  Weight `json:"Beta"`  // tversky: weight of shingles only in the document; not given means 1
	Of    Side   `json:"Of"`    // weighted: the denominator: the shingles of the query, of the document, or with BothSides of the union
	K     int    `json:"K"`     // measures of bags: tokens per shingle, 1 to 100; 0 means the K of the collection

	Min      int         `json:"Min"`      // patricia, coverage: a passage must have more characters than this; 0 means 15. quotes: a run must have at least this many words; 0 means 20
	Bits     int         `json:"Bits"`     // versions, entities: maximum distance of near fingerprints in bits; 0 means the default, negative means 0 bits
	Versions VersionArgs `json:"Versions"` // versions: how it reads and counts sentences

	TF  bool   `json:"TF"`  // entities: weigh an entity by its frequency
	IDF bool   `json:"IDF"` // words: weigh a word by its rarity in the collection
	SI  string `json:"SI"`  // si: an index in the syntax of sketch.ParseSI; "" means the first of the collection
}

// MaxK is the maximum of K, for measures and collections.
const MaxK = 100

// Weights returns the arguments of Tversky: the weights of shingles only in the query, and only in
// the document. Each float stands for its shortest decimal, so 0.1 is 1/10; for other fractions use
// ParseWeight and Args. With a weight below 0, above 100 or with more than three decimals, the
// search returns ErrInvalid.
func Weights(alpha, beta float64) Args {
	return Args{Alpha: WeightOf(alpha), Beta: WeightOf(beta)}
}

// Describe returns a measure with its non-default arguments, in the syntax of the language.
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

// Unused lists the given arguments that the measure does not accept; "" if it accepts all.
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

// Check rejects out-of-range or incompatible arguments, and arguments that the measure does not accept.
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

// CommonWeights returns the weights of Tversky as alpha/unit and beta/unit.
func (a Args) CommonWeights() (alpha, beta, unit uint64) {
	aNum, aDen := a.Alpha.Fraction()
	bNum, bDen := a.Beta.Fraction()
	for unit = aDen; unit%bDen != 0; {
		unit += aDen
	}
	return aNum * (unit / aDen), bNum * (unit / bDen), unit
}

// checkWeights rejects weights out of range, two zero weights, and weights without a common
// denominator up to maxUnit.
func (a Args) checkWeights() error {
	alpha, beta, unit := a.CommonWeights()
	switch {
	case max(alpha, beta) > MaxWeight*unit:
		return fmt.Errorf("tversky wants weights from 0 to %d, with at most three decimals or a denominator up to %d", MaxWeight, maxUnit)
	case alpha == 0 && beta == 0:
		return fmt.Errorf("tversky(alpha=0, beta=0) would be 1 for any texts that share a shingle: want one weight above 0")
	case unit > maxUnit:
		return fmt.Errorf("tversky(alpha=%s, beta=%s): want weights with a common denominator up to %d", a.Alpha, a.Beta, maxUnit)
	}
	return nil
}

// CheckVersions rejects arguments of versions out of range: bits is the maximum distance between
// the fingerprints of two sentences, and share the minimum share of sentences with a partner.
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

// Side selects the text whose sentences or shingles are the denominator of a share.
type Side uint8

const (
	BothSides Side = iota // both texts together
	QuerySide             // the query
	DocSide               // the document that is compared with it
)

// WeightUnit is the weight that Weighted gives a shingle in at most one document. A shingle in n
// documents weighs WeightUnit/n, rounded to the nearest integer. Up to n = 24 the division is
// exact.
const WeightUnit = 5354228880

// Ignoring selects the shingles that a search removes from all texts before it counts. The zero
// value selects none.
type Ignoring struct {
	In       string `json:"In"`       // the shingles of this collection's documents; "" means none
	MoreThan int64  `json:"MoreThan"` // the shingles of more than so many documents of the searched collection; 0 means none
}

// VersionArgs are the arguments of versions: how it reads and counts sentences. The zero value is
// the default.
type VersionArgs struct {
	KeepCase bool   `json:"KeepCase"` // distinguish capitals from small letters
	DropStop bool   `json:"DropStop"` // drop the final full stop of a sentence, with closing quotes after it
	Print    bool   `json:"Print"`    // sentences match by their fingerprints alone; otherwise they must also be equal, or have a resemblance of at least 1/2
	Alone    bool   `json:"Alone"`    // only sentences count; otherwise also the resemblance of the texts
	Of       Side   `json:"Of"`       // the text whose sentences must have a partner
	Share    Weight `json:"Share"`    // minimum share of these sentences with a partner: above 0, at most 1; not given means 0.95
}

// PaperVersions is the reading of paper 004: it distinguishes case, drops the final stop, matches
// sentences by fingerprints alone, and counts the sentences of the query ("2 of 2 sentences of document
// 1").
func PaperVersions() VersionArgs {
	return VersionArgs{KeepCase: true, DropStop: true, Print: true, Alone: true, Of: QuerySide}
}

// String lists the given arguments, in the syntax of the language.
func (a VersionArgs) String() string {
	_, args, _ := strings.Cut(strings.TrimSuffix(Versions.Describe(Args{Versions: a}), ")"), "(")
	return args
}

// swapped returns the side after query and document are swapped.
func (s Side) swapped() Side {
	switch s {
	case QuerySide:
		return DocSide
	case DocSide:
		return QuerySide
	}
	return s
}
