package engine

// A batch as callers fill it: operations that become visible together or not at all.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
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

// The path of a write, as callers begin it: prepare, wait for room, commit, wait until it
// is durable. Only a batch with conditions takes another step between.

// Commit applies a batch, durably: when it returns without error the batch
// survives a crash. After an error that wraps ErrPoisoned or ctx's the batch
// may have been applied or not, whole in either case.
func (db *DB) Commit(ctx context.Context, b *Batch) (api.BatchStats, error) {
	if err := db.enterToWrite(ctx); err != nil {
		return api.BatchStats{}, err
	}
	defer db.lifecycle.leave()
	if b == nil {
		return api.BatchStats{}, errNoBatch
	}
	return db.commitBatch(ctx, b)
}

var errNoBatch = fault.Invalid("the batch is nil")

func (db *DB) commitBatch(ctx context.Context, b *Batch) (api.BatchStats, error) {
	if err := ctx.Err(); err != nil {
		return api.BatchStats{}, err
	}
	b.dropped, b.evicted = nil, nil
	if len(b.ops) == 0 {
		return api.BatchStats{}, nil
	}
	if err := db.createMissing(ctx, b); err != nil {
		return api.BatchStats{}, err
	}
	p, err := db.prepare(ctx, b, db.opts.MaxDocBytes)
	if err != nil || len(p.ops) == 0 {
		return api.BatchStats{}, err
	}
	return db.commitAndWait(ctx, b, p)
}

// commitAndWait commits what is prepared, durably.
func (db *DB) commitAndWait(ctx context.Context, b *Batch, p prepared) (api.BatchStats, error) {
	if err := db.awaitRoom(ctx, p); err != nil {
		return api.BatchStats{}, err
	}
	ticket, stats, err := db.commitPrepared(ctx, b, p)
	if err != nil {
		return stats, err
	}
	return stats, db.isDurable(ctx, ticket)
}

// commitPrepared commits a batch, or what its conditions leave of it.
func (db *DB) commitPrepared(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	if p.conditions != nil {
		return db.commitConditional(ctx, b, p)
	}
	return db.commit(p)
}

// Put stores documents, all or none, durably; equal ids replace. A missing
// collection is created with default settings.
func (db *DB) Put(ctx context.Context, docs ...api.Document) error {
	var b Batch
	for _, d := range docs {
		b.Put(d)
	}
	_, err := db.Commit(ctx, &b)
	return err
}

// Delete removes documents by id, all or none, as Batch.Delete does: one that is not there is
// no error. ErrNoCollection if the collection is not there.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	var b Batch
	for _, id := range ids {
		b.Delete(collection, id)
	}
	_, err := db.Commit(ctx, &b)
	return err
}

// Metadata that changes while the text stays: nothing of the text is read or indexed
// again, but the index of metadata fields follows (docs/decisions/0033).

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
