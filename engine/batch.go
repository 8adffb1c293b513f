package engine

// A batch as callers fill it: requests that become visible together or not at all.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// Batch is a group of operations that become visible together or not at all. The zero value
// is empty and ready to use. A Batch is not safe for concurrent use.
type Batch struct {
	ops      []request
	dropped  []api.Dropped // of the last commit
	evicted  []api.Dropped
	expected []expected // documents that must be unchanged, or the commit is refused
	falls    []fall     // ledger rows to commit with it
	again    bool       // its documents were stored before, so conditions do not apply
	metas    int        // number of ops that only change metadata

	// shared, unless nil, receives the passages that a refused document shares with its
	// match. The batch is then one conditional put.
	shared *[]api.Passage
}

// Put adds a document. It replaces a document with an equal id.
func (b *Batch) Put(d api.Document) {
	b.ops = append(b.ops, request{kind: record.OpPut, collection: record.OrDefault(d.Collection), name: d.ID, doc: d})
}

// Delete removes a document. Deleting a missing document is a no-op that BatchStats does
// not count. The commit returns ErrNoCollection if the collection does not exist.
func (b *Batch) Delete(collection, id string) {
	b.ops = append(b.ops, request{kind: record.OpDelete, collection: record.OrDefault(collection), name: id})
}

// Erase deletes a document without a trace: after the next Compact no file contains its
// text, metadata or id, in any version. It also erases the traces of a document deleted
// before. To put a document with the same id, use a later batch.
func (b *Batch) Erase(collection, id string) {
	b.ops = append(b.ops, request{kind: record.OpErase, collection: record.OrDefault(collection), name: id})
}

// Note stores a value under a name, for DB.Note to read. An importer uses it to commit its
// position with the documents. A nil value removes the note, an empty one does not.
func (b *Batch) Note(name string, value []byte) {
	b.ops = append(b.ops, request{kind: record.OpNote, name: name, value: value})
}

// UpdateMeta changes fields of a document's metadata; a nil value removes its field. It is
// a no-op if the document does not exist. After a Put of the same document in the batch it
// changes the metadata of that Put.
func (b *Batch) UpdateMeta(collection, id string, meta api.Meta) {
	b.metas++
	b.ops = append(b.ops, request{kind: record.OpMeta, collection: record.OrDefault(collection), name: id, doc: api.Document{Meta: meta}})
}

// Len returns the number of operations.
func (b *Batch) Len() int { return len(b.ops) }

// Batches of one call.

// Put stores documents, all or none, durably; equal ids replace. It creates missing
// collections with default settings.
func (db *DB) Put(ctx context.Context, docs ...api.Document) error {
	return commitFor(ctx, db, docs, (*Batch).Put)
}

// Delete removes documents by id, all or none, durably. Missing documents are no error. It
// returns ErrNoCollection if the collection does not exist.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	return commitFor(ctx, db, ids, func(b *Batch, id string) { b.Delete(collection, id) })
}

// commitFor commits one operation per element, all or none.
func commitFor[T any](ctx context.Context, db *DB, all []T, add func(*Batch, T)) error {
	var b Batch
	for _, x := range all {
		add(&b, x)
	}
	_, err := db.Commit(ctx, &b)
	return err
}

// UpdateMeta changes fields of a document's metadata, durably, and leaves other fields and
// the text unchanged. A nil value removes its field. It returns ErrNotFound if the document
// does not exist; collection "" means docs.
func (db *DB) UpdateMeta(ctx context.Context, collection, id string, meta api.Meta) error {
	var b Batch
	b.UpdateMeta(collection, id, meta)
	b.ops[0].mustExist = true
	_, err := db.Commit(ctx, &b)
	return err
}
