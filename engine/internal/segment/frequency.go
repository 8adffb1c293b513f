package segment

// How many sets have each word, counted once for each state of the postings.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Frequencies are how many sets have each word: of those with postings, or of
// all before there are any. So the weight of a word changes when segments are
// built, not with every document.
type Frequencies struct {
	N    uint64
	Have map[uint32]uint32 // by record.WordKey
}

// Weight is the weight of a word by how many sets have it.
func (f *Frequencies) Weight(hash uint64) uint64 {
	return measure.IDF(f.N, uint64(f.Have[record.WordKey(hash)]))
}

// WordCounts holds the frequencies of one state of the postings, or of one
// moment of a collection without, once someone has asked for them.
type WordCounts = Once[*Frequencies]

// NewWordCounts holds nothing yet.
func NewWordCounts() *WordCounts { return NewOnce[*Frequencies]() }

// CountWords counts in the postings of words.
func CountWords(segments []index.Stored) (*Frequencies, error) {
	f := &Frequencies{Have: map[uint32]uint32{}}
	for _, seg := range segments {
		f.N += uint64(seg.Sets)
		err := index.Frequencies(seg, index.Word, func(key uint32, n int) {
			f.Have[key] += uint32(n)
		})
		if err != nil {
			return nil, PageError(err)
		}
	}
	return f, nil
}
