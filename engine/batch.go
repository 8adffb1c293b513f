package engine

// A batch as callers fill it: operations that become visible together or not at all.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
)

// Batch is a group of operations that become visible together or not at all.
// The zero value is empty and ready. Not safe for concurrent use.
type Batch struct {
	ops      []operation
	dropped  []api.Dropped // of the last commit
	evicted  []api.Dropped
	expected []expected     // documents that must be as they were, or the batch is refused
	metas    int            // of ops that change metadata alone
	shared   *[]api.Passage // nil, or the one operation is a put on condition: what it has in common with the document that keeps it out
}

// Put adds a document; an equal id replaces.
func (b *Batch) Put(d api.Document) {
	b.ops = append(b.ops, operation{Operation: record.Operation{Kind: record.OpPut, Name: d.ID}, collection: record.OrDefault(d.Collection), doc: d})
}

// Delete removes a document. One that is not there is no error, and BatchStats does not count
// it: what is wanted is that it is gone. A collection that is not there is ErrNoCollection.
func (b *Batch) Delete(collection, id string) {
	b.ops = append(b.ops, operation{Operation: record.Operation{Kind: record.OpDelete, Name: id}, collection: record.OrDefault(collection)})
}

// Note keeps a value under a name, for DB.Note to read: how far an import came,
// in the same batch as its documents. A nil value removes it, an empty one does not.
func (b *Batch) Note(name string, value []byte) {
	b.ops = append(b.ops, operation{Operation: record.Operation{Kind: record.OpNote, Name: name, Value: value}})
}

// Len is the number of operations.
func (b *Batch) Len() int { return len(b.ops) }

// operation is one change on its way into the store.
type operation struct {
	record.Operation
	collection string // by name, until prepared
	doc        api.Document
	mustExist  bool // meta: the batch is refused if the id is not there
	wants      condition.Wants
	place      int // in the batch as the caller made it

	c               *collection // prepared
	textBytes       int64
	fields          record.FieldValues // put
	*record.Derived                    // put
	end             int                // of its part of the log record
}

// of says which collection the operation is on.
func (o *operation) of(c *collection) { o.c, o.Number = c, c.Number }

// ofDocument says whether the operation is on a document, of which the last of a batch
// counts.
func (o *operation) ofDocument() bool {
	return o.Kind == record.OpPut || o.Kind == record.OpDelete || o.Kind == record.OpMeta
}
