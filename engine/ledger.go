package engine

// The ledger: a row for each text rejected, replaced or deleted because of a similar one,
// in the log record that did so (docs/decisions/0032). Rows are primary data: nothing can
// derive them again.

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// fall is a ledger row before it is logged.
type fall struct {
	c        *collection // owner of the ledger
	row      api.LedgerRow
	keeperIn uint32 // number of the keeper's collection
}

// ledger maintains the rows of collections with a ledger.
type ledger struct{ passive }

// prepare hashes the text of a put: a row identifies a text by its hash.
func (ledger) prepare(o *put, content string) (err error) {
	if o.c.Settings.Ledger {
		o.hash, err = o.c.TextHash(content)
	}
	return err
}

// plan adds an operation for each ledger with new rows. Only now is the commit time known.
func (ledger) plan(db *DB, p *plan) error {
	var all []*fallenRows
	for _, f := range p.falls {
		i := slices.IndexFunc(all, func(o *fallenRows) bool { return o.c == f.c })
		if i < 0 {
			i, all = len(all), append(all, &fallenRows{of: of{f.c}})
		}
		f.row.Time = p.at
		all[i].rows = record.AppendLedgerRow(all[i].rows, record.EncodeLedgerRow(&f.row, f.keeperIn))
	}
	for _, o := range all {
		if err := o.admit(db); err != nil {
			return err
		}
		p.add(o)
	}
	return nil
}

// finish removes the rows that name documents the batch erases.
func (ledger) finish(a *applier) error {
	gone := a.erases()
	if len(gone) == 0 {
		return nil
	}
	for _, c := range a.db.collections {
		if c.Settings.Ledger {
			if err := a.eraseRows(c, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseRows removes the stored rows of a ledger that name erased documents. It skips
// damaged rows, which Check reports: the log already has the record, so an error would
// poison the store.
func (a *applier) eraseRows(c *collection, gone documents) error {
	return disk.Scan(a.db.disk.Pebble(), c.Key(keys.Ledger), func(key, sealed []byte) error {
		row, damaged := disk.Unseal(key, sealed)
		if names, wrong := rowNames(row, c.Number, gone.has); damaged == nil && wrong == nil && names {
			return a.Remove(key)
		}
		return nil
	})
}

// fallenRows adds rows to the ledger of a collection.
type fallenRows struct {
	of
	rows []byte
}

func (o *fallenRows) record() record.Operation {
	return record.Operation{Kind: record.OpLedger, Number: o.c.Number, Value: o.rows}
}

// apply stores the rows, except rows about documents that the same batch erases.
func (o *fallenRows) apply(a *applier) error {
	rows, err := record.LedgerRows(o.rows)
	if err != nil {
		return err
	}
	gone := a.erases()
	for i, row := range rows {
		if len(gone) > 0 {
			if names, err := rowNames(row, o.c.Number, gone.has); err != nil {
				return err
			} else if names {
				continue
			}
		}
		key := binary.BigEndian.AppendUint32(keys.OfLedger(o.c.Number, a.at.Record), uint32(i))
		if err := a.StoreSealed(key, row); err != nil {
			return err
		}
	}
	return nil
}

// noteDuplicates adds ledger rows to a batch for the duplicates that it deletes, if their
// collections have ledgers. It skips changed documents: the commit will refuse the batch
// and deletePart retries without them.
func (db *DB) noteDuplicates(b *Batch, q Search, rows []pairs.DatedDuplicate) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row pairs.DatedDuplicate) bool {
		c, err := db.collection(row.Collection)
		return row.Keep || row.Changed || err != nil || !c.Settings.Ledger
	})
	if len(rows) == 0 {
		return nil
	}
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = callView(s, func(m *view.Snapshot) (none struct{}, err error) {
		for i := range rows {
			if err := db.noteDuplicate(b, q, m, &rows[i]); err != nil {
				return none, fmt.Errorf("document %q: %w", rows[i].ID, err)
			}
		}
		return none, nil
	})
	return err
}

// noteDuplicate adds the row of one duplicate, unless the document or a collection has
// changed.
func (db *DB) noteDuplicate(b *Batch, q Search, m *view.Snapshot, row *pairs.DatedDuplicate) error {
	v, missing := m.View(row.Collection)
	like, likeMissing := m.View(row.LikeCollection)
	c, dropped := db.collection(row.Collection)
	if missing != nil || likeMissing != nil || dropped != nil || c.Number != v.Number {
		return nil
	}
	r, err := view.ReadRecord(m.Pebble, v.Schema, row.ID)
	if err != nil || r == nil || r.Written != row.Written {
		return err
	}
	content, err := m.Content(v, r.Set, row.ID)
	if err != nil {
		return err
	}
	keeper := api.Match{Collection: row.LikeCollection, ID: row.Like, Sim: row.Sim, Shared: row.Shared, Union: row.Union, Ignored: row.Ignored, Of: row.Of, Unit: row.Unit, Dist: row.Dist}
	f := fall{c, api.LedgerRow{ID: row.ID, Keeper: keeper, Method: q.Method(), Ignoring: q.Ignoring, Min: q.Min, By: api.FellDedupe}, like.Number}
	if f.row.Hash, err = v.TextHash(content); err == nil {
		b.falls = append(b.falls, f)
	}
	return err
}

// Ledger yields the rows of ledgers, oldest first; none for a collection without a ledger.
// A query by document or time reads all rows.
func (s *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return guard(s, ctx, s.view.Ledger(ctx, q))
}

// Ledger is Snapshot.Ledger on a snapshot of the present.
func (db *DB) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return func(yield func(api.LedgerRow, error) bool) {
		s, err := db.Snapshot()
		if err != nil {
			yield(api.LedgerRow{}, err)
			return
		}
		defer s.Close()
		s.Ledger(ctx, q)(yield)
	}
}
