package measure_test

// The measures of bags and of fingerprints, against their definitions and the examples
// of the papers.

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// ofBag is a measure of bags with its arguments, and the corresponding weights of
// Tversky.
type ofBag struct {
	api.Measure
	api.Args
	measure.Formula
	alpha, beta *big.Rat // nil: not a measure of sets
}

func (m ofBag) String() string { return m.Describe(m.Args) }

var ofBags = []ofBag{
	newOfBag(api.Jaccard, "", "", 1, 1, 1), newOfBag(api.ContainmentOfQuery, "", "", 1, 0, 1),
	newOfBag(api.ContainmentOfDoc, "", "", 0, 1, 1), newOfBag(api.Multiset, "", "", 0, 0, 0),
	newOfBag(api.Repetition, "", "", 0, 0, 0), newOfBag(api.Tversky, "1", "0.5", 2, 1, 2),
	newOfBag(api.Tversky, "", "", 1, 1, 1), newOfBag(api.Tversky, "1/2", "0.50", 1, 1, 2),
	newOfBag(api.Tversky, "0", "1/3", 0, 1, 3), newOfBag(api.Tversky, "3", "0.125", 24, 1, 8),
}

// newOfBag has the weights query/unit and doc/unit.
func newOfBag(m api.Measure, alpha, beta string, query, doc, unit int64) ofBag {
	var err error
	o := ofBag{Measure: m}
	for text, w := range map[string]*api.Weight{alpha: &o.Alpha, "x" + beta: &o.Beta} {
		if text = strings.TrimPrefix(text, "x"); text != "" {
			if *w, err = api.ParseWeight(text); err != nil {
				panic(err)
			}
		}
	}
	if unit > 0 {
		o.alpha, o.beta = big.NewRat(query, unit), big.NewRat(doc, unit)
	}
	o.Formula = measure.FormulaOf(m, o.Args)
	return o
}

// plainScore follows the definitions over maps from shingle to repetition.
func plainScore(m ofBag, q, d map[uint64]uint32) (sim *big.Rat, shared, union uint64) {
	all := maps.Clone(q)
	maps.Copy(all, d)
	var common, least, most, sumCommon, sum uint64
	for h := range all {
		a, b := uint64(q[h]), uint64(d[h])
		least += min(a, b)
		most += max(a, b)
		sum += a + b
		if a > 0 && b > 0 {
			common++
			sumCommon += a + b
		}
	}
	switch m.Measure {
	case api.Multiset:
		return fraction(whole(least), whole(most)), least, most
	case api.Repetition:
		return fraction(whole(sumCommon), whole(sum)), sumCommon, sum
	}
	of := whole(common)
	of.Add(of, new(big.Rat).Mul(m.alpha, whole(uint64(len(q))-common)))
	of.Add(of, new(big.Rat).Mul(m.beta, whole(uint64(len(d))-common)))
	return fraction(whole(common), of), common, uint64(len(all))
}

func whole(n uint64) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// fraction returns num/den, 0 for 0/0.
func fraction(num, den *big.Rat) *big.Rat {
	if den.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(num, den)
}

func bagOf(counts map[uint64]uint32) shingle.Bag {
	b := shingle.Bag{Set: slices.Sorted(maps.Keys(counts))}
	repeated := false
	for _, h := range b.Set {
		b.Counts = append(b.Counts, counts[h])
		b.Total += uint64(counts[h])
		repeated = repeated || counts[h] > 1
	}
	if !repeated {
		b.Counts = nil
	}
	return b
}

var bags = rapid.MapOf(rapid.Uint64Range(0, 30), rapid.OneOf(rapid.Just(uint32(1)), rapid.Uint32Range(1, 20)))

func TestScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, d := bags.Draw(t, "query"), bags.Draw(t, "doc")
		for _, m := range ofBags {
			got := m.Score(bagOf(q), bagOf(d))
			sim, shared, union := plainScore(m, q, d)
			num, den := got.Ratio()
			if got.Shared != shared || got.Union != union || fraction(whole(num), whole(den)).Cmp(sim) != 0 {
				t.Fatalf("%v = %+v, want %v and %d of %d", m, got, sim, shared, union)
			}
			if swapped := m.Score(bagOf(d), bagOf(q)); m.Measure.Symmetric(m.Args) && swapped != got {
				t.Fatalf("%v = %+v, swapped %+v", m, got, swapped)
			}
			if swapped := m.Formula.Swapped().Score(bagOf(d), bagOf(q)); swapped != got {
				t.Fatalf("%v = %+v, formula swapped %+v", m, got, swapped)
			}
			if f, _ := sim.Float64(); got.Sim() != f {
				t.Fatalf("%+v.Sim() = %v, want %v", got, got.Sim(), f)
			}
		}
	})
}

