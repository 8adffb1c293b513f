package engine

// The path of a write: prepare, wait for room, commit, wait until it is durable. Only a
// batch with conditions takes another step between. A commit is the one way into the store:
// log, then store, under one mutex, so that the number in every batch tells how far the log
// has been applied (docs/decisions/0001).

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

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
	for {
		ticket, stats, err := db.commitOnce(ctx, b, p)
		if !errors.Is(err, errRegrouped) {
			return ticket, stats, err
		}
		if p, err = db.prepare(ctx, b, db.opts.MaxDocBytes); err != nil {
			return wal.Ticket{}, api.BatchStats{}, err
		}
	}
}

func (db *DB) commitOnce(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	if p.conditions != nil {
		return db.commitConditional(ctx, b, p)
	}
	return db.commit(p)
}

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

// commit is the one way into the store: under one mutex a sequence number is
// assigned, the record appended to the log and the batch applied, so that the
// applied number in every batch tells the truth. The caller waits for the
// log's sync outside, together with others.
func (db *DB) commit(p prepared) (wal.Ticket, api.BatchStats, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.commitNow(p)
}

// commitNow commits; the caller holds db.mu.
func (db *DB) commitNow(p prepared) (wal.Ticket, api.BatchStats, error) {
	if err := db.disk.Poisoned(); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	at := time.Now()
	p = p.withLedger(at)
	if err := db.admissible(p.ops); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.unchanged(p.expected); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	seq := db.seq + 1
	planned, err := db.group(seq, p.ops, false)
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	ops, encoded := p.ops, p.record
	for i := range planned.ops {
		ops, encoded = append(ops, planned.ops[i]), planned.ops[i].Encode(encoded)
	}
	ticket, err := db.disk.Append(seq, record.Stamp(encoded, at))
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	db.last = ticket
	stats, err := db.apply(seq, ops, planned)
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, db.disk.Poison(err)
	}
	stats.Superseded = p.superseded
	return ticket, stats, nil
}

// admissible checks what only the mutex can tell: nothing may fail for the
// caller's fault once the record is in the log.
func (db *DB) admissible(ops []operation) error {
	for _, o := range ops {
		switch {
		case o.Kind == record.OpCreate && db.collections[o.Name] != nil:
			return fmt.Errorf("collection %q %w", o.Name, api.ErrExists)
		case o.c != nil && o.Kind != record.OpCreate && o.c.dropped:
			return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, api.ErrNoCollection)
		case o.Kind == record.OpMeta:
			if err := db.updatable(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// isDurable waits until what a snapshot has seen survives a crash. Nobody may act on
// another's document that a crash could take back.
func (db *DB) isDurable(ctx context.Context, last wal.Ticket) error {
	if last == (wal.Ticket{}) {
		return nil // nothing was written since Open
	}
	return db.disk.Durable(ctx, last)
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

// changedError refuses a batch, and names all documents that are not as it expects them.
type changedError struct{ documents map[[2]string]bool }

func (e *changedError) Error() string {
	return fmt.Sprintf("%d documents have changed meanwhile", len(e.documents))
}

func (e *changedError) has(collection, id string) bool { return e.documents[[2]string{collection, id}] }

// unchanged checks what a batch expects; db.mu is held.
func (db *DB) unchanged(all []expected) error {
	if len(all) == 0 { // as a rule
		return nil
	}
	changed := map[[2]string]bool{}
	looked := map[expected]bool{}
	for _, x := range all {
		if looked[x] { // many go for one
			continue
		}
		looked[x] = true
		was := false
		if c := db.collections[x.collection]; c != nil {
			r, err := view.ReadRecord(db.disk.Pebble(), c.Schema, x.id)
			if err != nil {
				return err
			}
			was = r != nil && r.Written == x.written
		}
		if !was {
			changed[[2]string{x.collection, x.id}] = true
		}
	}
	if len(changed) > 0 {
		return &changedError{changed}
	}
	return nil
}

// Where writers wait, before the commit mutex, while the builder or Pebble is behind.

const (
	// maxTail, in segments, is how many sets may wait for postings. Without
	// them a search scans the tail's signatures, so it may grow, not without end.
	maxTail = 16
	// maxUnbuilt, in segments, is how many may wait while the builder fails. Writers do
	// not wait for it then, because it may fail for ever, and what fails may pass: the
	// disk was full for a while. At a quarter of a million sets a search scans the tail
	// for some milliseconds, and a join sorts it in memory. More is refused.
	maxUnbuilt = 4 * maxTail
)

// awaitRoom holds a writer back, before the commit mutex, while the builder or
// Pebble is far behind, and refuses what the builder will not come to. When the context
// has ended, nothing is written.
func (db *DB) awaitRoom(ctx context.Context, p prepared) error {
	if err := db.await(ctx, db.behind); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.unbuildable(p.ops)
}

// unbuildable refuses documents for a collection whose sets wait for a builder that
// fails. What takes documents away passes: it may be the way out.
func (db *DB) unbuildable(ops []operation) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range ops {
		if o.Kind == record.OpPut && o.c.unbuilt.err != nil && o.c.tail > maxUnbuilt*int64(o.c.Cut(db.opts.SegmentSets)) {
			return fmt.Errorf("collection %q: %d sets wait for an index that cannot be built, so it takes no more documents; remove the cause, it is tried again: %w",
				o.c.Name, o.c.tail, o.c.unbuilt.err)
		}
	}
	return nil
}

// await lets the builder work until the condition is over.
func (db *DB) await(ctx context.Context, while func() bool) error {
	for {
		advanced := db.disk.Advancing()
		if err := db.disk.Poisoned(); err != nil {
			return err
		}
		if !while() {
			return nil
		}
		db.wakeBuilder()
		select {
		case <-advanced:
		case <-db.disk.Failed():
		case <-ctx.Done():
			return ctx.Err()
		case <-db.shared.Closing.Done():
			return api.ErrClosed
		}
	}
}

// unbuilt says whether some tail should become a segment, and the builder can, or an
// order is to be looked at.
func (db *DB) unbuilt() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.unbuilt.err == nil && (db.tailIsLong(c) || c.outgrown()) {
			return true
		}
	}
	return false
}

// behind says whether a writer should wait.
func (db *DB) behind() bool {
	if db.disk.Behind() {
		return true
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.regrouping {
		return true
	}
	for _, c := range db.collections {
		if c.tail > maxTail*int64(c.Cut(db.opts.SegmentSets)) && c.unbuilt.err == nil {
			return true
		}
	}
	return false
}

// bagsWait says whether a load should wait for the segment that is being made of
// a tail, which gives room to the bags of its texts, rather than have them read
// again. Where all texts are read for a new order it does not wait.
func (db *DB) bagsWait() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := db.builder.extending
	return c != nil && !c.Kept.Texts() && c.fresh.Fill(7, 8, c.bagsBudget(db.opts.MemoryBytes))
}
