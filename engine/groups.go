package engine

// Groupings made and dropped. A grouping is made of what is stored: by one join, and then
// some documents at a time, as though they came in commits (docs/decisions/0070). Writers wait
// meanwhile.

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// groupSpaces are the key spaces of groupings.
var groupSpaces = []keys.Space{keys.GroupDoc, keys.GroupOf, keys.GroupSet, keys.Group, keys.GroupID, keys.Alike, keys.Grouping}

// CreateGroups keeps the documents of a collection in groups from now on. ErrExists if there
// is a grouping of that name.
func (db *DB) CreateGroups(ctx context.Context, g api.Grouping) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	g.Collection = record.OrDefault(g.Collection)
	if g.Keep == "" {
		g.Keep = api.KeepFirst
	}
	if err := groups.Check(g); err != nil {
		return err
	}
	if err := db.creating.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.creating.Release(1)
	c, err := db.collection(g.Collection)
	if err != nil {
		return err
	}
	made := &groups.Grouping{Grouping: g, Of: c.Number}
	if err := db.regroupingBegins(c, made); err != nil {
		return err
	}
	defer db.regroupingEnds()
	for {
		if err := db.shared.Interrupted(ctx); err != nil {
			return err
		}
		s := db.snapshot()
		err := db.buildGroups(ctx, s, c, made)
		if closed := s.close(); err == nil {
			err = closed
		}
		if err == nil {
			err = db.disk.Flush(ctx) // what the record speaks of is there after a crash
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

// regroupingBegins gives a grouping its number, and lets writers wait.
func (db *DB) regroupingBegins(c *collection, g *groups.Grouping) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, other := range db.collections {
		for _, have := range other.groupings {
			if have.Name == g.Name {
				return fmt.Errorf("groups %q %w", g.Name, api.ErrExists)
			}
			if other == c {
				g.Number = max(g.Number, have.Number)
			}
		}
	}
	g.Number++
	db.regrouping = true
	return nil
}

func (db *DB) regroupingEnds() {
	db.mu.Lock()
	db.regrouping = false
	db.mu.Unlock()
	db.advanced()
}

// commitGrouping makes a grouping known, unless documents of its collection have changed since
// it was built: a writer may have been past the place where it waits.
func (db *DB) commitGrouping(ctx context.Context, c *collection, g *groups.Grouping, built uint64) (done bool, err error) {
	o := operation{Operation: record.Operation{Kind: record.OpGrouping, Name: g.Name}}
	o.of(c)
	if o.Value, err = g.Encode(); err != nil {
		return false, err
	}
	db.mu.Lock()
	if c.changed > built {
		db.mu.Unlock()
		return false, nil
	}
	ticket, _, err := db.commitNow(single(o))
	db.mu.Unlock()
	if err == nil {
		err = db.isDurable(ctx, ticket)
	}
	return true, err
}

// DropGroups forgets a grouping; its documents stay. ErrNotFound if there is none of that name.
func (db *DB) DropGroups(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	db.mu.Lock()
	c, _ := db.groupingOf(name)
	db.mu.Unlock()
	if c == nil {
		return fmt.Errorf("groups %q %w", name, api.ErrNotFound)
	}
	o := operation{Operation: record.Operation{Kind: record.OpUngroup, Name: name}}
	o.of(c)
	_, err := db.commitAndWait(ctx, nil, single(o))
	return err
}

// groupingOf finds a grouping by its name; db.mu is held.
func (db *DB) groupingOf(name string) (*collection, *groups.Grouping) {
	for _, c := range db.collections {
		for _, g := range c.groupings {
			if g.Name == name {
				return c, g
			}
		}
	}
	return nil, nil
}

// groupingsNow are copies of the groupings of a collection; db.mu is held.
func (c *collection) groupingsNow() (out []groups.Grouping) {
	for _, g := range c.groupings {
		out = append(out, *g)
	}
	return out
}

// addGrouping takes a grouping that is built.
func (a *applier) addGrouping(o *operation) error {
	g, err := groups.Decode(o.c.Schema, o.Value)
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

func (a *applier) dropGrouping(o *operation) error {
	for i, g := range o.c.groupings {
		if g.Name != o.Name {
			continue
		}
		o.c.groupings = append(o.c.groupings[:i:i], o.c.groupings[i+1:]...)
		for _, space := range groupSpaces {
			if err := disk.DeleteUnder(a.Batch, g.Key(space)); err != nil {
				return err
			}
		}
	}
	return nil
}

// restoreGroupings reads the groupings of a collection.
func (db *DB) restoreGroupings(c *collection) error {
	return disk.ScanSealed(db.disk.Pebble(), c.Key(keys.Grouping), func(key, value []byte) error {
		if len(key) != 1+4+4 { // of one that was being built
			return nil
		}
		g, err := groups.Decode(c.Schema, value)
		if err == nil {
			c.groupings = append(c.groupings, g)
		}
		return err
	})
}

// applyAgain applies a record of the log. A grouping that is made there and was not built in
// this store, which is a copy of an older one, is built now.
func (db *DB) applyAgain(seq uint64, ops []operation) error {
	for i := range ops {
		if ops[i].Kind != record.OpGrouping {
			continue
		}
		g, err := groups.Decode(ops[i].c.Schema, ops[i].Value)
		if err != nil {
			return err
		}
		built, err := disk.GetSealed(db.disk.Pebble(), builtKey(g))
		if err == nil && built == nil {
			s := db.snapshot()
			err = db.buildGroups(db.shared.Closing, s, ops[i].c, g)
			s.close()
		}
		if err != nil {
			return err
		}
	}
	known, err := knownAlike(ops)
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	planned, err := db.group(seq, ops, known)
	if err == nil {
		_, err = db.apply(seq, ops, planned)
	}
	return err
}

// builtKey says that the groups of a grouping are there. It goes with the grouping.
func builtKey(g *groups.Grouping) []byte { return append(g.Key(keys.Grouping), 1) }

// A grouping is built of what is stored.

// buildPart is how many documents are put into groups at a time.
const buildPart = 4096

// buildGroups puts what a snapshot has of a collection into groups. What may be there of an
// earlier try goes. It is not in the log, which does not speak of the grouping yet.
func (db *DB) buildGroups(ctx context.Context, s *Snapshot, c *collection, g *groups.Grouping) error {
	g.Next = 1
	b := groupsBuilder{db: db, ctx: ctx, g: g, batch: db.disk.NewChanges(0, 0), counts: map[uint32]uint32{}}
	defer func() { b.batch.Close() }()
	for _, space := range groupSpaces {
		if err := disk.DeleteUnder(b.batch.Batch, g.Key(space)); err != nil {
			return err
		}
	}
	if err := b.apply(); err != nil {
		return err
	}
	v := s.view.ViewOf(c.Number)
	if v == nil {
		return fault.Corrupt("collection %q is not there", c.Name)
	}
	written := 0
	err := pairs.EachAlike(ctx, s.view, Search{In: []string{c.Name}, Measure: g.Measure, Args: g.Args, Min: g.Min}, func(set uint32, alike *roaring.Bitmap) error {
		alike.RunOptimize()
		value, err := alike.ToBytes()
		if err == nil {
			err = b.batch.StoreSealed(g.Key(keys.Alike, set), value)
		}
		if written++; err == nil && written%buildPart == 0 {
			err = b.apply()
		}
		return err
	})
	if err == nil {
		err = b.apply()
	}
	if err == nil {
		err = b.documents(s.view, v)
	}
	if err == nil {
		err = b.batch.StoreSealed(builtKey(g), []byte{1})
	}
	if err == nil {
		err = b.apply()
	}
	return err
}

type groupsBuilder struct {
	db     *DB
	ctx    context.Context
	g      *groups.Grouping
	batch  *disk.Changes
	commit groups.Commit
	counts map[uint32]uint32 // documents of the sets of this part
	last   uint32            // set of the last document
	many   uint32            // documents that it has so far
}

// apply writes what was gathered.
func (b *groupsBuilder) apply() error {
	batch, err := b.batch.Gathered()
	if err == nil {
		err = b.db.disk.Apply(batch)
	}
	b.batch.Close()
	b.batch = b.db.disk.NewChanges(0, 0)
	if err == nil && b.db.disk.Full() {
		err = b.db.disk.Flush(b.ctx)
	}
	return errors.Join(err, b.db.shared.Interrupted(b.ctx))
}

// documents goes through the texts of a collection, set by set.
func (b *groupsBuilder) documents(m *view.Snapshot, v *view.View) error {
	ctx, stage := progress.Begin(b.ctx, "documents put into groups", v.Documents)
	b.ctx, b.last = ctx, record.NoSet
	prefix := v.Key(keys.Text)
	err := disk.ScanTo(m.Pebble, prefix, v.Key(keys.Text, record.NoSet), func(key, _ []byte) error {
		n, id, err := keys.Numbers(key, 2)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		r, err := m.Record(v, string(id))
		if err != nil {
			return err
		}
		if r.Set != n[1] {
			return fault.Corrupt("document %q lies under set %d, and has set %d", id, n[1], r.Set)
		}
		if err := b.add(n[1], groups.Doc{ID: string(id), Bytes: r.TextBytes, Written: r.Written}); err != nil {
			return err
		}
		stage.Add(1)
		if len(b.commit.Moved) < buildPart {
			return nil
		}
		return b.settle()
	})
	if err == nil {
		err = b.settle()
	}
	return err
}

func (b *groupsBuilder) add(set uint32, d groups.Doc) error {
	if set != b.last {
		k, err := groups.State{Grouping: b.g, R: b.db.disk.Pebble()}.Alike(set)
		if err != nil {
			return err
		}
		b.commit.Begun = append(b.commit.Begun, groups.Begun{Set: set, Alike: k})
		b.last, b.many = set, 0
	}
	b.many++
	b.counts[set] = b.many
	b.commit.Moved = append(b.commit.Moved, groups.Moved{From: record.NoSet, To: set, Is: d})
	return nil
}

// settle puts what was gathered into groups.
func (b *groupsBuilder) settle() error {
	b.commit.Docs = func(set uint32) uint32 {
		if n, ok := b.counts[set]; ok {
			return n
		}
		return b.db.sharesOf(b.g.Of, set) // it is not being read any more
	}
	o, err := groups.State{Grouping: b.g, R: b.db.disk.Pebble()}.Settle(b.commit)
	if err != nil {
		return err
	}
	if err := writeGroups(b.batch, o.Writes); err != nil {
		return err
	}
	clear(b.counts)
	b.counts[b.last] = b.many
	b.commit = groups.Commit{}
	return b.apply()
}

// sharesOf is how many documents have a set.
func (db *DB) sharesOf(collection, set uint32) uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.Number == collection && int(set) < len(c.shares) {
			return c.shares[set]
		}
	}
	return 0
}