func less(a, b measure.Score) bool {
	aNum, aDen := a.Ratio()
	bNum, bDen := b.Ratio()
	return aNum*bDen < bNum*aDen
}

// A bound below a true score would lose a match, in any filter.
func TestBoundIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, d := bagOf(bags.Draw(t, "query")), bagOf(bags.Draw(t, "doc"))
		common := uint64(shingle.Shared(q.Set, d.Set, 0))
		for _, m := range ofBags {
			score := m.Score(q, d)
			var before measure.Score
			for shared := range uint64(35) {
				bound := m.Bound(measure.SizeOf(q), measure.SizeOf(d), shared)
				if less(bound, before) {
					t.Fatalf("%v: bound falls from %+v to %+v at %d", m, before, bound, shared)
				}
				if shared >= common && less(bound, score) {
					t.Fatalf("%v: bound %+v with %d shared is below the score %+v", m, bound, shared, score)
				}
				before = bound
			}
		}
	})
}

// A bound above all scores would be safe, but filter less than possible.
func TestBoundIsReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shared := rapid.Uint64Range(1, 10).Draw(t, "shared")
		q, d := map[uint64]uint32{}, map[uint64]uint32{}
		for h := range shared {
			q[h], d[h] = 1, 1
		}
		for h := range rapid.Uint64Range(0, 10).Draw(t, "query only") {
			q[100+h] = 1
		}
		for h := range rapid.Uint64Range(0, 10).Draw(t, "doc only") {
			d[200+h] = 1
		}
		q[0] += rapid.Uint32Range(0, 20).Draw(t, "query repetitions")
		d[0] += rapid.Uint32Range(0, 20).Draw(t, "doc repetitions")
		for _, m := range ofBags {
			score, bound := m.Score(bagOf(q), bagOf(d)), m.Bound(measure.SizeOf(bagOf(q)), measure.SizeOf(bagOf(d)), shared)
			if score != bound {
				t.Fatalf("%v: score %+v, bound %+v", m, score, bound)
			}
		}
	})
}

// Need is the least number of shared shingles with a bound that reaches the threshold.
func TestNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, d := measure.SizeOf(bagOf(bags.Draw(t, "query"))), measure.SizeOf(bagOf(bags.Draw(t, "doc")))
		den := rapid.Uint64Range(1, 50).Draw(t, "den")
		th := api.Ratio(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		for _, m := range ofBags {
			var want uint64
			for n := uint64(1); n <= min(q.Distinct, d.Distinct) && want == 0; n++ {
				if m.Bound(q, d, n).Reaches(th) {
					want = n
				}
			}
			if got, ok := m.Need(q, d, th); got != want || ok != (want > 0) {
				t.Fatalf("%v: Need(%v, %v, %v) = %d, %v, want %d", m, q, d, th, got, ok, want)
			}
		}
	})
}

func TestWeights(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "0": "0", " 0.50 ": "0.5", "1/3": "1/3", "2/4": "0.5", "100": "100", "0.125": "0.125", "7/1000": "0.007",
		"": "", "-1": "", "a": "", "1/0": "", "101": "", "0.0001": "", "1/1001": "", "0.5/2": "", "99999999999999999999": "", "1e3": "",
	} {
		w, err := api.ParseWeight(text)
		if want == "" {
			if err == nil {
				t.Errorf("ParseWeight(%q) = %v, want an error", text, w)
			}
			continue
		}
		if err != nil || w.String() != want || !w.Given() {
			t.Errorf("ParseWeight(%q) = %v, %v, want %s", text, w, err, want)
		}
	}
	weight := func(s string) api.Weight {
		w, err := api.ParseWeight(s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range []struct {
		args api.Args
		ok   bool
	}{
		{api.Args{}, true}, {api.Args{Alpha: weight("0")}, true}, {api.Args{Alpha: weight("0"), Beta: weight("0")}, false},
		{api.Args{Alpha: weight("0.125"), Beta: weight("1/999")}, false}, {api.Args{Min: 3}, false},
	} {
		if err := api.Tversky.Check(c.args); (err == nil) != c.ok {
			t.Errorf("Check(%v) = %v", c.args, err)
		}
	}
}

// Match agrees with Score and Admits, although it may stop counting.
func TestMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, d := bagOf(bags.Draw(t, "query")), bagOf(bags.Draw(t, "doc"))
		den := rapid.Uint64Range(1, 20).Draw(t, "den")
		th := api.Ratio(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		for _, m := range ofBags {
			want := m.Score(q, d)
			is := want.Shared > 0 && want.Reaches(th)
			if got, ok := m.Match(q, d, th); ok != is || ok && got != want {
				t.Fatalf("%v: Match at %s = %+v, %v, want %+v, %v", m, th, got, ok, want, is)
			}
		}
	})
}

