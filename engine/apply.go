package engine

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// How operations become one batch of the store: the step that a commit and the replay
// of the log share. Sets are counted here, so that equal texts are kept once
// (docs/decisions/0004).

// applier turns operations into one Pebble batch.
type applier struct {
	db *DB
	*disk.Changes
	at      record.Written       // the operation at hand
	sets    map[digestKey]uint32 // made or ended in this batch; Pebble does not show them yet
	touched map[*collection]bool
	erased  map[erased]bool // in this batch
	planned map[int]uint32  // sets that puts come to, by place, as groups were told
}

type digestKey struct {
	collection uint32
	digest     [16]byte
}

// apply changes the store and the state in memory; db.mu is held. An error
// leaves both in doubt, so the caller poisons the store.
func (db *DB) apply(seq uint64, ops []operation, groups grouped) (stats api.BatchStats, err error) {
	a := applier{db: db, planned: groups.sets, Changes: db.disk.NewChanges(len(ops), storedBytes(ops)), sets: map[digestKey]uint32{}, touched: map[*collection]bool{}}
	defer a.Close()
	for i := range ops {
		o := &ops[i]
		a.at = record.Written{Record: seq, Place: uint32(i)}
		switch o.Kind {
		case record.OpPut:
			err = a.put(o, &stats)
		case record.OpDelete:
			err = a.delete(o, &stats)
		case record.OpErase:
			err = a.erase(o, &stats)
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
		case record.OpDictionary:
			err = a.addDictionary(o)
		case record.OpGrouping:
			err = a.addGrouping(o)
		case record.OpUngroup:
			err = a.dropGrouping(o)
		case record.OpLedger:
			err = a.addToLedger(o)
		}
		if err != nil {
			return stats, err
		}
	}
	if len(a.erased) > 0 {
		if err := a.eraseLedgers(); err != nil {
			return stats, err
		}
	}
	if err := writeGroups(a.Changes, groups.writes); err != nil {
		return stats, err
	}
	for c := range a.touched {
		if c.changed = seq; c.dropped {
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
		if db.tailIsLong(c) || c.dictionaries.Load().Wants(c.Sets, db.opts.SegmentSets) {
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

// addDictionary takes a dictionary that later texts are compressed with.
func (a *applier) addDictionary(o *operation) error {
	dictionaries := o.c.dictionaries.Load()
	longer, err := dictionaries.With(o.Value)
	if err != nil {
		return err
	}
	o.c.dictionaries.Store(longer)
	return disk.SetSealed(a.Batch, o.c.Key(keys.Dictionary, uint32(dictionaries.Size())), o.Value)
}

// How a document is written, deleted or changed in a batch: its record, its text and the
// keys of its metadata.

func (a *applier) put(o *operation, stats *api.BatchStats) error {
	c := o.c
	a.touched[c] = true
	old, err := a.db.document(c, o.Name)
	if err != nil {
		return err
	}
	r := record.DocumentRecord{TextBytes: o.textBytes, Written: a.at, Meta: o.Meta}
	if r.Set, r.Joined, err = a.join(c, o); err != nil {
		return err
	}
	if set, planned := a.planned[int(a.at.Place)]; planned && set != r.Set {
		return fault.Corrupt("document %q comes to set %d, and groups were told of %d", o.Name, r.Set, set)
	}
	if old == nil {
		c.remember(seenID(o.Name), a.db.opts.MemoryBytes)
		stats.Inserted++
		c.Documents++
	} else {
		stats.Replaced++
		if err := a.forget(c, o.Name, old, r.Set, old.Set == r.Set); err != nil {
			return err
		}
	}
	if err := a.indexFields(c, o.Name, old, r.Set, o.fields); err != nil {
		return err
	}
	c.TextBytes += o.textBytes
	if r.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, a.at.Record), o.Name)
		if err := a.Store(key, binary.BigEndian.AppendUint32(nil, r.Set)); err != nil {
			return err
		}
	}
	if err := a.StoreSealed(keys.WithID(c.Key(keys.Document), o.Name), r.Encode()); err != nil {
		return err
	}
	return a.StoreSealed(keys.WithID(c.Key(keys.Text, r.Set), o.Name), o.Text)
}

func (a *applier) delete(o *operation, stats *api.BatchStats) error {
	c := o.c
	old, err := a.db.document(c, o.Name)
	if err != nil || old == nil {
		return err
	}
	a.touched[c] = true
	stats.Deleted++
	c.Documents--
	if err := a.forget(c, o.Name, old, record.NoSet, false); err != nil {
		return err
	}
	if err := a.indexFields(c, o.Name, old, record.NoSet, nil); err != nil {
		return err
	}
	return a.Remove(keys.WithID(c.Key(keys.Document), o.Name))
}

// document reads what is stored of an id; nil when nothing is. A batch holds
// each id once, so Pebble's answer is not out of date.
func (db *DB) document(c *collection, id string) (*record.DocumentRecord, error) {
	if !c.seen.has(seenID(id)) {
		return nil, nil
	}
	return view.ReadRecord(db.disk.Pebble(), c.Schema, id)
}

// forget takes a document out of its set, because it is written anew, and comes into another
// set, or is deleted. Its text is removed, unless it is written over.
func (a *applier) forget(c *collection, id string, old *record.DocumentRecord, set uint32, writtenOver bool) error {
	c.TextBytes -= old.TextBytes
	if !writtenOver {
		if err := a.Remove(keys.WithID(c.Key(keys.Text, old.Set), id)); err != nil {
			return err
		}
	}
	if old.Joined {
		if err := a.Remove(keys.WithID(keys.OfJoined(c.Number, old.Written.Record), id)); err != nil {
			return err
		}
	}
	return a.leave(c, old.Set, set)
}

// update changes the metadata of a document. What it changes is read under the commit
// mutex, so that of two changes of different fields none is lost.
func (a *applier) update(o *operation, stats *api.BatchStats) error {
	c := o.c
	old, err := a.db.document(c, o.Name)
	if err != nil || old == nil {
		return err
	}
	was, err := record.DecodeMeta(old.Meta)
	if err != nil {
		return err
	}
	change, err := record.DecodeMeta(o.Meta)
	if err != nil {
		return err
	}
	r := *old
	if r.Meta, err = record.EncodeMeta(record.Changed(was, change, false)); err != nil {
		return err
	}
	stats.Updated++
	fields, err := c.FieldValues(r.Meta)
	if err != nil {
		return err
	}
	if err := a.indexFields(c, o.Name, old, old.Set, fields); err != nil {
		return err
	}
	return a.StoreSealed(keys.WithID(c.Key(keys.Document), o.Name), r.Encode())
}

// indexFields brings the index of metadata fields from what was stored of a document, nil
// if nothing was, to these values and this set.
func (a *applier) indexFields(c *collection, id string, old *record.DocumentRecord, set uint32, fields record.FieldValues) error {
	if len(c.Fields) == 0 {
		return nil
	}
	if old != nil {
		was, err := c.FieldValues(old.Meta)
		if err != nil {
			return err
		}
		for _, value := range was {
			if old.Set == set && slices.ContainsFunc(fields, func(f []byte) bool { return bytes.Equal(f, value) }) {
				continue
			}
			if err := a.Remove(c.FieldKey(value, old.Set, id)); err != nil {
				return err
			}
		}
	}
	for _, value := range fields {
		if err := a.Store(c.FieldKey(value, set, id), nil); err != nil {
			return err
		}
	}
	return nil
}
