package engine

// The kinds of operations, a type each. A batch is prepared into operations, and a replay
// decodes them from the log; from there on both take the same path.

import (
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// operation is one change before it is stored.
type operation interface {
	// record returns the operation in its log form.
	record() record.Operation
	// in returns the collection of the operation; nil for a note.
	in() *collection
	// admit refuses the operation for reasons that only show under the commit mutex: once
	// the record is in the log, no error of the caller's may stop it. A replay does not
	// call it.
	admit(db *DB) error
	// apply adds the change to the Pebble batch and to the state in memory. After an error
	// both are in doubt.
	apply(a *applier) error
}

// of is embedded in every operation on a collection.
type of struct{ c *collection }

func (o of) in() *collection { return o.c }

// admit returns ErrNoCollection if the collection was dropped since the preparation.
func (o of) admit(*DB) error {
	if o.c.dropped {
		return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, api.ErrNoCollection)
	}
	return nil
}

// document is embedded in every operation on a document. In a batch, the last one on a
// document counts.
type document struct {
	of
	id string
}

func (d *document) on() *document { return d }

// onDocument returns the document of an operation; nil if it has none.
func onDocument(o operation) *document {
	if d, ok := o.(interface{ on() *document }); ok {
		return d.on()
	}
	return nil
}

// operation converts a request. It takes puts from the slice, so that all puts of a batch
// are one allocation.
func (r *counted) operation(puts *[]put) operation {
	d := document{of{r.c}, r.name}
	switch r.kind {
	case record.OpPut:
		o := &(*puts)[0]
		*puts = (*puts)[1:]
		*o = put{document: d, meta: r.meta, place: r.place}
		return o
	case record.OpDelete:
		return &removal{d}
	case record.OpErase:
		return &erasure{removal{d}}
	case record.OpMeta:
		return &metaChange{d, r.meta, r.mustExist}
	}
	return &note{r.name, r.value}
}

// operation decodes an operation from the log. It resolves the collection and analyses the
// text of a put again, because the log contains neither.
func (r *recovery) operation(seq uint64, o *record.Operation) (operation, error) {
	switch o.Kind {
	case record.OpNote:
		return &note{o.Name, o.Value}, nil
	case record.OpCreate:
		return r.db.decodeCreation(seq, o)
	}
	c := of{r.db.byNumber(o.Number)}
	if o.Kind == record.OpErase && (c.c == nil || o.Name == "") {
		c = ofDropped(o.Number)
	}
	if c.c == nil {
		return nil, fault.Corrupt("log record %d: there is no collection %d", seq, o.Number)
	}
	d := document{c, o.Name}
	switch o.Kind {
	case record.OpPut:
		p := &put{document: d, meta: o.Meta, text: o.Text}
		if err := r.db.deriveLogged(p); err != nil {
			return nil, fmt.Errorf("log record %d: %w", seq, err)
		}
		return p, nil
	case record.OpDelete:
		return &removal{d}, nil
	case record.OpErase:
		return &erasure{removal{d}}, nil
	case record.OpMeta:
		return &metaChange{document: d, meta: o.Meta}, nil
	case record.OpDrop:
		return &drop{c}, nil
	case record.OpDictionary:
		return &dictionary{c, o.Value}, nil
	case record.OpGrouping:
		return &grouping{c, o.Name, o.Value}, nil
	case record.OpUngroup:
		return &ungrouping{c, o.Name}, nil
	case record.OpAlike:
		return &alikeSets{c, o.Value}, nil
	case record.OpGrouped:
		return &groupEvents{c, o.Name, o.Value}, nil
	case record.OpLedger:
		return &fallenRows{c, o.Value}, nil
	}
	return nil, fault.Corrupt("log record %d: unknown operation %d", seq, o.Kind)
}

// note stores a value under a name; nil removes it.
type note struct {
	name  string
	value []byte
}

func (o *note) record() record.Operation {
	return record.Operation{Kind: record.OpNote, Name: o.name, Value: o.value}
}

func (o *note) in() *collection { return nil }

func (o *note) admit(*DB) error { return nil }

// apply stores or removes the note.
func (o *note) apply(a *applier) error {
	key := keys.OfNote(o.name)
	if o.value == nil {
		return a.Batch.Delete(key, nil)
	}
	return disk.SetSealed(a.Batch, key, o.value)
}
