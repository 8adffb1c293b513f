package engine

// Creating and dropping groupings. CreateGroups builds a grouping from the stored
// documents: one join, and then part after part, as though the documents came in commits
// (docs/decisions/0070). Writers wait while it runs.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// groupSpaces are the key spaces of groupings.
var groupSpaces = []keys.Space{keys.GroupDoc, keys.GroupOf, keys.GroupSet, keys.Group, keys.GroupID, keys.Alike, keys.Grouping}

// CreateGroups groups the documents of a collection from now on, durably. Writers wait
// while it builds the groups. It returns ErrExists if the name is taken.
func (db *DB) CreateGroups(ctx context.Context, g api.Grouping) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	g.Collection = record.OrDefault(g.Collection)
	g.Keep = cmp.Or(g.Keep, api.KeepFirst)
	if err := groups.Check(g); err != nil {
		return err
	}
	if _, err := db.collection(g.Collection); err != nil && g.Collection == api.DefaultCollection { // docs is implied
		if err := db.createCollection(ctx, g.Collection, api.Settings{}); err != nil && !errors.Is(err, api.ErrExists) {
			return err
		}
	}
	if err := db.creating.Acquire(ctx, 1); err != nil { // the collection must not be dropped
		return err
	}
	defer db.creating.Release(1)
	c, err := db.collection(g.Collection)
	if err != nil {
		return err
	}
	made := &groups.Grouping{Grouping: g, Of: c.Number}
	if err := db.beginRegrouping(c, made); err != nil {
		return err
	}
	defer db.endRegrouping()
	for {
		if err := db.shared.Interrupted(ctx); err != nil {
			return err
		}
		s := db.snapshot()
		err := db.buildGroups(ctx, s, c, made)
		if err = cmp.Or(err, s.close()); err == nil {
			err = db.disk.Flush(ctx) // the log record relies on the groups, so they must be durable
		}
		if err != nil {
			return db.shared.ClosedOr(err)
		}
		done, err := db.commitGrouping(ctx, c, made, s.seq)
		if done || err != nil {
			return err
		}
	}
}

// beginRegrouping assigns the number of a grouping, and makes writers wait.
func (db *DB) beginRegrouping(c *collection, g *groups.Grouping) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.groupedBy(g.Name) != nil {
		return fmt.Errorf("groups %q %w", g.Name, api.ErrExists)
	}
	for _, have := range c.groupings {
		g.Number = max(g.Number, have.Number)
	}
	g.Number++
	g.Space = c.freeSpace()
	db.regrouping = true
	return nil
}

// endRegrouping lets writers continue.
func (db *DB) endRegrouping() {
	db.mu.Lock()
	db.regrouping = false
	db.mu.Unlock()
	db.advanced()
}

// commitGrouping makes a grouping visible. It returns false if documents of the collection
// have changed since the build: a writer may have passed the check that makes it wait.
func (db *DB) commitGrouping(ctx context.Context, c *collection, g *groups.Grouping, built uint64) (done bool, err error) {
	value, err := g.Encode()
	if err != nil {
		return false, err
	}
	db.mu.Lock()
	if c.changed > built {
		db.mu.Unlock()
		return false, nil
	}
	ticket, _, err := db.commitNow(single(&grouping{of{c}, g.Name, value}))
	db.mu.Unlock()
	if err == nil {
		err = db.isDurable(ctx, ticket)
	}
	return true, err
}

// freeSpace returns an unused key space for a grouping of the collection.
func (c *collection) freeSpace() (n uint32) {
	for _, g := range c.groupings {
		n = max(n, g.Space)
	}
	return n + 1
}

// DropGroups removes a grouping, durably, but none of its documents. It returns ErrNotFound
// if there is none of that name.
func (db *DB) DropGroups(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	db.mu.Lock()
	c := db.groupedBy(name)
	db.mu.Unlock()
	if c == nil {
		return fmt.Errorf("groups %q %w", name, api.ErrNotFound)
	}
	_, err := db.commitAndWait(ctx, nil, single(&ungrouping{of{c}, name}))
	return err
}

// groupedBy returns the collection with the named grouping, or nil. The caller holds db.mu.
func (db *DB) groupedBy(name string) *collection {
	for _, c := range db.collections {
		if slices.ContainsFunc(c.groupings, func(g *groups.Grouping) bool { return g.Name == name }) {
			return c
		}
	}
	return nil
}

// groupingsNow copies the groupings of a collection. The caller holds db.mu.
func (c *collection) groupingsNow() (out []groups.Grouping) {
	for _, g := range c.groupings {
		out = append(out, *g)
	}
	return out
}

// grouping makes a built grouping visible.
type grouping struct {
	of
	name       string
	definition []byte
}

func (o *grouping) record() record.Operation {
	return record.Operation{Kind: record.OpGrouping, Number: o.c.Number, Name: o.name, Value: o.definition}
}

// apply adds the grouping to its collection and stores the definition.
func (o *grouping) apply(a *applier) error {
	g, err := groups.Decode(o.c.Schema, o.definition)
	if err != nil {
		return err
	}
	o.c.groupings = append(o.c.groupings, g)
	w, err := definition(g)
	if err != nil {
		return err
	}
	return a.StoreSealed(w.Key, w.Value)
}

// ungrouping removes a grouping.
type ungrouping struct {
	of
	name string
}

func (o *ungrouping) record() record.Operation {
	return record.Operation{Kind: record.OpUngroup, Number: o.c.Number, Name: o.name}
}

// apply removes the grouping and all its keys.
func (o *ungrouping) apply(a *applier) error {
	for i, g := range o.c.groupings {
		if g.Name != o.name {
			continue
		}
		o.c.groupings = append(o.c.groupings[:i:i], o.c.groupings[i+1:]...)
		return deleteGroups(a.Batch, g)
	}
	return nil
}

// deleteGroups deletes all keys of a grouping.
func deleteGroups(b *pebble.Batch, g *groups.Grouping) (err error) {
	for _, space := range groupSpaces {
		err = errors.Join(err, disk.DeleteUnder(b, g.Key(space)))
	}
	return err
}

// restoreGroupings reads the groupings of a collection.
func (db *DB) restoreGroupings(c *collection) error {
	return disk.ScanSealed(db.disk.Pebble(), c.Key(keys.Grouping), func(key, value []byte) error {
		if len(key) != 1+4+4 { // builtKey of an unfinished grouping
			return nil
		}
		g, err := groups.Decode(c.Schema, value)
		if err == nil {
			c.groupings = append(c.groupings, g)
		}
		return err
	})
}

// replay builds a grouping that a log record creates, if this store lacks its groups,
// because it is a copy of an older store.
func (grouper) replay(db *DB, ops []operation) error {
	for _, o := range ops {
		o, ok := o.(*grouping)
		if !ok {
			continue
		}
		g, err := groups.Decode(o.c.Schema, o.definition)
		if err != nil {
			return err
		}
		built, err := disk.GetSealed(db.disk.Pebble(), builtKey(g))
		if err == nil && !bytes.Equal(built, o.definition) {
			s := db.snapshot()
			err = db.buildGroups(db.shared.Closing, s, o.c, g)
			s.close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// builtKey returns the key of the definition, and with it the moment, that the groups were
// built for. It distinguishes complete groups from the remains of an interrupted attempt.
func builtKey(g *groups.Grouping) []byte { return append(g.Key(keys.Grouping), 1) }
