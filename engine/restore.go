package engine

// The state that Open restores: collections, counters, dictionaries, orders and the list of
// segments.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// restoreSchemas restores the settings and dictionaries of all collections.
func (db *DB) restoreSchemas() (err error) {
	if db.seq, err = db.disk.Applied(); err != nil {
		return err
	}
	if db.files, err = segment.NewDir(db.disk); err != nil {
		return err
	}
	err = disk.ScanSealed(db.disk.Pebble(), keys.Of(keys.Collection), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 1)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		s, was, err := record.DecodeSchema(db.opts.unicode, n[0], value)
		if err != nil {
			return err
		}
		if err := s.OpenedWith(db.opts.Entities); err != nil {
			return err
		}
		c := newCollection(s)
		if was != db.opts.unicode {
			if err := db.mayReadAgain(c.Name, was); err != nil {
				return err
			}
			db.outdated = append(db.outdated, c)
		}
		db.collections[c.Name] = c
		db.lastCollection = max(db.lastCollection, c.Number)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range db.collections {
		if err := db.restoreDictionaries(c); err != nil {
			return fmt.Errorf("collection %q: %w", c.Name, err)
		}
	}
	return nil
}

// restore restores the rest of the state, from Pebble and the segment files.
func (db *DB) restore() error {
	if err := db.refuseOrphans(keys.PerCollection...); err != nil {
		return err
	}
	named := map[uint32]bool{}
	for _, c := range db.collections {
		if err := db.restoreCollection(c); err != nil {
			return fmt.Errorf("collection %q: %w", c.Name, err)
		}
		for _, s := range c.postings.Segments {
			named[s.Number] = true
		}
	}
	if err := db.refuseFewer(); err != nil {
		return err
	}
	return db.files.Orphan(named)
}

// refuseOrphans reports documents and other keys of a collection without a record. Opening
// the store without the collection would lose it silently: an import would create it again
// under the same name. It changes nothing, so that a salvage can save the data
// (docs/decisions/0028).
func (db *DB) refuseOrphans(spaces ...keys.Space) error {
	orphans, err := view.Orphans(db.disk.Pebble(), db.known(), spaces...)
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range orphans {
		errs = append(errs, o.Error())
	}
	return errors.Join(errs...)
}

// known returns the numbers of the collections.
func (db *DB) known() map[uint32]bool {
	known := map[uint32]bool{}
	for _, c := range db.collections {
		known[c.Number] = true
	}
	return known
}

// refuseFewer reports a document count that differs from STATE.
func (db *DB) refuseFewer() error {
	want, at := db.disk.Counted()
	if seq, n := db.counted(); want != notCounted && at == seq && want != n {
		return fault.Corrupt("the state file counts %d documents after log record %d, the collections have %d", want, seq, n)
	}
	return nil
}

// removeCollection deletes all keys of a collection.
func removeCollection(b *pebble.Batch, number uint32) error {
	for _, s := range keys.PerCollection {
		if err := disk.DeleteUnder(b, keys.Of(s, number)); err != nil {
			return err
		}
	}
	return nil
}

// restoreCollection restores the counters, groupings, sets and postings of a collection.
func (db *DB) restoreCollection(c *collection) error {
	r := db.disk.Pebble()
	b, err := disk.GetSealed(r, c.Key(keys.Counters))
	if err != nil {
		return err
	}
	if b != nil {
		if c.Counters, err = record.DecodeCounters(b); err != nil {
			return err
		}
	}
	if err := db.restoreGroupings(c); err != nil {
		return err
	}
	c.shares.few = make([]uint8, c.Next)
	if c.Documents == 0 {
		c.seen = &seen{}
	}
	c.fresh.First = c.Next
	several := shares{few: make([]uint8, c.Next)}
	var g errgroup.Group
	g.Go(func() error { return db.restoreDerived(c) })
	g.Go(func() error {
		return disk.Scan(r, c.Key(keys.Shares), func(key, value []byte) error {
			n, _, err := keys.Numbers(key, 2)
			if err != nil || n[1] >= c.Next || len(value) != 4 {
				return fault.Corrupt("shares key %x", key)
			}
			several.put(n[1], binary.BigEndian.Uint32(value))
			return nil
		})
	})
	if err := g.Wait(); err != nil {
		return err
	}
	c.shares.merge(several)
	c.noteAlive()
	return nil
}

// restoreDictionaries restores the dictionaries that compress the texts of a collection.
func (db *DB) restoreDictionaries(c *collection) error {
	var d record.Dictionaries
	err := disk.ScanSealed(db.disk.Pebble(), c.Key(keys.Dictionary), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || int(n[1]) != d.Size() {
			return fault.Corrupt("dictionary key %x", key)
		}
		return d.Add(value)
	})
	if err != nil || d.Size() == 0 {
		return err
	}
	c.dictionaries.Store(&d)
	return nil
}

// Restoring postings. Postings are derived, so Open drops damaged ones and continues
// (docs/decisions/0028).

// restoreDerived restores the postings of a collection, their order, and the facts of its
// sets.
func (db *DB) restoreDerived(c *collection) error {
	postings, damaged, err := db.files.ReadPostings(c.Schema, c.Next)
	if err != nil {
		return err
	}
	c.postings = postings
	var g errgroup.Group
	g.Go(func() error { return db.restoreSets(c) })
	g.Go(func() (err error) {
		if len(c.postings.Segments) == 0 {
			return nil
		}
		c.postings.Order, err = segment.ReadOrder(db.disk.Pebble(), c.Schema, c.postings.OrderNumber)
		if errors.Is(err, api.ErrCorrupt) {
			damaged, err = err, nil
		}
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	if damaged != nil {
		if err := db.forgetPostings(c, damaged); err != nil {
			return err
		}
		if len(postings.Segments) > 0 { // the facts were in the dropped files
			c.table = index.Table{Memory: host.Words}
			if err := db.restoreSets(c); err != nil {
				return err
			}
		}
	}
	return db.removeUnusedOrders(c)
}

// forgetPostings drops the postings of a collection: all its sets become the tail, which
// searches scan exactly, and the builder creates postings again. It also drops intact
// segments, because one order serves all segments. It is not logged: after a crash
// the next Open repeats it.
func (db *DB) forgetPostings(c *collection, damaged error) error {
	db.opts.Logger.Warn("the postings of a collection are damaged; its searches are slower until a writer has made them anew",
		"collection", c.Name, "error", damaged)
	if err := c.postings.Close(); err != nil {
		return err
	}
	c.postings = segment.NoPostings()
	return db.disk.Change(func(b *pebble.Batch) error { return segment.Forget(b, c.Schema) })
}

// removeUnusedOrders deletes the orders of a collection except that of its segments. It
// marks their numbers as taken, so that no later order or segment reuses them.
func (db *DB) removeUnusedOrders(c *collection) error {
	but := uint32(0) // no order has number 0
	if c.postings.Order != nil {
		but = c.postings.OrderNumber
	}
	return db.disk.Change(func(b *pebble.Batch) error {
		last, err := segment.RemoveOrders(b, db.disk.Pebble(), c.Schema, but)
		if err == nil {
			db.files.Taken(last)
		}
		return err
	})
}
