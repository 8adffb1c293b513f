package simdb

// Batches: operations that take effect together.

import (
	"context"
	"iter"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Batch is a list of operations that take effect together or not at all, by Commit or Load. The zero
// value is empty and ready for use. It is not safe for concurrent use.
type Batch struct {
	batch engine.Batch
	err   error // the first of an option, for Commit and Load to return
}

// of returns the batch as the engine takes it.
func (b *Batch) of() (*engine.Batch, error) {
	if b == nil {
		return nil, nil
	}
	return &b.batch, b.err
}

// Put adds a document. It replaces a document of the same id.
func (b *Batch) Put(d api.Document) { b.batch.Put(d) }

// PutNew adds a document of a new id. If the id exists when its turn comes, Commit refuses the whole
// batch with ErrExists.
func (b *Batch) PutNew(d api.Document) { b.batch.PutNew(d) }

// PutUnlessSimilar adds a document unless one of another id is similar to it: a stored one, or one
// that an earlier operation of the batch puts. It replaces a document of the same id. Dropped lists
// the documents that were not stored.
//
// The options are those of DB.PutUnlessSimilar, except WithPassages. Commit and Load return an error
// in them.
func (b *Batch) PutUnlessSimilar(d api.Document, opts ...SearchOption) {
	b.batch.PutUnlessSimilar(d, b.condition(opts))
}

// PutNewUnlessSimilar is PutUnlessSimilar for a document of a new id. If the id exists when its turn
// comes, with whatever text, Commit refuses the whole batch with ErrExists.
func (b *Batch) PutNewUnlessSimilar(d api.Document, opts ...SearchOption) {
	b.batch.PutNewUnlessSimilar(d, b.condition(opts))
}

// PutReplacingSimilar adds a document and removes the documents of other ids that are similar to it.
// With onlyLonger it does so only if the text has more bytes than each of theirs, and else drops the
// document. Evicted lists the removed documents. The options are those of PutUnlessSimilar.
func (b *Batch) PutReplacingSimilar(d api.Document, onlyLonger bool, opts ...SearchOption) {
	b.batch.PutReplacingSimilar(d, b.condition(opts), onlyLonger)
}

// condition gathers the options of a put.
func (b *Batch) condition(opts []SearchOption) engine.Search {
	q, err := conditionOf("a put of a batch", opts)
	if b.err == nil {
		b.err = err
	}
	return q.Search
}

// Delete removes a document. A missing document is no error, and BatchStats does not count it; a
// missing collection is ErrNoCollection.
func (b *Batch) Delete(collection, id string) { b.batch.Delete(collection, id) }

// Erase is Delete, after which the next Compact removes the text, the metadata and the id from every
// file, for all versions of the document, also if it was deleted before. Put a document of the same id
// in a later batch.
func (b *Batch) Erase(collection, id string) { b.batch.Erase(collection, id) }

// UpdateMeta changes fields of a document's metadata, if the document exists. A nil value removes its
// field. After a Put of the same document in the batch it changes the metadata of that Put.
func (b *Batch) UpdateMeta(collection, id string, meta api.Meta) {
	b.batch.UpdateMeta(collection, id, meta)
}

// Note stores a value under a name, for DB.Note: the progress of an import, say, in the same batch as
// its documents. A nil value removes the note, an empty one does not.
func (b *Batch) Note(name string, value []byte) { b.batch.Note(name, value) }

// Len returns the number of operations.
func (b *Batch) Len() int { return b.batch.Len() }

// Dropped lists the puts that a similar document kept out, in the order of the batch, once Commit has
// returned or Load has acknowledged the batch.
func (b *Batch) Dropped() []api.Dropped { return b.batch.Dropped() }

// Evicted lists the documents that PutReplacingSimilar has removed, in the order of the batch, then by
// id, once Dropped is there. Op is the place of the put in the batch, ID the removed document and
// Match the new one.
func (b *Batch) Evicted() []api.Dropped { return b.batch.Evicted() }

// Commit applies a batch, durably: when it returns without error the batch
// survives a crash. After an error that wraps ErrPoisoned or ctx's the batch
// may have been applied or not, whole in either case.
func (db *DB) Commit(ctx context.Context, b *Batch) (api.BatchStats, error) {
	c := db.begin(ctx, "Commit")
	batch, err := b.of()
	if err != nil {
		return api.BatchStats{}, c.End(err)
	}
	stats, err := db.store().Commit(ctx, batch)
	return stats, c.Wrote(written(stats), err)
}

// Load commits a stream of batches in order: it analyses them on all cores
// and overlaps their syncs, as far as Options.MemoryBytes allows. acked is called
// for each batch, in order, once it is durable; it may be nil. A missing collection
// is created with default settings. Load returns when all is indexed, but for a tail
// too short for a segment. It stops at the first error; the batches acknowledged
// before it stay. Close does not wait for the source of the batches: Load returns
// ErrClosed when that yields its next. A batch that was yielded belongs to Load.
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

// loading holds the batches of a Load from the source to their acknowledgement, which comes in the same
// order.
type loading struct {
	mu      sync.Mutex
	batches []*Batch
}

// source yields the batches as the engine takes them.
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

// next returns the batch that is acknowledged next.
func (l *loading) next() *Batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.batches[0]
	l.batches[0] = nil // so that it can be freed
	l.batches = l.batches[1:]
	return b
}
