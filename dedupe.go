package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Dedupe yields the documents of the groups that similar pairs connect, and marks the documents
// that stay. In the order of Keep, a document stays unless it is similar to a document that stays
// already. So every removed document is similar to a kept one, its Like, and no two kept documents
// are similar. A document without a similar one stays, and has no row.
//
// With Delete it deletes the removed documents, some hundreds at a time, before it yields their
// rows; ending the loop ends the deletion. Concurrent writes are safe: if a document, or its Like,
// was put again or deleted after the search began, Dedupe keeps the document and sets Changed in
// its row.
//
// Dedupe accepts the options In, Min, MinSim, Using, Ignoring, KeepNumbers, Via and WithPlan. The
// measure must be symmetric.
func (db *DB) Dedupe(ctx context.Context, o api.DedupeOptions, opts ...SearchOption) iter.Seq2[api.Duplicate, error] {
	return rowsOf(ctx, db.reader, "Dedupe", opts, func(m snapshot, q *search) (iter.Seq2[api.Duplicate, error], error) {
		found, err := m.one.Dedupe(ctx, q.Search, o.Keep)
		rows, err := planned(q, found, err)
		if err == nil && o.Delete {
			return db.store().DeleteDuplicates(ctx, q.Search, rows), nil
		}
		return engine.Undated(rows), err
	})
}
