package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Dedupe yields the documents of the groups that similar pairs tie together, and says
// which of them stay. Going through a group in the order of Keep, a document stays unless
// one that stays already is similar to it. So every document that goes is similar to one
// that stays, its Like, and no two that stay are similar. Documents without a similar one
// are in no group, and stay.
//
// With Delete the documents that go are deleted, some hundreds at a time, before their
// rows are yielded; ending the loop ends the deleting. What is written meanwhile is safe:
// a document whose text, or whose Like, was put again or deleted after the search began
// is not deleted, and its row says Changed.
//
// The options are those of Pairs without Against, Since, Limit and Nearest, and KeepNumbers. The
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
