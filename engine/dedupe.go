package engine

// Removing duplicates: one snapshot determines the documents to keep. Batches delete the
// others, unless the document or its keeper has changed since.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/view"
)

// dedupeBatch is the number of rows per batch of deletions.
const dedupeBatch = 500

// Dedupe finds clusters of similar documents, and the documents to keep in each: in the
// order of keep, a document is kept unless it is similar to one already kept. So every
// removable document is similar to a kept one, and no two kept documents are similar. Rows
// come cluster by cluster, in the order of keep.
func (s *Snapshot) Dedupe(ctx context.Context, q Search, keep api.Keep) (*Result[pairs.DatedDuplicate], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[pairs.DatedDuplicate], error) { return pairs.Dedupe(ctx, m, q, keep) })
}

// Undated drops the write times from rows.
func Undated(rows iter.Seq2[pairs.DatedDuplicate, error]) iter.Seq2[api.Duplicate, error] {
	return func(yield func(api.Duplicate, error) bool) {
		for row, err := range rows {
			if !yield(row.Duplicate, err) {
				return
			}
		}
	}
}

// DeleteDuplicates deletes the removable documents of rows of Dedupe, dedupeBatch rows at a
// time, and yields each row once its batch is durable. It keeps a document, and sets
// Changed in its row, if the document or its keeper was put or deleted after the snapshot.
// q is the search that found the rows.
func (db *DB) DeleteDuplicates(ctx context.Context, q Search, rows iter.Seq2[pairs.DatedDuplicate, error]) iter.Seq2[api.Duplicate, error] {
	return disk.Rows(func(yield func(api.Duplicate) error) error {
		var part []pairs.DatedDuplicate
		pass := func() error {
			err := db.deletePart(ctx, q, part)
			for i := 0; i < len(part) && err == nil; i++ {
				err = yield(part[i].Duplicate)
			}
			part = part[:0]
			return err
		}
		for row, err := range rows {
			if part = append(part, row); err == nil && len(part) == dedupeBatch {
				err = pass()
			}
			if err != nil {
				return err
			}
		}
		return pass()
	})
}

// deletePart deletes the removable documents of rows in one batch, except changed ones. It
// retries without the changed documents until the batch is accepted.
func (db *DB) deletePart(ctx context.Context, q Search, rows []pairs.DatedDuplicate) error {
	for {
		var b Batch
		for _, row := range rows {
			if row.Keep || row.Changed {
				continue
			}
			b.Delete(row.Collection, row.ID)
			b.expect(row.Collection, row.ID, row.Written)
			b.expect(row.LikeCollection, row.Like, row.LikeWas)
		}
		err := db.noteDuplicates(&b, q, rows)
		if err == nil {
			_, err = db.Commit(ctx, &b)
		}
		changed, ok := errors.AsType[*changedError](err)
		if !ok {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if !row.Keep && (changed.has(row.Collection, row.ID) || changed.has(row.LikeCollection, row.Like)) {
				row.Changed = true
			}
		}
	}
}
