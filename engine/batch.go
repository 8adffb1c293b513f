package engine

// A batch as callers fill it: operations that become visible together or not at all.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
)

// Batch is a group of operations that become visible together or not at all.
// The zero value is empty and ready. Not safe for concurrent use.
type Batch struct {
	ops      []operation
	dropped  []api.Dropped // of the last commit
	evicted  []api.Dropped
	expected []expected     // documents that must be as they were, or the batch is refused
	falls    []fall         // rows of ledgers that go with it
	again    bool           // its documents were stored before, and no condition is asked
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

// Erase is Delete for a document of which nothing may be left: once the store is compacted no
// file has its text, its metadata or its id, of whatever version. It is also for one that was
// deleted before. Put a document of the same id in a later batch.
func (b *Batch) Erase(collection, id string) {
	b.ops = append(b.ops, operation{Operation: record.Operation{Kind: record.OpErase, Name: id}, collection: record.OrDefault(collection)})
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
	fields          record.FieldValues         // put
	*record.Derived                            // put
	end             int                        // of its part of the log record
	alike           map[uint32]condition.Alike // put: what groupings watch for
	hash            [32]byte                   // put into a collection with a ledger: of its text
}

// of says which collection the operation is on.
func (o *operation) of(c *collection) { o.c, o.Number = c, c.Number }

// operation is one on the collection.
func (c *collection) operation(kind record.OpKind, name string, value []byte) operation {
	o := operation{Operation: record.Operation{Kind: kind, Name: name, Value: value}}
	o.of(c)
	return o
}

// ofDocument says whether the operation is on a document, of which the last of a batch
// counts.
func (o *operation) ofDocument() bool {
	return o.Kind == record.OpPut || o.Deletes() || o.Kind == record.OpMeta
}

// Metadata that changes while the text stays: nothing of the text is read or indexed
// again, but the index of metadata fields follows (docs/decisions/0033).

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
		if i, before := last[key]; before && o.Kind == record.OpMeta && !out[i].Deletes() {
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

// expected is a document that must be as it was written for a batch to be committed.
type expected struct {
	collection, id string
	written        record.Written
}

func (b *Batch) expect(collection, id string, w record.Written) {
	b.expected = append(b.expected, expected{collection, id, w})
}
