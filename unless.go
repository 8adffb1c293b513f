package simdb

// Looking and storing in one step: a put that takes effect unless something similar is
// there.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// PutUnlessSimilar stores a document, durably, unless one of another id in its collection is similar
// to it. The outcome is
//
//   - OutcomeStored: the id was new,
//   - OutcomeReplaced: the document took the place of the one of the same id, whatever that one's text,
//   - OutcomeRefused: nothing was stored, and m is the most similar document, the first by id of equally
//     similar ones.
//
// Looking and storing are one step: of several goroutines that put similar texts at once, one
// succeeds.
//
// Similar means jaccard of 0.8 or more, or of the collection's unique_sim if it has one. Min, MinSim
// and Using change that: any measure of sets, by the collection's own k, or SimHash. By a measure that
// is not symmetric the document is the query. WithPassages returns the passages in common. Other
// options return ErrInvalid.
//
// Batch.PutUnlessSimilar is the same as one operation of many.
func (db *DB) PutUnlessSimilar(ctx context.Context, d api.Document, opts ...SearchOption) (m api.Match, o api.Outcome, err error) {
	c := db.begin(ctx, "PutUnlessSimilar")
	q, err := conditionOf("a put", opts)
	if err != nil {
		return api.Match{}, "", c.End(err)
	}
	m, o, err = db.store().PutUnlessSimilar(ctx, d, q.Search, q.shared)
	if o == api.OutcomeRefused {
		return m, o, c.End(err)
	}
	return m, o, c.Wrote(1, err)
}

// PutNewUnlessSimilar is PutUnlessSimilar for a document of a new id. It returns ErrExists if the id
// exists, also with an equal text, and so never replaces a document: the outcome is OutcomeStored or
// OutcomeRefused.
func (db *DB) PutNewUnlessSimilar(ctx context.Context, d api.Document, opts ...SearchOption) (m api.Match, o api.Outcome, err error) {
	c := db.begin(ctx, "PutNewUnlessSimilar")
	q, err := conditionOf("a put", opts)
	if err != nil {
		return api.Match{}, "", c.End(err)
	}
	m, o, err = db.store().PutNewUnlessSimilar(ctx, d, q.Search, q.shared)
	if o == api.OutcomeRefused {
		return m, o, c.End(err)
	}
	return m, o, c.Wrote(1, err)
}

// IsNew says whether PutUnlessSimilar with these options would store the document
// now, and if not what is similar to it. It stores nothing, and needs no id:
// without one the text is compared with all documents of the collection.
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

// conditionOf gathers options without the defaults of a search: the threshold may be
// the collection's.
func conditionOf(call string, opts []SearchOption) (*search, error) {
	q, err := newSearch(call, opts)
	if !q.bounded {
		q.Min = api.Threshold{}
	}
	return q, err
}

// WithPassages sets shared to the passages that a document of PutUnlessSimilar or IsNew
// has in common with the one that keeps it out, as Passages lists them, A being the
// document that was to be put. They are read at the moment that decided. Without such a
// document there are none. Documents of tokens have no passages: what keeps one out is
// ErrInvalid then.
func WithPassages(shared *[]api.Passage) SearchOption {
	return func(s *search) { s.take("WithPassages").shared = shared }
}
