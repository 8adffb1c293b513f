package record

// Word frequencies: postings only, with weights of ten bits. Weights are rounded up, so that
// bounds computed from them lose no match.

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

// WordKey returns the key of a word's postings: the high half of its hash.
func WordKey(hash uint64) uint32 { return uint32(hash >> 32) }

// PostedWeights maps a code to a weight. The last code means 1, and 64 codes earlier the weight is
// half. The weight of a word is its share of the length of the vector, Count/|D|. Rounding up adds
// less than 1.1 %; weights below the smallest, about 2⁻¹⁶, become the smallest.
var PostedWeights = func() (w [index.MaxCount + 1]float64) {
	const step = 0.98922801319397548 // 2^(−1/64); a literal, because math.Exp2 may differ between machines
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
