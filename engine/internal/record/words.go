package record

// Word frequencies: postings alone, with weights of eight bits, rounded up, so that a bound
// made of them loses no match.

import (
	"math"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

var ofWords = feature{
	kept:   func(_ *Kept, s *api.Settings) (bool, error) { return s.Words, nil },
	derive: func(k *Kept, doc string, f *Features) { f.Words = measure.WordsOf(doc, k.texts.Form) },
	kinds:  []index.Kind{index.Word},
	post: func(f *Features, yield func(k index.Kind, key uint32, count int)) {
		for i, code := range weightCodes(f.Words) {
			yield(index.Word, WordKey(f.Words[i].Hash), code)
		}
	},
	reads: true,
}

// WordKey is what postings know of a word.
func WordKey(hash uint64) uint32 { return uint32(hash >> 32) }

// PostedWeights are the weights that postings can have, by code: 64 to the
// octave, the last is 1. A word's weight is its share of the length of the
// vector, Count/|D|, rounded up, which is by less than 1.1 %; below 2⁻¹⁶ it is
// rounded up to that.
var PostedWeights = func() (w [index.MaxCount + 1]float64) {
	const step = 0.98922801319397548 // 2^(−1/64); math.Exp2 may differ between machines
	w[index.MaxCount] = 1
	for code := index.MaxCount; code > 0; code-- {
		w[code-1] = w[code] * step
	}
	return w
}()

// weightCodes returns the code of each term's weight.
func weightCodes(terms measure.Vector) []int {
	total := 0.0
	for _, t := range terms {
		total += float64(t.Count) * float64(t.Count)
	}
	codes := make([]int, len(terms))
	for i, t := range terms {
		w := float64(t.Count) / math.Sqrt(total)
		codes[i], _ = slices.BinarySearch(PostedWeights[:index.MaxCount], w)
	}
	return codes
}
