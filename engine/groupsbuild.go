package engine

// Building a grouping from stored documents: for CreateGroups, a salvage, and a change of
// Unicode tables.

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

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

// buildPart is the number of documents grouped per batch.
const buildPart = 4096

// buildGroups groups the documents of a collection as of a snapshot, and replaces the
// results of earlier attempts. It writes no log record: CreateGroups logs the definition
// after the build.
func (db *DB) buildGroups(ctx context.Context, s *Snapshot, c *collection, g *groups.Grouping) (err error) {
	g.Next, g.Built = 1, s.seq
	b := groupsBuilder{db: db, ctx: ctx, g: g, batch: db.disk.NewChanges(0, 0), counts: map[uint32]uint32{}}
	defer func() {
		b.batch.Close()
		if err != nil { // otherwise the parts would take room until the next attempt
			err = errors.Join(err, db.disk.Change(func(b *pebble.Batch) error { return deleteGroups(b, g) }))
		}
	}()
	if err := errors.Join(deleteGroups(b.batch.Batch, g), b.apply()); err != nil {
		return err
	}
	v := s.view.ViewOf(c.Number)
	if v == nil {
		return fault.Corrupt("collection %q does not exist", c.Name)
	}
	written := 0
	err = pairs.EachAlike(ctx, s.view, Search{In: []string{c.Name}, Measure: g.Measure, Args: g.Args, Min: g.Min}, func(set uint32, alike *roaring.Bitmap) error {
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
	var definition []byte
	if err == nil {
		definition, err = g.Encode()
	}
	if err == nil {
		err = b.batch.StoreSealed(builtKey(g), definition)
	}
	if err == nil {
		err = b.apply()
	}
	return err
}

// groupsBuilder is one run of buildGroups.
type groupsBuilder struct {
	db     *DB
	ctx    context.Context
	g      *groups.Grouping
	batch  *disk.Changes
	commit groups.Commit
	counts map[uint32]uint32 // document counts of the sets in this part
	last   uint32            // set of the last document
	many   uint32            // documents of that set so far
}

// apply writes the collected changes.
func (b *groupsBuilder) apply() error {
	batch, err := b.batch.Gathered()
	if err == nil {
		err = b.db.disk.Reserve(int64(batch.Len()))
	}
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

// documents groups the documents of a collection, set by set.
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
			return fault.Corrupt("document %q is stored under set %d, but its record has set %d", id, n[1], r.Set)
		}
		if err := b.add(n[1], groups.Doc{ID: string(id), Bytes: r.TextBytes, Written: r.Written}); err != nil {
			return err
		}
		stage.Add(1)
		if len(b.commit.Moved) < buildPart {
			return nil
		}
		return b.groupPart()
	})
	if err == nil {
		err = b.groupPart()
	}
	return err
}

// add appends a document to the part, and also its set if the document is the first of the
// set.
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

// groupPart groups the documents of the part.
func (b *groupsBuilder) groupPart() error {
	b.commit.Docs = func(set uint32) uint32 {
		if n, ok := b.counts[set]; ok {
			return n
		}
		return b.db.sharesOf(b.g.Of, set) // a set of an earlier part, now complete
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

// sharesOf returns the document count of a set.
func (db *DB) sharesOf(collection, set uint32) uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.Number == collection {
			return c.shares.of(set)
		}
	}
	return 0
}

// regroup rebuilds the groups of a collection: after a salvage, and after its texts were
// analysed again. It deletes the old groups only at the end, so that group numbers survive
// a crash.
func (db *DB) regroup(c *collection) error {
	for i, old := range c.groupings {
		was, err := groups.State{Grouping: old, R: db.disk.Pebble()}.Numbers(func(id string) (uint32, error) {
			r, err := view.ReadRecord(db.disk.Pebble(), c.Schema, id)
			if r == nil && err == nil || errors.Is(err, api.ErrCorrupt) {
				return record.NoSet, nil
			} else if err != nil {
				return 0, err
			}
			return r.Set, nil
		})
		if err != nil {
			return err
		}
		g := *old
		g.Space = c.freeSpace()
		s := db.snapshot()
		err = errors.Join(db.buildGroups(db.shared.Closing, s, c, &g), s.close())
		if err != nil {
			return err
		}
		writes, err := groups.State{Grouping: &g, R: db.disk.Pebble()}.Renumber(was, old.Next)
		if err != nil {
			return err
		}
		definition, err := definition(&g)
		if err != nil {
			return err
		}
		b := db.disk.NewChanges(0, 0)
		if err = errors.Join(deleteGroups(b.Batch, old), writeGroups(b, append(writes, definition))); err == nil {
			err = db.disk.Apply(b.Batch)
		}
		b.Close()
		if err != nil {
			return err
		}
		c.groupings[i] = &g
	}
	return nil
}
