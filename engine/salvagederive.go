package engine

// A salvage derives everything anew from the documents. Sets keep their numbers, and
// documents the numbers of their writes, because marks of callers depend on both.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/salvage"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// rederiver writes a new store that nobody else uses yet.
type rederiver struct {
	*salvager
	db    *DB
	old   *salvage.Store
	ctx   context.Context
	batch *pebble.Batch // what was made since the last commit; reads see it

	seq       uint64 // log record that the new store is after
	began     uint64 // of collections whose marks do not hold
	place     uint32 // of the next write that nothing tells of
	goesOn    bool   // log and history come along
	erased    erasures
	groupings map[string]bool // names

	c        *salvage.Collection
	counters record.Counters
	numbered bool // sets keep their numbers
	window   []rederived
	stored   int64 // bytes of the window
	texts    int64
}

// rederived is a document on its way to its set.
type rederived struct {
	salvage.Document
	*record.Derived
	fields  record.FieldValues
	damaged error // why it cannot be stored
}

func (r *rederiver) end() {
	if r.batch != nil {
		r.batch.Close()
	}
}

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
	if !r.goesOn { // so that no copy of the old store takes what follows for its own
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
	r.tell()
	if err := r.batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, r.seq), nil); err != nil {
		return err
	}
	return errors.Join(r.commit(), r.db.disk.Flush(r.ctx))
}

