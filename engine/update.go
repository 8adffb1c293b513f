package engine

// Metadata that changes while the text stays: nothing of the text is read or indexed
// again, but the index of metadata fields follows (docs/decisions/0033).

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// UpdateMeta changes fields of a document's metadata and leaves the others and the text
// as they are. A nil value removes its field. The change is durable when it returns.
// ErrNotFound if there is no document of that id; collection "" is docs.
func (db *DB) UpdateMeta(ctx context.Context, collection, id string, meta api.Meta) error {
	var b Batch
	b.UpdateMeta(collection, id, meta)
	b.ops[0].mustExist = true
	_, err := db.Commit(ctx, &b)
	return err
}

// UpdateMeta changes fields of a document's metadata, if the document is there. A nil
// value removes its field. After a Put of the same document in the batch it changes what
// that puts.
func (b *Batch) UpdateMeta(collection, id string, meta api.Meta) {
	b.metas++
	b.ops = append(b.ops, operation{
		Operation:  record.Operation{Kind: record.OpMeta, Name: id},
		collection: record.OrDefault(collection), doc: api.Document{Meta: meta},
	})
}

// joinMetas makes one operation of those on one document that a change of metadata
// follows. What the caller has put into the batch stays as it is. A put that may be
// dropped cannot be joined: the change would go with it.
func joinMetas(ops []operation) (out []operation, err error) {
	last := map[[2]string]int{} // in out, of what a change may join
	for _, o := range ops {
		key := [2]string{o.collection, o.Name}
		if i, before := last[key]; before && o.Kind == record.OpMeta && out[i].Kind != record.OpDelete {
			to := &out[i]
			if to.wants.Unless != nil {
				return nil, fault.Invalid("document %q is put unless something is similar, and its metadata changed: use two batches", o.Name)
			}
			to.mustExist = to.mustExist || o.mustExist
			to.doc.Meta = record.Changed(to.doc.Meta, o.doc.Meta, to.Kind == record.OpMeta)
			continue
		} else if before && o.Kind == record.OpMeta {
			continue // deleted before
		}
		if o.ofDocument() {
			last[key] = len(out)
		}
		out = append(out, o)
	}
	return out, nil
}

// updatable checks a change of metadata before it is in the log. The document must go on
// to fit in a batch: it may have to be stored again.
func (db *DB) updatable(o operation) error {
	old, err := view.ReadRecord(db.disk.Pebble(), o.c.Schema, o.Name)
	if err == nil && old == nil && o.mustExist {
		err = fmt.Errorf("document %q %w", o.Name, api.ErrNotFound)
	}
	if old == nil || err != nil {
		return err
	}
	size := int64(len(o.Name)+len(old.Meta)+len(o.Meta)) + 64
	if size+old.TextBytes <= maxBatchBytes {
		return nil
	}
	text, err := disk.GetSealed(db.disk.Pebble(), keys.WithID(o.c.Key(keys.Text, old.Set), o.Name))
	if err == nil && size+int64(len(text)) > maxBatchBytes {
		err = fmt.Errorf("%w: document %q with its metadata, the limit is %d bytes", api.ErrTooLarge, o.Name, maxBatchBytes)
	}
	return err
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
