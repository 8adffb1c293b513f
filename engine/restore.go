package engine

// What Open reads: collections, counters, dictionaries, orders and the list of segments.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/disk"
	"github.com/simdb/simdb/engine/fault"
	"github.com/simdb/simdb/engine/record"
	"github.com/simdb/simdb/engine/segment"
	"github.com/simdb/simdb/keys"
)

// restore brings what Pebble and the files of segments have back into memory.
func (db *DB) restore() (err error) {
	if db.seq, err = db.disk.Applied(); err != nil {
		return err
	}
	if db.files, err = segment.NewDir(db.disk); err != nil {
		return err
	}
	err = disk.Scan(db.disk.Pebble(), keys.Of(keys.Collection), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 1)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		s, same, err := record.DecodeSchema(db.opts.unicode, n[0], value)
		if err != nil {
			return err
		}
		c := newCollection(s)
		if !same {
			db.outdated = append(db.outdated, c)
		}
		db.collections[c.Name] = c
		db.lastCollection = max(db.lastCollection, c.Number)
		return nil
	})
	if err != nil {
		return err
	}
	if err := db.removeLeftovers(); err != nil {
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
	return db.files.Orphan(named)
}

// removeLeftovers deletes what lies under numbers without settings: a build may
// have written after its collection was dropped, and the process ended. Such
// numbers, of collections and of segments, are not given again.
func (db *DB) removeLeftovers() error {
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	settled := map[uint32]bool{}
	for _, c := range db.collections {
		settled[c.Number] = true
	}
	for _, space := range keys.PerCollection {
		err := collectionNumbers(db.disk.Pebble(), space, func(n uint32) error {
			db.lastCollection = max(db.lastCollection, n)
			if settled[n] {
				return nil
			}
			settled[n] = true
			db.opts.Logger.Info("removing what is left of a dropped collection", "number", n)
			if err := db.removeOrders(b, &record.Schema{Number: n}, 0); err != nil { // for their numbers
				return err
			}
			return removeCollection(b, n)
		})
		if err != nil {
			return err
		}
	}
	return db.disk.Apply(b)
}

// collectionNumbers calls yield with each collection number that has keys in
// a space, in order.
func collectionNumbers(r pebble.Reader, space keys.Space, yield func(uint32) error) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: keys.Of(space), UpperBound: keys.End(keys.Of(space))})
	if err != nil {
		return disk.StoreError(err)
	}
	for ok := it.First(); ok; {
		n, _, err := keys.Numbers(it.Key(), 1)
		if err != nil {
			return errors.Join(fault.Corrupt("%w", err), it.Close())
		}
		if err := yield(n[0]); err != nil {
			return errors.Join(err, it.Close())
		}
		next := keys.End(keys.Of(space, n[0]))
		if !bytes.HasPrefix(next, keys.Of(space)) { // the greatest number there is
			break
		}
		ok = it.SeekGE(next)
	}
	return disk.StoreError(it.Close())
}

// removeCollection deletes everything under the collection's number.
func removeCollection(b *pebble.Batch, number uint32) error {
	for _, s := range keys.PerCollection {
		if err := disk.DeleteUnder(b, keys.Of(s, number)); err != nil {
			return err
		}
	}
	return nil
}

// removeOrders deletes the orders of a collection but one, in a batch. Their
// numbers are not given again.
func (db *DB) removeOrders(b *pebble.Batch, s *record.Schema, but uint32) error {
	last, err := segment.RemoveOrders(b, db.disk.Pebble(), s, but)
	db.files.Taken(last)
	return err
}

// restoreCollection reads the counters of a collection, its dictionary, its sets
// and its postings.
func (db *DB) restoreCollection(c *collection) error {
	r := db.disk.Pebble()
	b, err := disk.Get(r, c.Key(keys.Counters))
	if err != nil {
		return err
	}
	if b != nil {
		if c.Counters, err = record.DecodeCounters(b); err != nil {
			return err
		}
	}
	if err := db.restoreBooks(c); err != nil {
		return err
	}
	c.shares = make([]uint32, c.Next)
	if c.Documents == 0 {
		c.seen = &seen{}
	}
	c.fresh.First = c.Next
	postings, err := db.files.ReadPostings(c.Schema, c.Next)
	if err != nil {
		return err
	}
	c.postings = postings
	var g errgroup.Group
	g.Go(func() error { return db.restoreSets(c) })
	g.Go(func() (err error) {
		if len(c.postings.Segments) > 0 {
			c.postings.Order, err = segment.ReadOrder(r, c.Schema, c.postings.OrderNumber)
		}
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	if err := db.removeUnusedOrders(c); err != nil {
		return err
	}
	err = disk.Scan(r, c.Key(keys.Shares), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || n[1] >= c.Next || len(value) != 4 {
			return fault.Corrupt("shares key %x", key)
		}
		c.shares[n[1]] = binary.BigEndian.Uint32(value)
		return nil
	})
	if err != nil {
		return err
	}
	c.noteAlive()
	return nil
}

func (db *DB) removeUnusedOrders(c *collection) error {
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	but := uint32(0) // which no order has
	if c.postings.Order != nil {
		but = c.postings.OrderNumber
	}
	if err := db.removeOrders(b, c.Schema, but); err != nil {
		return err
	}
	return db.disk.Apply(b)
}

// restoreBooks reads what the texts of a collection are compressed with.
func (db *DB) restoreBooks(c *collection) error {
	var d record.Dictionary
	err := disk.Scan(db.disk.Pebble(), c.Key(keys.Dictionary), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || int(n[1]) != d.Size() {
			return fault.Corrupt("dictionary key %x", key)
		}
		return d.Add(value)
	})
	if err != nil || d.Size() == 0 {
		return err
	}
	c.books.Store(&d)
	return nil
}
