package engine

// The ledger: a row of each text that fell to a similar one, in the same log record as what
// made it fall (docs/decisions/0032). Rows are ground state: nothing makes them anew.

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

// fall is a row on its way into the log.
type fall struct {
	c        *collection // that has the ledger
	row      api.LedgerRow
	keeperIn uint32 // number of the keeper's collection
}

// ledger keeps the rows of collections that have one.
type ledger struct{ passive }

// prepare hashes the text of a put, by which a row names it if it falls.
func (ledger) prepare(o *put, content string) (err error) {
	if o.c.Settings.Ledger {
		o.hash, err = o.c.TextHash(content)
	}
	return err
}

// plan adds an operation for each ledger that gets rows, now that the time of the commit is
// known.
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

// finish removes the rows that name what the batch erases.
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

// eraseRows removes the stored rows of a ledger that name what is erased. One that cannot be
// read stays: a check names it, and an error here would come after the log has the record.
func (a *applier) eraseRows(c *collection, gone map[erased]bool) error {
	return disk.Scan(a.db.disk.Pebble(), c.Key(keys.Ledger), func(key, sealed []byte) error {
		row, damaged := disk.Unseal(key, sealed)
		if names, wrong := rowNames(row, c.Number, func(x erased) bool { return gone[x] }); damaged == nil && wrong == nil && names {
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

// apply stores the rows, without those that name what the same batch erases.
func (o *fallenRows) apply(a *applier) error {
	rows, err := record.LedgerRows(o.rows)
	if err != nil {
		return err
	}
	gone := a.erases()
	for i, row := range rows {
		if len(gone) > 0 {
			if names, err := rowNames(row, o.c.Number, func(x erased) bool { return gone[x] }); err != nil {
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

// noteDuplicates adds to a batch the rows of documents that it deletes as duplicates, if their
// collections have ledgers. What has changed since gets none, because the batch is refused then.
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
	_, err = called(s, func(m *view.Snapshot) (none struct{}, err error) {
		for i := range rows {
			if err := db.noteDuplicate(b, q, m, &rows[i]); err != nil {
				return none, fmt.Errorf("document %q: %w", rows[i].ID, err)
			}
		}
		return none, nil
	})
	return err
}

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

// Ledger goes through the rows of ledgers, the oldest first. A collection without a ledger has
// none. Rows that are asked for by a document or a time are found by reading all.
func (s *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return guard(s, ctx, s.view.Ledger(ctx, q))
}

// Ledger is Snapshot.Ledger of the present moment.
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
