package engine

// Changes of metadata alone: the text is not analysed again, and the index of metadata
// fields is the only index that changes (docs/decisions/0033).

import (
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// metaChange changes metadata fields of a document. It has no effect on a missing document;
// with mustExist it then refuses the batch.
type metaChange struct {
	document
	meta      []byte // changed fields; null removes a field
	mustExist bool   // refuse the batch if the document does not exist
}

func (o *metaChange) record() record.Operation {
	return record.Operation{Kind: record.OpMeta, Number: o.c.Number, Name: o.id, Meta: o.meta}
}

// admit refuses a change that makes the document too large for a batch: a later conversion
// must be able to store it again.
func (o *metaChange) admit(db *DB) error {
	if err := o.of.admit(db); err != nil {
		return err
	}
	old, err := view.ReadRecord(db.disk.Pebble(), o.c.Schema, o.id)
	if err == nil && old == nil && o.mustExist {
		err = fmt.Errorf("document %q %w", o.id, api.ErrNotFound)
	}
	if old == nil || err != nil {
		return err
	}
	size := int64(len(o.id)+len(old.Meta)+len(o.meta)) + 64
	if size+old.TextBytes <= maxBatchBytes {
		return nil
	}
	text, err := disk.GetSealed(db.disk.Pebble(), keys.WithID(o.c.Key(keys.Text, old.Set), o.id))
	if err == nil && size+int64(len(text)) > maxBatchBytes {
		err = fmt.Errorf("%w: document %q with its metadata, the limit is %d bytes", api.ErrTooLarge, o.id, maxBatchBytes)
	}
	return err
}

// apply reads the old metadata under the commit mutex, so that concurrent changes of
// different fields are all kept.
func (o *metaChange) apply(a *applier) error {
	c := o.c
	old, err := a.db.document(c, o.id)
	if err != nil || old == nil {
		return err
	}
	was, err := record.DecodeMeta(old.Meta)
	if err != nil {
		return err
	}
	change, err := record.DecodeMeta(o.meta)
	if err != nil {
		return err
	}
	r := *old
	if r.Meta, err = record.EncodeMeta(record.Changed(was, change, false)); err != nil {
		return err
	}
	a.stats.Updated++
	fields, err := c.FieldValues(r.Meta)
	if err != nil {
		return err
	}
	if err := a.db.observers.written(a, write{&o.document, old, old.Set, fields}); err != nil {
		return err
	}
	return a.StoreSealed(keys.WithID(c.Key(keys.Document), o.id), r.Encode())
}