// tell tells what of the identity of the store is lost.
func (r *rederiver) tell() {
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

// erasures reads and stores what is to be erased still.
func (r *rederiver) erasures() error {
	r.erased.of = map[erased]uint64{}
	return r.old.Erasures(r.ctx, func(key, value []byte) error {
		collection, id := keys.ErasedID(key)
		if id != "" && len(value) == 8 {
			r.erased.of[erased{collection, id}] = binary.BigEndian.Uint64(value)
		} else if id != "" || len(value) != 9 {
			r.lost("what is to be erased: a key that says so is damaged")
			return nil
		}
		return r.sealed(key, value)
	})
}

// sparseSets bounds how many set numbers a collection may have given for each document, beside
// a million: memory has some bytes for each number.
const sparseSets = 64

// collection writes a collection with all that it has.
func (r *rederiver) collection(c *salvage.Collection, f salvage.Figures, told func()) error {
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
		told()
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

// add takes the next document.
func (r *rederiver) add(d salvage.Document) error {
	r.window = append(r.window, rederived{Document: d})
	r.stored += int64(len(d.Content) + len(d.Stored) + len(d.Meta))
	r.texts += int64(len(d.Content)) * view.AnalysisBytes
	if r.stored > replayWindow || r.texts > r.db.shared.AnalysisRoom() {
		return r.flush()
	}
	return nil
}

// flush derives the documents of the window on all cores, and stores them in order.
func (r *rederiver) flush() error {
	var g errgroup.Group
	g.SetLimit(host.Workers())
	for i := range r.window {
		g.Go(func() error { return r.derive(&r.window[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range r.window {
		d := &r.window[i]
		if d.damaged != nil {
			r.lost(fmt.Sprintf("document %q of collection %q: %v", d.ID, r.c.Schema.Name, d.damaged))
		} else if err := r.put(d); err != nil {
			return err
		}
	}
	clear(r.window)
	r.window, r.stored, r.texts = r.window[:0], 0, 0
	return r.commit()
}

// derive derives what is stored beside a text.
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

// put stores a document under the set of its bag.
func (r *rederiver) put(d *rederived) error {
	c, record := r.c.Schema, d.DocumentRecord
	set, joined, err := r.join(d)
	if err != nil {
		return err
	}
	if set != record.Set || !r.numbered {
		record.Set, record.Joined = set, joined
	}
	if record.Written.Record == 0 || record.Written.Record > r.seq {
		record.Written.Record, record.Written.Place = r.seq, ^r.place
		r.place++
	}
	if record.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, record.Written.Record), d.ID)
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
	r.counters.TextBytes += record.TextBytes
	r.done.Documents++
	return errors.Join(r.sealed(keys.WithID(c.Key(keys.Document), d.ID), record.Encode()),
		r.sealed(keys.WithID(c.Key(keys.Text, set), d.ID), d.Stored))
}

// join finds the set of a document's bag, or makes it. It reports whether the set was there.
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
			return 0, false, fmt.Errorf("%w: collection %q has used up its set numbers; export and import it anew", api.ErrTooLarge, c.Name)
		}
		r.counters.Next++
	}
	r.counters.Sets++
	return set, false, writeSet(r.batch, func([]byte) *pebble.Batch { return r.batch }, c, set, d.Derived)
}

// count counts one more document of a set.
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

// ledger writes the rows of the ledger, but for those of erased documents.
func (r *rederiver) ledger() error {
	c := r.c.Schema
	return r.old.Rows(r.ctx, r.c, func(seq uint64, key, row []byte) error {
		gone, err := rowNames(row, c.Number, func(x erased) bool { return r.erased.erases(seq, x) })
		switch {
		case err != nil:
			r.lost(fmt.Sprintf("a row of the ledger of collection %q: %v", c.Name, err))
			return nil
		case gone:
			return nil
		}
		return r.sealed(key, row)
	})
}

// groups writes the groupings, and what tells the numbers of their groups. The groups are made
// when the store is opened.
func (r *rederiver) groups() error {
	c := r.c.Schema
	kept := map[string]*groups.Grouping{}
	spaces := map[uint32]bool{} // of groupings that the tables have
	err := r.old.Groupings(r.ctx, r.c, func(name string, value []byte) error {
		if was := kept[name]; was != nil {
			delete(spaces, was.Space)
			delete(kept, name)
		}
		if len(value) == 0 {
			return nil
		}
		g, err := groups.Decode(c, value)
		if err != nil {
			r.lost(err.Error())
			return nil
		}
		if name != "" || spaces[g.Space] || g.Space >= record.NoSet/2 { // of the log: the tables may have keys of another in its space
			g.Space = 0
		} else {
			spaces[g.Space] = true
		}
		kept[g.Name] = g
		return nil
	})
	if err != nil || len(kept) == 0 {
		return err
	}
	err = r.old.Events(r.ctx, r.c, func(name string, value []byte) error {
		events, err := groups.DecodeEvents(name, value)
		if err != nil {
			r.lost(err.Error())
			return nil
		}
		if g := kept[name]; g != nil {
			for _, e := range events {
				g.Next = max(g.Next, e.Group+1, e.Other+1)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	free := uint32(1)
	for n := range spaces {
		free = max(free, n+1)
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		g := kept[name]
		if r.groupings[name] {
			r.lost(fmt.Sprintf("groups %q of collection %q: there are others of that name", name, c.Name))
			delete(spaces, g.Space)
			continue
		}
		r.groupings[name] = true
		if g.Space == 0 {
			g.Space = free
			free++
		}
		w, err := definition(g)
		if err == nil {
			err = r.sealed(w.Key, w.Value)
		}
		if err != nil {
			return err
		}
	}
	for _, space := range salvage.Groups {
		err := r.old.Stored(r.ctx, space, r.c, func(key, value []byte) error {
			if n, _, err := keys.Numbers(key, 2); err != nil || !spaces[n[1]] {
				return nil
			}
			if err := r.batch.Set(bytes.Clone(key), bytes.Clone(value), nil); err != nil {
				return err
			}
			return r.commitLong()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rederiver) sealed(key, value []byte) error {
	return errors.Join(disk.SetSealed(r.batch, key, value), r.commitLong())
}

// commitLong commits what is long enough.
func (r *rederiver) commitLong() error {
	if r.batch.Len() < againBytes {
		return nil
	}
	return r.commit()
}

// commit applies what was made since the last time.
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
