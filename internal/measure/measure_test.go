package measure_test

// These tests check the measures of bags and of fingerprints against their
// definitions and the papers' examples.

import (
	"maps"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

var ofBags = []measure.Measure{measure.Jaccard, measure.ContainmentOfQuery, measure.ContainmentOfDoc, measure.Multiset, measure.Repetition}

// plainScore follows the definitions over maps from shingle to repetition.
func plainScore(m measure.Measure, q, d map[uint64]uint32) measure.Score {
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
	union := uint64(len(all))
	switch m {
	case measure.Jaccard:
		return measure.Score{Shared: common, Union: union, Of: union}
	case measure.ContainmentOfQuery:
		return measure.Score{Shared: common, Union: union, Of: uint64(len(q))}
	case measure.ContainmentOfDoc:
		return measure.Score{Shared: common, Union: union, Of: uint64(len(d))}
	case measure.Multiset:
		return measure.Score{Shared: least, Union: most, Of: most}
	}
	return measure.Score{Shared: sumCommon, Union: sum, Of: sum}
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
			got, want := m.Score(bagOf(q), bagOf(d)), plainScore(m, q, d)
			if got != want {
				t.Fatalf("%v = %+v, want %+v", m, got, want)
			}
			if swapped := m.Score(bagOf(d), bagOf(q)); m.Symmetric() && swapped != got {
				t.Fatalf("%v = %+v, swapped %+v", m, got, swapped)
			}
			if want.Of > 0 {
				if sim, _ := new(big.Rat).SetFrac64(int64(want.Shared), int64(want.Of)).Float64(); got.Sim() != sim {
					t.Fatalf("%+v.Sim() = %v, want %v", got, got.Sim(), sim)
				}
			} else if got.Sim() != 0 {
				t.Fatalf("%+v.Sim() = %v, want 0", got, got.Sim())
			}
		}
	})
}

func less(a, b measure.Score) bool { return a.Shared*b.Of < b.Shared*a.Of }

// A bound below a true score would lose a match, whatever the filter.
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

// A bound above all scores would be safe and filter less than it could.
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

// Paper 003, formula 3 and table 1: bigrams of characters.
// Match is Score and Admits, whatever it leaves uncounted.
func TestMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, d := bagOf(bags.Draw(t, "query")), bagOf(bags.Draw(t, "doc"))
		den := rapid.Uint64Range(1, 20).Draw(t, "den")
		th := measure.Ratio(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		for _, m := range ofBags {
			want := m.Score(q, d)
			is := want.Shared > 0 && th.Admits(want.Shared, want.Of)
			if got, ok := m.Match(q, d, th); ok != is || ok && got != want {
				t.Fatalf("%v: Match at %s = %+v, %v, want %+v, %v", m, th, got, ok, want, is)
			}
		}
	})
}

func TestPaperRepetition(t *testing.T) {
	a := shingle.Analysis{Unit: text.Char, K: 2}
	d1, d2, d3 := a.Bag("abcdhk"), a.Bag("ababmh"), a.Bag("ababol")
	for _, c := range []struct {
		m    measure.Measure
		q, d shingle.Bag
		want float64
	}{
		{measure.Jaccard, d2, d1, 0.125}, {measure.Repetition, d2, d1, 0.3},
		{measure.Jaccard, d3, d2, 1.0 / 3}, {measure.Repetition, d3, d2, 0.6},
		{measure.Repetition, d3, d1, 0.3}, {measure.Multiset, d2, d1, 1.0 / 9}, {measure.Multiset, d3, d2, 3.0 / 7},
	} {
		if got := c.m.Score(c.q, c.d).Sim(); got != c.want {
			t.Errorf("%v = %v, want %v", c.m, got, c.want)
		}
	}
}

// Paper 001's example: resemblance 2/6, its containment 2/3, Broder's 2/5.
func TestPaperRosa(t *testing.T) {
	a := shingle.Analysis{Unit: text.Word, K: 4}
	p, c := a.Bag("uma rosa é uma rosa é uma rosa"), a.Bag("uma rosa é uma rosa vermelha ou branca.")
	for m, want := range map[measure.Measure]measure.Score{
		measure.Jaccard:            {Shared: 2, Union: 6, Of: 6},
		measure.ContainmentOfQuery: {Shared: 2, Union: 6, Of: 3},
		measure.ContainmentOfDoc:   {Shared: 2, Union: 6, Of: 5},
	} {
		if got := m.Score(p, c); got != want {
			t.Errorf("%v = %+v, want %+v", m, got, want)
		}
	}
}

// Paper 002: similarity = (64 − distance)/64. The fingerprints are those of its
// tables 3 (distance 6) and 20.
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
	for m := measure.Jaccard; m <= measure.SimHash; m++ {
		if got, ok := measure.Parse(m.String()); got != m || !ok {
			t.Errorf("Parse(%q) = %v, %v", m, got, ok)
		}
	}
	if m, ok := measure.Parse("containment"); m != measure.ContainmentOfQuery || !ok {
		t.Errorf("Parse(\"containment\") = %v, %v", m, ok)
	}
	if m, ok := measure.Parse("cosine"); ok {
		t.Errorf("Parse(\"cosine\") = %v", m)
	}
	if got := measure.Measure(99).String(); got != "measure 99" {
		t.Errorf("Measure(99) is called %q", got)
	}
}

func TestSimHashIsNoMeasureOfBags(t *testing.T) {
	for what, call := range map[string]func(){
		"Score": func() { measure.SimHash.Score(shingle.Bag{}, shingle.Bag{}) },
		"Bound": func() { measure.SimHash.Bound(measure.Size{}, measure.Size{}, 0) },
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
