package engine

// A batch as callers fill it: requests that become visible together or not at all.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// Batch is a group of operations that become visible together or not at all.
// The zero value is empty and ready. Not safe for concurrent use.
type Batch struct {
	ops      []request
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
	b.ops = append(b.ops, request{kind: record.OpPut, collection: record.OrDefault(d.Collection), name: d.ID, doc: d})
}

// Delete removes a document. One that is not there is no error, and BatchStats does not count
// it: what is wanted is that it is gone. A collection that is not there is ErrNoCollection.
func (b *Batch) Delete(collection, id string) {
	b.ops = append(b.ops, request{kind: record.OpDelete, collection: record.OrDefault(collection), name: id})
}

// Erase is Delete for a document of which nothing may be left: once the store is compacted no
// file has its text, its metadata or its id, of whatever version. It is also for one that was
// deleted before. Put a document of the same id in a later batch.
func (b *Batch) Erase(collection, id string) {
	b.ops = append(b.ops, request{kind: record.OpErase, collection: record.OrDefault(collection), name: id})
}

// Note keeps a value under a name, for DB.Note to read: how far an import came,
// in the same batch as its documents. A nil value removes it, an empty one does not.
func (b *Batch) Note(name string, value []byte) {
	b.ops = append(b.ops, request{kind: record.OpNote, name: name, value: value})
}

// UpdateMeta changes fields of a document's metadata, if the document is there. A nil
// value removes its field. After a Put of the same document in the batch it changes what
// that puts.
func (b *Batch) UpdateMeta(collection, id string, meta api.Meta) {
	b.metas++
	b.ops = append(b.ops, request{kind: record.OpMeta, collection: record.OrDefault(collection), name: id, doc: api.Document{Meta: meta}})
}

// Len is the number of operations.
func (b *Batch) Len() int { return len(b.ops) }

// Batches of one call.

// Put stores documents, all or none, durably; equal ids replace. A missing
// collection is created with default settings.
func (db *DB) Put(ctx context.Context, docs ...api.Document) error {
	return commitFor(ctx, db, docs, (*Batch).Put)
}

// Delete removes documents by id, all or none, as Batch.Delete does: one that is not there is
// no error. ErrNoCollection if the collection is not there.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	return commitFor(ctx, db, ids, func(b *Batch, id string) { b.Delete(collection, id) })
}

// commitFor commits an operation for each of some things, all or none.
func commitFor[T any](ctx context.Context, db *DB, all []T, add func(*Batch, T)) error {
	var b Batch
	for _, x := range all {
		add(&b, x)
	}
	_, err := db.Commit(ctx, &b)
	return err
}

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
