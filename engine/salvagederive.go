package engine

// A salvage derives all data again from the documents. Sets keep their numbers, and
// documents the numbers of their writes, because callers' marks depend on both.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/salvage"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// rederiver writes a new store that no other goroutine uses yet.
type rederiver struct {
	*salvager
	db    *DB
	old   *salvage.Store
	ctx   context.Context
	batch *pebble.Batch // changes since the last commit; reads see them

	moment
	erased    erasures
	groupings map[string]bool // set of names

	c        *salvage.Collection
	counters record.Counters
	numbered bool // sets keep their numbers
	window   rederiving
}

// moment is the position in the log at which the new store continues.
type moment struct {
	seq    uint64 // the new log continues after this record
	began  uint64 // of collections whose marks are invalid
	place  uint32 // of the next write with an unknown number
	goesOn bool   // log and history are copied
}

// rederiving is a window of documents that are derived concurrently, as memory permits.
type rederiving struct {
	documents     []rederived
	stored, texts int64 // bytes
}

// rederived is a document before it joins its set.
type rederived struct {
	salvage.Document
	*record.Derived
	fields  record.FieldValues
	damaged error // the reason that it cannot be stored
}

// end discards the last batch.
func (r *rederiver) end() {
	if r.batch != nil {
		r.batch.Close()
	}
}

// all copies all collections and, if nothing was lost, the notes.
func (r *rederiver) all() error {
	r.batch = r.db.disk.Pebble().NewIndexedBatch()
	all, err := r.old.Collections(r.ctx)
	if err != nil {
		return err
	}
	figures := make([]salvage.Figures, len(all))
	total := int64(0)
	for i, c := range all {
		if figures[i], err = r.old.Figures(r.ctx, c); err != nil {
			return err
		}
		total += figures[i].Documents
	}
	r.goesOn, r.seq = r.old.KeepsLog(), r.old.Last()
	r.began = r.seq + 1
	if !r.goesOn { // a copy of the old store must not accept the following records as its own
		r.seq++
	}
	if err := r.erasures(); err != nil {
		return err
	}
	ctx, stage := progress.Begin(r.ctx, "documents salvaged", total)
	r.ctx = ctx
	names := map[string]bool{}
	for i, c := range all {
		if names[c.Schema.Name] {
			if err := r.old.Rename(c); err != nil {
				return err
			}
		}
		names[c.Schema.Name] = true
		if err := r.collection(c, figures[i], func() { stage.Add(1) }); err != nil {
			return err
		}
	}
	if r.done.Lost == 0 {
		err := r.old.Notes(r.ctx, func(name string, value []byte) error {
			r.done.Notes++
			return r.sealed(keys.OfNote(name), value)
		})
		if err != nil {
			return err
		}
	}
	r.reportIdentity()
	if err := r.batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, r.seq), nil); err != nil {
		return err
	}
	return errors.Join(r.commit(), r.db.disk.Flush(r.ctx))
}

// reportIdentity reports the lost parts of the store's identity.
func (r *rederiver) reportIdentity() {
	switch {
	case !r.broken.Named():
		r.lost("the UUID of the store, which STATE has: its marks and its history do not hold for the new one")
		return
	case !r.old.KeepsNumbers():
		r.lost("the numbers that marks have: by an older mark all documents are new")
	}
	if !r.goesOn && r.broken.KeepsLog() {
		r.lost("the history: it begins anew")
	}
}

// erasures copies the pending erasures.
func (r *rederiver) erasures() error {
	r.erased.of = map[erased]uint64{}
	return r.old.Erasures(r.ctx, func(key, value []byte) error {
		collection, id, ok := keys.ErasedID(key)
		if ok && len(value) == 8 {
			r.erased.of[erased{collection, id}] = binary.BigEndian.Uint64(value)
		} else if ok || len(value) != 9 {
			r.lost("a pending erasure: its key is damaged")
			return nil
		}
		return r.sealed(key, value)
	})
}

// sparseSets bounds the set numbers of a collection per document, above the first million:
// each number takes some bytes of memory.
const sparseSets = 64

// collection copies a collection with its documents, ledger and groupings.
func (r *rederiver) collection(c *salvage.Collection, f salvage.Figures, counted func()) error {
	if err := c.Schema.OpenedWith(r.opts.Entities); err != nil {
		return err
	}
	r.c, r.counters = c, record.Counters{Counts: record.Counts{Began: min(c.Began, r.seq)}}
	next := int64(max(c.Next, f.Next)) + int64(c.Logged)
	r.numbered = next <= 1<<20+sparseSets*(f.Documents+int64(c.Logged))
	if r.numbered {
		r.counters.Next = uint32(next)
	}
	if !r.numbered || !c.Counted || f.Next > c.Next || !r.old.KeepsNumbers() {
		r.counters.Began = r.began
	}
	value, err := c.Schema.Encode()
	if err == nil {
		err = r.sealed(c.Schema.Key(keys.Collection), value)
	}
	for i, d := range c.Dictionaries {
		err = errors.Join(err, r.sealed(c.Schema.Key(keys.Dictionary, uint32(i)), d))
	}
	if err != nil {
		return err
	}
	err = r.old.Documents(r.ctx, c, func(d salvage.Document) error {
		counted()
		return r.add(d)
	})
	if err = errors.Join(err, r.flush()); err != nil {
		return err
	}
	if err := r.ledger(); err != nil {
		return err
	}
	if err := r.groups(); err != nil {
		return err
	}
	r.done.Collections++
	return errors.Join(r.sealed(c.Schema.Key(keys.Counters), r.counters.Encode()), r.commit())
}

