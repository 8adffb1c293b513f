package record

// The postings that a text has beside those of its bag: of sentences, entities, words
// and grams (docs/decisions/0014).

import (
	"iter"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// Posted is what the postings of a set are made of.
type Posted struct {
	Bag      shingle.Bag
	Features Features
	Words    measure.Vector
}

// WordKey is what postings know of a word.
func WordKey(hash uint64) uint32 { return uint32(hash >> 32) }

// Postings calls yield with every posting that a set's text has beside those of
// its bag.
func (k *Kept) Postings(p Posted, yield func(k index.Kind, key uint32, count int)) {
	index.EachChunk(index.Sentence0, p.Features.Sentences, yield)
	index.EachChunk(index.Entity0, p.Features.Entities, yield)
	index.EachChunk(index.EntityTF0, p.Features.EntitiesTF, yield)
	for i, code := range weightCodes(p.Words) {
		yield(index.Word, WordKey(p.Words[i].Hash), code)
	}
	for key, n := range countGrams(p.Features.Grams) {
		yield(index.Gram, key, n)
	}
}

// countGrams yields the keys of grams, ascending, with how often each occurs.
func countGrams(grams sketch.Grams) iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		var keys []uint32
		for _, key := range grams.All() {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for len(keys) > 0 {
			n := 1
			for n < len(keys) && keys[n] == keys[0] {
				n++
			}
			if !yield(keys[0], n) {
				return
			}
			keys = keys[n:]
		}
	}
}
