package engine

// Deletion of a document: its record, its text, and its place in its set.

import (
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// removal removes a document; a no-op if it does not exist.
type removal struct{ document }

func (o *removal) record() record.Operation {
	return record.Operation{Kind: record.OpDelete, Number: o.c.Number, Name: o.id}
}

// apply removes the document and updates the observers.
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
