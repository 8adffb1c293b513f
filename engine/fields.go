package engine

// The index of metadata fields: a key for each value of a document in an indexed field
// (docs/decisions/0033).

import (
	"bytes"
	"slices"
)

// fieldIndex maintains the index of metadata fields.
type fieldIndex struct{ passive }

// derive extracts the values outside of the commit mutex, because decoding the JSON takes
// longer than writing the keys.
func (fieldIndex) derive(o *put) (err error) {
	o.fields, err = o.c.FieldValues(o.meta)
	return err
}

// written replaces the index keys for a document's old values and old set by the keys for
// the new.
func (fieldIndex) written(a *applier, w write) error {
	c := w.c
	if len(c.Fields) == 0 {
		return nil
	}
	if w.old != nil {
		was, err := c.FieldValues(w.old.Meta)
		if err != nil {
			return err
		}
		for _, value := range was {
			if w.old.Set == w.set && slices.ContainsFunc(w.fields, func(f []byte) bool { return bytes.Equal(f, value) }) {
				continue
			}
			if err := a.Remove(c.FieldKey(value, w.old.Set, w.id)); err != nil {
				return err
			}
		}
	}
	for _, value := range w.fields {
		if err := a.Store(c.FieldKey(value, w.set, w.id), nil); err != nil {
			return err
		}
	}
	return nil
}