// add appends a document to the window.
func (r *rederiver) add(d salvage.Document) error {
	w := &r.window
	w.documents = append(w.documents, rederived{Document: d})
	w.stored += int64(len(d.Content) + len(d.Stored) + len(d.Meta))
	w.texts += int64(len(d.Content)) * view.AnalysisBytes
	if w.stored > replayWindow || w.texts > r.db.shared.AnalysisRoom() {
		return r.flush()
	}
	return nil
}

// flush derives the documents of the window on all cores, and stores them in order.
func (r *rederiver) flush() error {
	var g errgroup.Group
	g.SetLimit(host.Workers())
	all := r.window.documents
	r.window = rederiving{}
	for i := range all {
		g.Go(func() error { return r.derive(&all[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range all {
		d := &all[i]
		if d.damaged != nil {
			r.lost(fmt.Sprintf("document %q of collection %q: %v", d.ID, r.c.Schema.Name, d.damaged))
		} else if err := r.put(d); err != nil {
			return err
		}
	}
	return r.commit()
}

// derive computes the derived data of a document. It reports damage in d.damaged.
func (r *rederiver) derive(d *rederived) error {
	s, size := r.db.shared, int64(len(d.Content))
	done, err := s.Analysing(r.ctx, size)
	if err != nil {
		return err
	}
	defer done()
	d.Derived, err = view.Apart(r.ctx, s, size, func() (*record.Derived, error) { return r.c.Schema.Derive(d.Content) })
	if err == nil {
		d.fields, err = r.c.Schema.FieldValues(d.Meta)
	}
	if err == nil && d.Stored == nil {
		d.Stored = s.Codec.Encode(d.Content, nil)
	}
	d.Content = ""
	if errors.Is(err, api.ErrCorrupt) || errors.Is(err, api.ErrInvalid) || errors.Is(err, api.ErrTooLarge) {
		d.damaged, err = err, nil
	}
	return err
}

// put stores a document in the set of its bag.
func (r *rederiver) put(d *rederived) error {
	c, doc := r.c.Schema, d.DocumentRecord
	set, joined, err := r.join(d)
	if err != nil {
		return err
	}
	if set != doc.Set || !r.numbered {
		doc.Set, doc.Joined = set, joined
	}
	if doc.Written.Record == 0 || doc.Written.Record > r.seq {
		doc.Written.Record, doc.Written.Place = r.seq, ^r.place
		r.place++
	}
	if doc.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, doc.Written.Record), d.ID)
		if err := r.batch.Set(key, binary.BigEndian.AppendUint32(nil, set), nil); err != nil {
			return err
		}
	}
	for _, v := range d.fields {
		if err := r.batch.Set(c.FieldKey(v, set, d.ID), nil, nil); err != nil {
			return err
		}
	}
	r.counters.Documents++
	r.counters.TextBytes += doc.TextBytes
	r.done.Documents++
	return errors.Join(r.sealed(keys.WithID(c.Key(keys.Document), d.ID), doc.Encode()),
		r.sealed(keys.WithID(c.Key(keys.Text, set), d.ID), d.Stored))
}

// join finds or creates the set of a document's bag. joined reports whether the set
// existed.
func (r *rederiver) join(d *rederived) (set uint32, joined bool, err error) {
	c := r.c.Schema
	v, err := disk.Get(r.batch, keys.OfDigest(c.Number, d.Derived.Set.Digest))
	if err != nil {
		return 0, false, err
	}
	if v != nil {
		set = binary.BigEndian.Uint32(v)
		return set, true, r.count(set)
	}
	set = d.DocumentRecord.Set
	taken := !r.numbered || set == record.NoSet || set >= r.c.Next
	if !taken {
		if taken, err = disk.Has(r.batch, c.Key(keys.Set, set)); err != nil {
			return 0, false, err
		}
	}
	if taken {
		if set = r.counters.Next; set == record.NoSet {
			return 0, false, fmt.Errorf("%w: collection %q has used up its set numbers; export it and import it again", api.ErrTooLarge, c.Name)
		}
		r.counters.Next++
	}
	r.counters.Sets++
	return set, false, writeSet(r.batch, func([]byte) *pebble.Batch { return r.batch }, c, set, d.Derived)
}

// count increments the document count of a set.
func (r *rederiver) count(set uint32) error {
	key := r.c.Schema.Key(keys.Shares, set)
	v, err := disk.Get(r.batch, key)
	if err != nil {
		return err
	}
	n := uint32(1)
	if v != nil {
		n = binary.BigEndian.Uint32(v)
	}
	return r.batch.Set(key, binary.BigEndian.AppendUint32(nil, n+1), nil)
}

// sealed stores a value with its checksum.
func (r *rederiver) sealed(key, value []byte) error {
	return errors.Join(disk.SetSealed(r.batch, key, value), r.commitLong())
}

// commitLong commits the batch once it is long enough.
func (r *rederiver) commitLong() error {
	if r.batch.Len() < againBytes {
		return nil
	}
	return r.commit()
}

// commit applies the changes since the last commit.
func (r *rederiver) commit() error {
	db := r.db
	if err := errors.Join(r.ctx.Err(), db.disk.Poisoned()); err != nil {
		return err
	}
	if err := db.disk.Apply(r.batch); err != nil {
		return err
	}
	r.batch.Close()
	r.batch = db.disk.Pebble().NewIndexedBatch()
	if db.disk.Full() {
		return db.disk.Flush(r.ctx)
	}
	return nil
}
