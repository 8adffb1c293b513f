package simdb

// Conditional puts: a search and a put in one atomic step.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// PutUnlessSimilar stores a document, durably, unless a document of another id in its collection is
// similar to it. The outcome is
//
//   - OutcomeStored: the id was new,
//   - OutcomeReplaced: the document replaced another of the same id, whatever its text,
//   - OutcomeRefused: nothing was stored, and m is the most similar document, the first by id among
//     equally similar ones.
//
// The search and the put are one atomic step: if several goroutines put similar texts concurrently,
// one succeeds.
//
// Similar means a jaccard of at least 0.8, or of at least the collection's unique_sim if set.
// Min, MinSim and Using change that: any measure of sets, by the collection's own k, or SimHash.
// By an asymmetric measure the document is the query. WithPassages returns the passages in
// common. Other options return ErrInvalid.
//
// Batch.PutUnlessSimilar does the same as one operation of a batch.
func (db *DB) PutUnlessSimilar(ctx context.Context, d api.Document, opts ...SearchOption) (m api.Match, o api.Outcome, err error) {
	return db.putIf(ctx, "PutUnlessSimilar", (*engine.DB).PutUnlessSimilar, d, opts)
}

// PutNewUnlessSimilar is PutUnlessSimilar for a document with a new id. It returns ErrExists if the
// id exists, even with an equal text, and so never replaces a document: the outcome is
// OutcomeStored or OutcomeRefused.
func (db *DB) PutNewUnlessSimilar(ctx context.Context, d api.Document, opts ...SearchOption) (m api.Match, o api.Outcome, err error) {
	return db.putIf(ctx, "PutNewUnlessSimilar", (*engine.DB).PutNewUnlessSimilar, d, opts)
}

// putIf makes a conditional put.
func (db *DB) putIf(ctx context.Context, name string,
	put func(*engine.DB, context.Context, api.Document, engine.Search, *[]api.Passage) (api.Match, api.Outcome, error),
	d api.Document, opts []SearchOption) (m api.Match, o api.Outcome, err error) {
	c := db.begin(ctx, name)
	q, err := conditionOf("a put", opts)
	if err != nil {
		return api.Match{}, "", c.End(err)
	}
	m, o, err = put(db.store(), ctx, d, q.Search, q.shared)
	if o == api.OutcomeRefused {
		return m, o, c.End(err)
	}
	return m, o, c.Wrote(1, err)
}

// IsNew reports whether PutUnlessSimilar with these options would store the document now, and
// otherwise returns the similar document. It stores nothing. Without an id it compares the text
// with all documents of the collection.
func (db *DB) IsNew(ctx context.Context, d api.Document, opts ...SearchOption) (m api.Match, isNew bool, err error) {
	c := db.begin(ctx, "IsNew")
	q, err := conditionOf("a put", opts)
	if err == nil {
		err = engine.CheckContext(ctx)
	}
	if err != nil {
		return api.Match{}, false, c.End(err)
	}
	isNew, m, err = db.store().IsNew(ctx, d, q.Search, q.shared)
	return m, isNew, c.End(err)
}

// conditionOf collects options without the default threshold of a search, because the threshold may
// be the collection's.
func conditionOf(call string, opts []SearchOption) (*search, error) {
	q, err := newSearch(call, opts)
	if !q.bounded {
		q.Min = api.Threshold{}
	}
	return q, err
}

// WithPassages sets shared to the passages that a document of PutUnlessSimilar or IsNew has in
// common with the similar document. They are in the form of Reader.Passages, with the document of
// the call as A, and belong to the moment of the decision; without a similar document there are
// none. A document with its own tokens has no passages: if there is a similar document, the call
// returns ErrInvalid.
func WithPassages(shared *[]api.Passage) SearchOption {
	return func(s *search) { s.take("WithPassages").shared = shared }
}
