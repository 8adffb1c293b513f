package engine

// How operations become one batch of the store: the step that a commit and the replay
// of the log share. Sets are counted here, so that equal texts are kept once
// (docs/decisions/0004).

import (
	"encoding/binary"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// applier turns operations into one Pebble batch.
type applier struct {
	db *DB
	*disk.Changes
	at      record.Written       // the operation at hand
	sets    map[digestKey]uint32 // made or ended in this batch; Pebble does not show them yet
	touched map[*collection]bool
}

type digestKey struct {
	collection uint32
	digest     [16]byte
}

// apply changes the store and the state in memory; db.mu is held. An error
// leaves both in doubt, so the caller poisons the store.
func (db *DB) apply(seq uint64, ops []operation) (stats api.BatchStats, err error) {
	a := applier{db: db, Changes: db.disk.NewChanges(len(ops), storedBytes(ops)), sets: map[digestKey]uint32{}, touched: map[*collection]bool{}}
	defer a.Close()
	for i := range ops {
		o := &ops[i]
		a.at = record.Written{Record: seq, Place: uint32(i)}
		switch o.Kind {
		case record.OpPut:
			err = a.put(o, &stats)
		case record.OpDelete:
			err = a.delete(o, &stats)
		case record.OpMeta:
			err = a.update(o, &stats)
		case record.OpNote:
			if o.Value == nil {
				err = a.Batch.Delete(keys.OfNote(o.Name), nil)
			} else {
				err = disk.SetSealed(a.Batch, keys.OfNote(o.Name), o.Value)
			}
		case record.OpCreate:
			err = a.create(o)
		case record.OpDrop:
			err = a.drop(o)
		case record.OpBook:
			err = a.addBook(o)
		}
		if err != nil {
			return stats, err
		}
	}
	for c := range a.touched {
		if c.dropped {
			continue
		}
		if err := disk.SetSealed(a.Batch, c.Key(keys.Counters), c.Counters.Encode()); err != nil {
			return stats, err
		}
	}
	if err := a.Batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, seq), nil); err != nil {
		return stats, err
	}
	batch, err := a.Gathered()
	if err != nil {
		return stats, err
	}
	if err := db.disk.Apply(batch); err != nil {
		return stats, err
	}
	db.seq = seq
	for c := range a.touched {
		if db.tailIsLong(c) || c.books.Load().Wants(c.Sets, db.opts.SegmentSets) {
			db.wakeBuilder()
		}
	}
	return stats, nil
}

// storedBytes is about what operations add to the store.
func storedBytes(ops []operation) int {
	const keyBytes = 200 // of all records of a document, with their lengths
	n := keyBytes
	for i := range ops {
		o := &ops[i]
		n += keyBytes + len(o.Name)*2 + len(o.Value) + len(o.Meta) + len(o.Text)
		if o.Derived != nil {
			n += 8 * len(o.Set.Signature)
		}
	}
	return n
}

func (a *applier) create(o *operation) error {
	c := o.c
	c.seen = &seen{} // it is empty
	c.Began = a.at.Record
	a.db.collections[c.Name] = c
	a.db.lastCollection = max(a.db.lastCollection, c.Number)
	a.touched[c] = true
	return disk.SetSealed(a.Batch, c.Key(keys.Collection), o.Value)
}

func (a *applier) drop(o *operation) error {
	o.c.dropped = true
	delete(a.db.collections, o.c.Name)
	if err := a.db.files.Retire(a.Batch, o.c.postings.Segments); err != nil {
		return err
	}
	return removeCollection(a.Batch, o.c.Number)
}

// addBook takes a book that later texts are compressed with.
func (a *applier) addBook(o *operation) error {
	books := o.c.books.Load()
	longer, err := books.With(o.Value)
	if err != nil {
		return err
	}
	o.c.books.Store(longer)
	return disk.SetSealed(a.Batch, o.c.Key(keys.Dictionary, uint32(books.Size())), o.Value)
}
