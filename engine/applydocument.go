package engine

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// How a document is written, deleted or changed in a batch: its record, its text and the
// keys of its metadata.

func (a *applier) put(o *operation, stats *api.BatchStats) error {
	c := o.c
	a.touched[c] = true
	old, err := a.document(c, o.Name)
	if err != nil {
		return err
	}
	r := record.DocumentRecord{Set: record.NoSet, TextBytes: o.textBytes, Written: a.at, Meta: o.Meta}
	if len(o.Bag.Set) > 0 {
		if r.Set, r.Joined, err = a.join(c, o); err != nil {
			return err
		}
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
	old, err := a.document(c, o.Name)
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
func (a *applier) document(c *collection, id string) (*record.DocumentRecord, error) {
	if !c.seen.has(seenID(id)) {
		return nil, nil
	}
	return view.ReadRecord(a.db.disk.Pebble(), c.Schema, id)
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
	old, err := a.document(c, o.Name)
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
