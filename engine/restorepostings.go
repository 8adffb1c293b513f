package engine

// How Open reads postings, and what it does where they are damaged: they are derived, so
// a store is opened without them (docs/decisions/0028).

import (
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// restoreDerived reads the postings of a collection, their order and the facts of its
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
		if len(postings.Segments) > 0 { // facts are in their files
			c.table = index.Table{Memory: host.Words}
			if err := db.restoreSets(c); err != nil {
				return err
			}
		}
	}
	return db.removeUnusedOrders(c)
}

// forgetPostings leaves a collection without postings: all its sets are the tail, which
// is searched exactly, and the builder makes postings of them. Files that can be read
// go too, as one order serves all segments. It is not logged: after a crash the next
// Open does it again.
func (db *DB) forgetPostings(c *collection, damaged error) error {
	db.opts.Logger.Warn("the postings of a collection are damaged; its searches are slower until a writer has made them anew",
		"collection", c.Name, "error", damaged)
	if err := c.postings.Close(); err != nil {
		return err
	}
	c.postings = segment.NoPostings()
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	if err := segment.Forget(b, c.Schema); err != nil {
		return err
	}
	return db.disk.Apply(b)
}

// removeUnusedOrders deletes the orders of a collection but that of its segments. Their
// numbers are not given again.
func (db *DB) removeUnusedOrders(c *collection) error {
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	but := uint32(0) // which no order has
	if c.postings.Order != nil {
		but = c.postings.OrderNumber
	}
	last, err := segment.RemoveOrders(b, db.disk.Pebble(), c.Schema, but)
	if err != nil {
		return err
	}
	db.files.Taken(last)
	return db.disk.Apply(b)
}