// Paper 003, page 4, formula 3 and table 1: bigrams of characters. The paper does not
// define the real similarity of the table.
func TestPaperRepetition(t *testing.T) {
	a := shingle.Analysis{Unit: text.Char, K: 2}
	d1, d2, d3 := a.Bag("abcdhk"), a.Bag("ababmh"), a.Bag("ababol")
	for _, c := range []struct {
		m    api.Measure
		q, d shingle.Bag
		want float64
	}{
		{api.Jaccard, d2, d1, 0.125}, {api.Repetition, d2, d1, 0.3},
		{api.Jaccard, d3, d2, 1.0 / 3}, {api.Repetition, d3, d2, 0.6},
		{api.Jaccard, d3, d1, 0.125}, {api.Repetition, d3, d1, 0.3}, {api.Multiset, d2, d1, 1.0 / 9}, {api.Multiset, d3, d2, 3.0 / 7},
	} {
		if got := measure.FormulaOf(c.m, api.Args{}).Score(c.q, c.d).Sim(); got != c.want {
			t.Errorf("%v = %v, want %v", c.m, got, c.want)
		}
	}
}

// Paper 001, page 4, the example of figure 6: resemblance 2/6, its containment 2/3, Broder's 2/5.
func TestPaperRosa(t *testing.T) {
	a := shingle.Analysis{Unit: text.Word, K: 4}
	p, c := a.Bag("uma rosa é uma rosa é uma rosa"), a.Bag("uma rosa é uma rosa vermelha ou branca.")
	for m, want := range map[api.Measure]measure.Score{
		api.Jaccard:            {Shared: 2, Union: 6, Of: 6},
		api.ContainmentOfQuery: {Shared: 2, Union: 6, Of: 3},
		api.ContainmentOfDoc:   {Shared: 2, Union: 6, Of: 5},
	} {
		if got := measure.FormulaOf(m, api.Args{}).Score(p, c); got != want {
			t.Errorf("%v = %+v, want %+v", m, got, want)
		}
	}
}

// Paper 002, page 9, table 9: similarity = (64 − distance)/64. The fingerprints are those of
// its tables 3, page 4 (distance 6), and 20, pages 24 and 25.
func TestHamming(t *testing.T) {
	const a16 = 0b1010001110111010010010110001011001110000000110000001110010011110
	for _, c := range []struct {
		q, d uint64
		sim  float64
	}{
		{0b1010001111011011111100110100111101110110111010100000010100010000, 0b1010001110011011111110000101111101110110111010100001010100010000, 0.90625},
		{a16, a16, 1},
		{a16, 0b1000001010101010010000110100011000110100000110010001110101011110, 0.8125},
		{a16, 0b0010001010111010010010110000011000110000000100010001110101011110, 0.859375},
		{0b1101100111001010100010101100110111110110110100110111001000011110, 0b1101100111001010100010101100110111110110110100110111111000011110, 0.96875},
		{0, 1<<64 - 1, 0},
	} {
		got := measure.Hamming(c.q, c.d)
		if got.Sim() != c.sim || got.Of != 64 || got.Union != 64 {
			t.Errorf("Hamming(%x, %x) = %+v, want sim %v of 64", c.q, c.d, got, c.sim)
		}
	}
}

func TestNames(t *testing.T) {
	for m := api.Jaccard; m <= api.SimHash; m++ {
		if got, ok := api.ParseMeasure(m.String()); got != m || !ok {
			t.Errorf("Parse(%q) = %v, %v", m, got, ok)
		}
	}
	if m, ok := api.ParseMeasure("containment"); m != api.ContainmentOfQuery || !ok {
		t.Errorf("Parse(\"containment\") = %v, %v", m, ok)
	}
	if m, ok := api.ParseMeasure("cosine"); ok {
		t.Errorf("Parse(\"cosine\") = %v", m)
	}
	if got := api.Measure(99).String(); got != "measure 99" {
		t.Errorf("Measure(99) is called %q", got)
	}
}

func TestSimHashIsNoMeasureOfBags(t *testing.T) {
	for what, call := range map[string]func(){
		"Formula": func() { measure.FormulaOf(api.SimHash, api.Args{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("SimHash.%s did not panic", what)
				}
			}()
			call()
		}()
	}
}

func BenchmarkScore(b *testing.B) {
	counts := map[uint64]uint32{}
	for h := range uint64(500) {
		counts[h*h*2654435761] = uint32(h%3 + 1)
	}
	bag := bagOf(counts)
	for _, m := range ofBags {
		b.Run(m.String(), func(b *testing.B) {
			for b.Loop() {
				m.Score(bag, bag)
			}
		})
	}
}
