package measure_test

// The combination of sentences and resemblance in the measure versions.

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

func TestRate(t *testing.T) {
	rule := measure.VersionRule{Share: api.Ratio(3, 5), Theta: api.Ratio(4, 5)}
	of := func(query, doc, queryMatched, docMatched int) measure.ChunkMatch {
		return measure.ChunkMatch{Query: query, Doc: doc, QueryMatched: queryMatched, DocMatched: docMatched}
	}
	resemblance := func(shared, of uint64) measure.Score { return measure.Score{Shared: shared, Union: of, Of: of} }
	most := uint64(1) << 40
	for _, c := range []struct {
		m           measure.ChunkMatch
		resemblance measure.Score
		num, den    uint64
	}{
		{of(5, 5, 4, 4), resemblance(0, 7), 9, 10},    // by sentences
		{of(5, 5, 4, 4), resemblance(10, 11), 10, 11}, // by resemblance
		{of(5, 5, 0, 0), resemblance(1, 7), 1, 7},     // every sentence changed
		{of(5, 5, 0, 0), resemblance(0, 7), 0, 1},
		{of(5, 5, 5, 5), resemblance(6, 7), 1, 1},  // few words changed, each by a letter
		{of(5, 5, 4, 4), resemblance(0, 0), 9, 10}, // fewer words than a shingle
		{of(0, 0, 0, 0), resemblance(6, 7), 6, 7},  // no sentence
		{of(0, 0, 0, 0), resemblance(0, 7), 0, 1},
		{of(3, 0, 0, 0), resemblance(6, 7), 6, 7},
		{of(5, 5, 4, 4), resemblance(9*most+1, 10*most), 9*most + 1, 10 * most},
		{of(5, 5, 4, 4), resemblance(9*most-1, 10*most), 9, 10},
	} {
		if got := rule.Rate(c.m, c.resemblance); got.Of == 0 || ratOf(got).Cmp(rat(c.num, c.den)) != 0 {
			t.Errorf("Rate(%+v, %+v) = %+v, want %d/%d", c.m, c.resemblance, got, c.num, c.den)
		}
	}
	if got := rule.Rate(of(0, 0, 0, 0), resemblance(0, 0)); got.Sim() != 0 {
		t.Errorf("Rate of nothing = %+v, want 0", got)
	}
	if s, r := rule.Score(of(5, 5, 4, 4)), resemblance(18, 20); rule.Rate(of(5, 5, 4, 4), r) != r {
		t.Errorf("Rate = %+v where resemblance and %+v are equal, want the resemblance, %+v", rule.Rate(of(5, 5, 4, 4), r), s, r)
	}
}

// Rate is the greater of the two scores.
func TestRateIsTheGreater(t *testing.T) {
	const seed = 48
	rng := rand.New(rand.NewPCG(seed, 0))
	rule := measure.DefaultVersions()
	bySentences, byResemblance := 0, 0
	for range 10_000 {
		m := measure.ChunkMatch{Query: 1 + rng.IntN(40), Doc: 1 + rng.IntN(40)}
		m.QueryMatched, m.DocMatched = rng.IntN(m.Query+1), rng.IntN(m.Doc+1)
		of := 1 + rng.Uint64N(40)
		r := measure.Score{Shared: rng.Uint64N(of + 1), Union: of, Of: of}
		s, got := rule.Score(m), rule.Rate(m, r)
		want := s
		if ratOf(s).Cmp(ratOf(r)) <= 0 {
			want = r
			byResemblance++
		} else {
			bySentences++
		}
		if got != want {
			t.Fatalf("seed %d: Rate(%+v, %+v) = %+v, want %+v", seed, m, r, got, want)
		}
	}
	if bySentences == 0 || byResemblance == 0 {
		t.Errorf("%d by sentences, %d by resemblance: want some of both", bySentences, byResemblance)
	}
}

func ExampleVersionRule_Rate() {
	words := shingle.Analysis{Unit: text.Word, K: 3}
	rule := measure.DefaultVersions()
	rate := func(a, b string) float64 {
		m := measure.MatchChunks(sketch.Chunks(a), sketch.Chunks(b), rule.Bits)
		return rule.Rate(m, measure.Resemblance.Score(words.Bag(a), words.Bag(b))).Sim()
	}
	fmt.Println(rate("Ann came. Ben left.", "Ben left. Ann came."))                   // the same sentences
	fmt.Println(rate("one two three four five six seven", "one two three four five")) // the same words
	// Output:
	// 1
	// 0.6
}

// RELATED TO and the measure agree on versions by sentences.
func TestDefaultRulesHaveTheTheta(t *testing.T) {
	for _, r := range api.DefaultRules() {
		if theta := measure.DefaultVersions().Theta; r.Method.Measure == api.Versions && r.Min != theta {
			t.Errorf("%s from %v on, and the measure's theta is %v", r.Method.Measure, r.Min, theta)
		}
	}
}
