package api

// The parameters of measures: syntax, parsing and formatting.

import (
	"fmt"
	"strconv"
	"strings"
)

// Param describes an argument of a measure.
type Param struct {
	Name      string   // in the language
	Words     []string // the accepted values; nil: a number
	Low, High int64    // of a whole number
	Weight    bool     // a weight, as ParseWeight reads it

	field string                      // of Args; "" for a parameter that selects the measure or belongs to another parameter
	set   func(a *Args, value string) // sets the argument to a valid value
	show  func(a Args) (string, bool) // returns the value; false if not given
}

// Want describes the accepted values, for messages.
func (p Param) Want() string {
	if p.Weight {
		return "a number from 0 to 100 with at most three decimals, or a fraction like 1/3"
	}
	if p.Words == nil {
		return fmt.Sprintf("a whole number from %d to %d", p.Low, p.High)
	}
	return "'" + strings.Join(p.Words, "', '") + "'"
}

// Set stores an accepted value in a.
func (p Param) Set(a *Args, value string) {
	if p.set != nil {
		p.set(a, value)
	}
}

// Only reports whether the parameter has no field of its own in Args: it selects the measure,
// belongs to another argument, or has a single value.
func (p Param) Only() bool { return p.set == nil }

// OnOff are the words of a switch.
var OnOff = []string{"on", "off"}

var (
	setAccess   = []Access{AccessAuto, AccessPrefix, AccessPostings, AccessSignature, AccessInterval, AccessScan}
	sizeAccess  = []Access{AccessAuto, AccessPrefix, AccessPostings, AccessSignature, AccessScan} // a match may have any size, so intervals of repetition exclude nothing
	chunkAccess = []Access{AccessAuto, AccessChunks, AccessScan}
	termAccess  = []Access{AccessAuto, AccessTerms, AccessScan}
)

var (
	ofSide = Param{Name: "of", Words: []string{"query", "doc"}} // selects the measure
	by     = Param{Name: "by", Words: []string{"1/df"}}         // the only value so far
	ofK    = number("k", 1, MaxK, "K", func(a *Args) *int { return &a.K })
	ofMin  = number("min", 1, 1000, "Min", func(a *Args) *int { return &a.Min }) // bounded, because the cost of a comparison grows with it

	ofAlpha = weight("alpha", "Alpha", func(a *Args) *Weight { return &a.Alpha })
	ofBeta  = weight("beta", "Beta", func(a *Args) *Weight { return &a.Beta })
	ofTF    = word("tf", OnOff, "TF", "on", func(a *Args) *bool { return &a.TF })
	ofIDF   = word("idf", OnOff, "IDF", "on", func(a *Args) *bool { return &a.IDF })
	ofBits  = Param{Name: "bits", High: 32, field: "Bits",
		set: func(a *Args, value string) {
			if a.Bits, _ = strconv.Atoi(value); a.Bits == 0 {
				a.Bits = -1 // none: 0 would mean the default
			}
		},
		show: func(a Args) (string, bool) { return strconv.Itoa(max(a.Bits, 0)), a.Bits != 0 },
	}
	weightedOf = side([]string{"union", "query", "doc"}, "Of", func(a *Args) *Side { return &a.Of })
)

// ofVersions begins with the parameter reading, which sets all others except bits; explicit
// arguments override its values.
var ofVersions = []Param{
	{Name: "reading", Words: []string{"simdb", "paper"}, set: func(a *Args, value string) {
		if value == "paper" {
			a.Versions = PaperVersions()
		}
	}},
	ofBits,
	word("case", []string{"fold", "keep"}, "Versions", "keep", func(a *Args) *bool { return &a.Versions.KeepCase }),
	word("stop", []string{"keep", "drop"}, "Versions", "drop", func(a *Args) *bool { return &a.Versions.DropStop }),
	word("agree", []string{"counted", "fingerprint"}, "Versions", "fingerprint", func(a *Args) *bool { return &a.Versions.Print }),
	word("resemblance", OnOff, "Versions", "off", func(a *Args) *bool { return &a.Versions.Alone }),
	side([]string{"both", "query", "doc"}, "Versions", func(a *Args) *Side { return &a.Versions.Of }),
	weight("share", "Versions", func(a *Args) *Weight { return &a.Versions.Share }),
}

// ofIndex lists the parameters of a similarity index, which form one argument: "m43b k40".
var ofIndex = []Param{
	{Name: "", field: "SI", set: func(a *Args, value string) { a.SI = value }, show: func(a Args) (string, bool) { return "'" + a.SI + "'", a.SI != "" }},
	{Name: "method", Low: 1, High: 54},
	{Name: "variation", Words: []string{"A", "B", "C", "D"}},
	{Name: "k", Low: 1, High: 10_000},
	{Name: "w", Low: 1, High: 10_000},
	{Name: "n", Low: 1, High: 10_000},
}

// number returns a parameter with a range of whole numbers; 0 means not given.
func number(name string, low, high int64, field string, of func(*Args) *int) Param {
	return Param{Name: name, Low: low, High: high, field: field,
		set:  func(a *Args, value string) { *of(a), _ = strconv.Atoi(value) },
		show: func(a Args) (string, bool) { n := *of(&a); return strconv.Itoa(n), n != 0 },
	}
}

// weight returns a parameter with a Weight.
func weight(name, field string, of func(*Args) *Weight) Param {
	return Param{Name: name, Weight: true, field: field,
		set:  func(a *Args, value string) { *of(a), _ = ParseWeight(value) },
		show: func(a Args) (string, bool) { w := *of(&a); return w.String(), w.Given() },
	}
}

// word returns a parameter with two values; other is not the default.
func word(name string, words []string, field, other string, of func(*Args) *bool) Param {
	return Param{Name: name, Words: words, field: field,
		set:  func(a *Args, value string) { *of(a) = value == other },
		show: func(a Args) (string, bool) { return "'" + other + "'", *of(&a) },
	}
}

// side returns the parameter "of", with one word per Side.
func side(words []string, field string, of func(*Args) *Side) Param {
	return Param{Name: "of", Words: words, field: field,
		set: func(a *Args, value string) {
			for i, w := range words {
				if w == value {
					*of(a) = Side(i)
				}
			}
		},
		show: func(a Args) (string, bool) {
			s := *of(&a)
			return "'" + words[min(int(s), len(words)-1)] + "'", s != BothSides
		},
	}
}
