package segment

// Document frequencies of words, counted once per state of the postings.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Frequencies counts the sets that contain each word: sets with postings, or all sets if there
// are no postings of words. With postings, the weight of a word therefore changes when segments
// are built, not with every document. Immutable.
type Frequencies struct {
	N    uint64
	Have map[uint32]uint32 // keyed by record.WordKey
}

// Weight returns the inverse document frequency of a word.
func (f *Frequencies) Weight(hash uint64) uint64 {
	return measure.IDF(f.N, uint64(f.Have[record.WordKey(hash)]))
}

// WordCounts computes the frequencies at the first use: of one state of the postings, or of one
// view of a collection without postings of words.
type WordCounts = Once[*Frequencies]

// NewWordCounts returns empty WordCounts.
func NewWordCounts() *WordCounts { return NewOnce[*Frequencies]() }

// CountWords counts the words in the postings of segments.
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
