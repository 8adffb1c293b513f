package view

// Word frequencies of a set and of a collection.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Words returns the word frequencies of a set's text, from the cache if possible.
func (r *Reader) Words(set uint32) (measure.Vector, error) {
	defer r.Free()
	key, kept := r.Snapshot.cacheKey(r.View, set), r.View.Kept.Texts() // without Texts, the next call may read another document of the set, with another text
	if terms, ok := r.Snapshot.words.get(key); ok && kept {
		return terms, nil
	}
	doc, err := r.Text(set)
	if err != nil {
		return nil, err
	}
	terms, err := Apart(r.ctx, r.Snapshot.Shared, int64(len(doc)), func() (measure.Vector, error) { return measure.WordsOf(doc, r.View.Analysis.Form), nil })
	if err == nil && kept {
		r.Snapshot.words.set(key, terms, int64(16*len(terms))+64)
	}
	return terms, err
}

// Frequencies returns the number of sets that contain each word of a collection.
func (m *Snapshot) Frequencies(ctx context.Context, v *View) (*segment.Frequencies, error) {
	if v.Postings.Built > 0 && v.Kept.Posts(index.Word) {
		return v.Postings.Words.Get(ctx, func() (*segment.Frequencies, error) { return segment.CountWords(m.ReadThrough(ctx, v)) })
	}
	return v.Words.Get(ctx, func() (*segment.Frequencies, error) {
		f := &segment.Frequencies{N: uint64(v.Sets), Have: map[uint32]uint32{}}
		err := EachSet(ctx, m, v, v.Live(0, v.Table.Len()), (*Reader).Words, func(_ uint32, terms measure.Vector) error {
			for _, t := range terms {
				f.Have[record.WordKey(t.Hash)]++
			}
			return nil
		})
		return f, err
	})
}
