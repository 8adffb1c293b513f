package measure

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

// scripts are small alphabets, which cause repetition, of several scripts and mixed.
var scripts = [][]string{
	{"a", " "}, {"a", "b", "-", " "}, {"語", "誟", "カ", "ナ", " "}, {"語", "a", "b", " "}, {"ก", "า", "่", " ", "."},
	{"カ", "ナ", "ー", "か"}, {"ខ", "្", "ម", " "}, {"a", "1", "+", "%", "#", ".", " "}, {"é", "e", "'", "(", " ", "中"},
	{"\x01", "a", " ", "語"}, {"👍", "a", " "}, {"a-", "b-"},
}

func scriptText(r *rand.Rand, alphabet []string, n int) []byte {
	var b []byte
	for range n {
		b = append(b, alphabet[r.IntN(len(alphabet))]...)
	}
	return text.Char.Normalize(nil, string(b))
}

// The order is the order of the texts from each start to the end, for any starts.
func TestSortTermsAgainstNaiveSorting(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	for i := range 30_000 {
		p := scriptText(r, scripts[i%len(scripts)], r.IntN(60))
		starts := text.TermStarts(p)
		if i%3 == 0 { // any starts of code points that include the terms of the paper
			for at := range p {
				if utf8.RuneStart(p[at]) && r.IntN(4) == 0 {
					starts = append(starts, uint32(at))
				}
			}
			slices.Sort(starts)
			starts = slices.Compact(starts)
		}
		want := slices.Clone(starts)
		slices.SortFunc(want, func(a, b uint32) int { return bytes.Compare(p[a:], p[b:]) })
		if sortTerms(p, starts); !slices.Equal(starts, want) {
			t.Fatalf("seed %d, text %d, %q: sorted %v, want %v", seed, i, p, starts, want)
		}
	}
}

// Self-repeating texts sort in n log n steps: a megabyte of each takes well below a
// second; comparisons of whole texts would take hours.
func TestSortTermsOfPeriodicTexts(t *testing.T) {
	for _, period := range []string{"語", "語語語誟", "カナ", "กา", "a-", "a+b", "語a ", "ខ្ម"} {
		p := bytes.Repeat([]byte(period), 1<<20/len(period))
		begun := time.Now()
		NewSiStringsAt(p, text.TermStarts(p))
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("a megabyte of %q took %v", period, took)
		}
	}
}
