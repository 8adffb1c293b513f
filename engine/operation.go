package engine

// The operations that the store consists of, a type a kind. A batch is prepared into operations,
// and a replay decodes them from the log; from there on both take the same path.

import (
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// operation is one change on its way into the store.
type operation interface {
	// record returns the operation as the log has it.
	record() record.Operation
	// in returns the collection of the operation; nil for a note.
	in() *collection
	// admit refuses the operation for a reason that only shows under the commit mutex: nothing
	// may fail for the caller's fault once the record is in the log. A replay does not call it.
	admit(db *DB) error
	// apply adds the change to a Pebble batch, and makes it in the state in memory. An error
	// leaves both in doubt.
	apply(a *applier) error
}

// of is a part of every operation on a collection.
type of struct{ c *collection }

func (o of) in() *collection { return o.c }

// admit refuses operations on a collection that was dropped after they were prepared.
func (o of) admit(*DB) error {
	if o.c.dropped {
		return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, api.ErrNoCollection)
	}
	return nil
}

// document is a part of every operation on a document. Of those of a batch the last counts.
type document struct {
	of
	id string
}

func (d *document) on() *document { return d }

// onDocument returns the document that an operation is on; nil if it is on none.
func onDocument(o operation) *document {
	if d, ok := o.(interface{ on() *document }); ok {
		return d.on()
	}
	return nil
}

// operation makes an operation of a request. It takes a put from the slice, so that the puts of
// a batch are one allocation.
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

// operation decodes an operation of the log. It finds the collection and analyses the text of a
// put again, because the log has neither the collection nor the analysis.
func (r *recovery) operation(seq uint64, o *record.Operation) (operation, error) {
	switch o.Kind {
	case record.OpNote:
		return &note{o.Name, o.Value}, nil
	case record.OpCreate:
		return r.db.createdAgain(seq, o)
	}
	c := of{r.db.byNumber(o.Number)}
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

// note keeps a value under a name; nil removes it.
type note struct {
	name  string
	value []byte
}

func (o *note) record() record.Operation {
	return record.Operation{Kind: record.OpNote, Name: o.name, Value: o.value}
}

func (o *note) in() *collection { return nil }

func (o *note) admit(*DB) error { return nil }

func (o *note) apply(a *applier) error {
	key := keys.OfNote(o.name)
	if o.value == nil {
		return a.Batch.Delete(key, nil)
	}
	return disk.SetSealed(a.Batch, key, o.value)
}
