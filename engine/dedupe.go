package engine

// Removing duplicates: what stays is found in one snapshot, what goes is deleted in
// batches, unless it or what it is similar to has changed since.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/view"
)

// dedupeBatch is how many rows are deleted at a time.
const dedupeBatch = 500

// Dedupe finds the documents of groups that similar pairs tie together, and which of
// them stay: going through a group in the order of keep, a document stays unless one
// that stays already is similar to it. So none goes that is not similar to one that
// stays, and no two that stay are similar. Rows come group by group, those of one in
// the order of keep.
func (s *Snapshot) Dedupe(ctx context.Context, q Search, keep api.Keep) (*Result[pairs.DatedDuplicate], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[pairs.DatedDuplicate], error) { return pairs.Dedupe(ctx, m, q, keep) })
}

// Undated leaves out of rows when their documents were written.
func Undated(rows iter.Seq2[pairs.DatedDuplicate, error]) iter.Seq2[api.Duplicate, error] {
	return func(yield func(api.Duplicate, error) bool) {
		for row, err := range rows {
			if !yield(row.Duplicate, err) {
				return
			}
		}
	}
}

// DeleteDuplicates deletes the documents of rows of Dedupe that go, some at a time, and
// passes the rows on once they are done. A document is kept, and its row says Changed, if it
// or the one that it is similar to was put again or deleted after the snapshot. q is what the
// rows were found by.
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

// deletePart deletes the documents of rows that go in one batch, without those that have
// changed.
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
