package view

// Ledgers of collections, merged by time.

import (
	"context"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Ledger yields the rows that q selects, oldest first. Rows of one log record follow the order of
// q's collections. ErrMark if q names an invalid mark.
func (m *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return disk.Rows(func(yield func(api.LedgerRow) error) error {
		views, err := m.ViewsOf(q.In)
		if err != nil {
			return err
		}
		if q.Limit < 0 {
			return fault.Invalid("limit %d is negative; 0 means all rows", q.Limit)
		}
		if err := m.Interrupted(ctx); err != nil {
			return err
		}
		from := uint64(0)
		if q.Since != "" {
			mark, err := m.mark(q.Since)
			if err != nil {
				return err
			}
			from = mark.Record + 1
		}
		rows := m.ledger(ctx, views[0], from, q)
		for _, v := range views[1:] {
			rows = mergeRows(rows, m.ledger(ctx, v, from, q))
		}
		n := 0
		for r, err := range rows {
			if err == nil {
				err = yield(r)
			}
			if n++; err != nil || n == q.Limit {
				return err
			}
		}
		return nil
	})
}

// ledger yields the rows of one collection from a log record on.
func (m *Snapshot) ledger(ctx context.Context, v *View, from uint64, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return disk.Rows(func(yield func(api.LedgerRow) error) error {
		err := disk.ScanFrom(m.Pebble, v.Key(keys.Ledger), keys.OfLedger(v.Number, from), func(key, sealed []byte) error {
			if err := m.Interrupted(ctx); err != nil {
				return err
			}
			r, err := m.LedgerRow(v, key, sealed)
			if err != nil {
				return err
			}
			if q.ID != "" && r.ID != q.ID && r.Keeper.ID != q.ID || r.Time.Before(q.From) {
				return nil
			}
			return yield(r)
		})
		if err != nil {
			err = fmt.Errorf("ledger of collection %q: %w", v.Name, err)
		}
		return err
	})
}

// LedgerRow decodes a stored row and its key.
func (m *Snapshot) LedgerRow(v *View, key, sealed []byte) (r api.LedgerRow, err error) {
	value, err := disk.Unseal(key, sealed)
	if err != nil {
		return r, err
	}
	r, keeperIn, err := record.DecodeLedgerRow(value)
	if err != nil {
		return r, err
	}
	if r.Seq, err = keys.LedgerEntry(key); err != nil {
		return r, fault.Corrupt("%w", err)
	}
	r.Collection = v.Name
	if in := m.ViewOf(keeperIn); in != nil {
		r.Keeper.Collection = in.Name
	}
	return r, nil
}

// mergeRows merges two ordered sequences of rows; a comes first among equals.
func mergeRows(a, b iter.Seq2[api.LedgerRow, error]) iter.Seq2[api.LedgerRow, error] {
	return func(yield func(api.LedgerRow, error) bool) {
		next, stop := iter.Pull2(b)
		defer stop()
		second, failed, more := next()
		for first, err := range a {
			for ; err == nil && more && (failed != nil || second.Seq < first.Seq); second, failed, more = next() {
				if !yield(second, failed) || failed != nil {
					return
				}
			}
			if !yield(first, err) || err != nil {
				return
			}
		}
		for ; more; second, failed, more = next() {
			if !yield(second, failed) {
				return
			}
		}
	}
}

// mark decodes a mark. ErrMark if it lies in the snapshot's future.
func (m *Snapshot) mark(mark string) (at record.Mark, err error) {
	if at, err = record.DecodeMark(m.Store, mark); err == nil && at.Record > m.Applied {
		err = fmt.Errorf("%w: it is newer than this snapshot", api.ErrMark)
	}
	return at, err
}
