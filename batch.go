package simdb

// Batches: operations that Commit or Load applies together.

import (
	"context"
	"iter"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Batch is a list of operations that Commit or Load applies together or not at all. The zero value
// is empty and ready for use. It is not safe for concurrent use.
type Batch struct {
	batch engine.Batch
	err   error // the first error in an option; Commit and Load return it
}

// of returns the engine's batch, with the first error of the options.
func (b *Batch) of() (*engine.Batch, error) {
	if b == nil {
		return nil, nil
	}
	return &b.batch, b.err
}

// Put adds a document. It replaces a document of the same id.
func (b *Batch) Put(d api.Document) { b.batch.Put(d) }

// PutNew adds a document with a new id. If the id exists when the operation is applied, Commit
// rejects the whole batch with ErrExists.
func (b *Batch) PutNew(d api.Document) { b.batch.PutNew(d) }

// PutUnlessSimilar adds a document unless a document of another id is similar to it: a stored one,
// or a document of an earlier operation of the batch. It replaces a document of the same id.
// Dropped lists the documents that were not stored.
//
// It accepts the options of DB.PutUnlessSimilar, except WithPassages. Commit and Load return the
// errors of the options.
func (b *Batch) PutUnlessSimilar(d api.Document, opts ...SearchOption) {
	b.batch.PutUnlessSimilar(d, b.condition(opts))
}

// PutNewUnlessSimilar is PutUnlessSimilar for a document with a new id. If the id exists when the
// operation is applied, whatever its text, Commit rejects the whole batch with ErrExists.
func (b *Batch) PutNewUnlessSimilar(d api.Document, opts ...SearchOption) {
	b.batch.PutNewUnlessSimilar(d, b.condition(opts))
}

// PutReplacingSimilar adds a document and removes the similar documents of other ids. With
// onlyLonger it stores the document only if its text has more bytes than every similar one, and
// drops it otherwise. Evicted lists the removed documents. It accepts the options of
// PutUnlessSimilar.
func (b *Batch) PutReplacingSimilar(d api.Document, onlyLonger bool, opts ...SearchOption) {
	b.batch.PutReplacingSimilar(d, b.condition(opts), onlyLonger)
}

// condition collects the options of a put and keeps the first error.
func (b *Batch) condition(opts []SearchOption) engine.Search {
	q, err := conditionOf("a put of a batch", opts)
	if b.err == nil {
		b.err = err
	}
	return q.Search
}

// Delete removes a document. Deleting a missing document is a no-op, which BatchStats does not
// count; a missing collection is ErrNoCollection.
func (b *Batch) Delete(collection, id string) { b.batch.Delete(collection, id) }

// Erase deletes a document and marks it for the next Compact, which removes the text, metadata and
// id of all its versions from every file. It also marks a document that was deleted before. A Put
// of the same id must be in a later batch.
func (b *Batch) Erase(collection, id string) { b.batch.Erase(collection, id) }

// UpdateMeta changes fields of a document's metadata; for a missing document it is a no-op. A nil
// value removes its field. After a Put of the same document in the batch, UpdateMeta changes the
// metadata of that Put.
func (b *Batch) UpdateMeta(collection, id string, meta api.Meta) {
	b.batch.UpdateMeta(collection, id, meta)
}

// Note stores a value under a name; DB.Note returns it. An import, for example, stores its progress
// in the same batch as its documents. A nil value removes the note; an empty value does not.
func (b *Batch) Note(name string, value []byte) { b.batch.Note(name, value) }

// Len returns the number of operations.
func (b *Batch) Len() int { return b.batch.Len() }

// Dropped lists the puts that a similar document prevented, in the order of the batch. The list is
// complete once Commit has returned or Load has acknowledged the batch.
func (b *Batch) Dropped() []api.Dropped { return b.batch.Dropped() }

// Evicted lists the documents that PutReplacingSimilar removed, in the order of the batch, then by
// id. The list is complete when Dropped is. Op is the index of the put in the batch, ID is the
// removed document and Match is the new one.
func (b *Batch) Evicted() []api.Dropped { return b.batch.Evicted() }

// Commit applies a batch atomically and returns once it is durable. After an error that wraps
// ErrPoisoned or the error of ctx, the whole batch may or may not have been applied.
func (db *DB) Commit(ctx context.Context, b *Batch) (api.BatchStats, error) {
	c := db.begin(ctx, "Commit")
	batch, err := b.of()
	if err != nil {
		return api.BatchStats{}, c.End(err)
	}
	stats, err := db.store().Commit(ctx, batch)
	return stats, c.Wrote(written(stats), err)
}

// Load commits a stream of batches in order. It analyses them on all cores and overlaps their
// syncs, as far as Options.MemoryBytes allows. It calls acked, unless nil, for each batch in order
// once the batch is durable. It creates missing collections with default settings.
//
// Load returns when everything is indexed, except a tail too short for a segment. It stops at the
// first error; the batches acknowledged before it remain stored. Close does not wait for the source
// of the batches: Load returns ErrClosed when the source yields its next batch. Do not change a batch
// after yielding it.
func (db *DB) Load(ctx context.Context, batches iter.Seq2[*Batch, error], acked func(*Batch, api.BatchStats)) error {
	c := db.begin(ctx, "Load")
	if batches == nil {
		return c.End(db.store().Load(ctx, nil, nil))
	}
	var loading loading
	return c.End(db.store().Load(ctx, loading.source(batches), func(_ *engine.Batch, stats api.BatchStats) {
		c.Written += int64(written(stats))
		if b := loading.next(); acked != nil {
			acked(b, stats)
		}
	}))
}

// loading holds the batches of a Load from the source to their acknowledgement, which comes in the
// same order.
type loading struct {
	mu      sync.Mutex
	batches []*Batch
}

// source yields the engine's batches, and records each for its acknowledgement.
func (l *loading) source(batches iter.Seq2[*Batch, error]) iter.Seq2[*engine.Batch, error] {
	return func(yield func(*engine.Batch, error) bool) {
		for b, err := range batches {
			var batch *engine.Batch
			if err == nil {
				batch, err = b.of()
			}
			l.mu.Lock()
			l.batches = append(l.batches, b)
			l.mu.Unlock()
			if !yield(batch, err) {
				return
			}
		}
	}
}

// next removes and returns the next batch to acknowledge.
func (l *loading) next() *Batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.batches[0]
	l.batches[0] = nil // for the garbage collector
	l.batches = l.batches[1:]
	return b
}
