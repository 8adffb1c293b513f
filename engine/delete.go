package engine

// A document that is removed: its record, its text, and its place in its set.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// removal removes a document, if it is there.
type removal struct{ document }

func (o *removal) record() record.Operation {
	return record.Operation{Kind: record.OpDelete, Number: o.c.Number, Name: o.id}
}

func (o *removal) apply(a *applier) error {
	c := o.c
	old, err := a.db.document(c, o.id)
	if err != nil || old == nil {
		return err
	}
	a.touch(c)
	a.stats.Deleted++
	c.Documents--
	if err := a.forget(&o.document, old, record.NoSet, false); err != nil {
		return err
	}
	if err := a.db.observers.written(a, write{&o.document, old, record.NoSet, nil}); err != nil {
		return err
	}
	return a.Remove(keys.WithID(c.Key(keys.Document), o.id))
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
func (a *applier) forget(d *document, old *record.DocumentRecord, set uint32, writtenOver bool) error {
	c := d.c
	c.TextBytes -= old.TextBytes
	if !writtenOver {
		if err := a.Remove(keys.WithID(c.Key(keys.Text, old.Set), d.id)); err != nil {
			return err
		}
	}
	if old.Joined {
		if err := a.Remove(keys.WithID(keys.OfJoined(c.Number, old.Written.Record), d.id)); err != nil {
			return err
		}
	}
	return a.leave(c, old.Set, set)
}
