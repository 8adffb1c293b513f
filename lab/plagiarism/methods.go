package plagiarism

// This file has the methods that are compared, and the sums of how far each is
// from the truth.

import (
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// A method gives the similarities of a plagiarised text to candidates.
type method struct {
	name   string
	k, min int // one of them 0
	sims   func(plagiarised string, candidates []string) []float64
}

const (
	resemblance = "resemblance"
	containment = "containment"
	patricia    = "patricia"
)

// allMethods returns those of the paper, both its shingle measures with k from
// 2 to 10, and Patricia with the 15 characters it found best and some others.
func allMethods() (all []method) {
	for k := 2; k <= 10; k++ {
		words := shingle.Analysis{Unit: text.Word, K: k, Form: text.Papers}
		all = append(all,
			method{name: resemblance, k: k, sims: shingles(words, api.Jaccard)},
			method{name: containment, k: k, sims: shingles(words, api.ContainmentOfQuery)})
	}
	for _, min := range []int{10, 15, 20, 30, 40, 60} {
		all = append(all, method{name: patricia, min: min, sims: func(plagiarised string, candidates []string) []float64 {
			return sistrings(plagiarised, candidates, min)
		}})
	}
	return all
}

func shingles(a shingle.Analysis, m api.Measure) func(string, []string) []float64 {
	return func(plagiarised string, candidates []string) []float64 {
		p := a.Bag(plagiarised)
		sims := make([]float64, len(candidates))
		for i, c := range candidates {
			sims[i] = measure.FormulaOf(m, api.Args{}).Score(p, a.Bag(c)).Sim()
		}
		return sims
	}
}

func sistrings(plagiarised string, candidates []string, min int) []float64 {
	s := measure.NewSiStrings(text.Papers.Chars(plagiarised))
	sims := make([]float64, len(candidates))
	for i, c := range candidates {
		sims[i] = float64(s.Matched(text.Papers.Chars(c), min)) / float64(max(s.Len(), 1))
	}
	return sims
}

// total sums the differences, measured less expected, of one method.
type total struct {
	n                int
	absolute, signed float64
	squares, largest float64
}

func (t *total) add(diff float64) {
	t.n++
	t.absolute += math.Abs(diff)
	t.signed += diff
	t.squares += diff * diff
	t.largest = max(t.largest, math.Abs(diff))
}

func (t total) meanAbs() float64 { return t.absolute / float64(t.n) }
func (t total) mean() float64    { return t.signed / float64(t.n) }

// deviation returns the standard deviation of the absolute differences.
func (t total) deviation() float64 {
	return math.Sqrt(max(0, t.squares/float64(t.n)-t.meanAbs()*t.meanAbs()))
}
