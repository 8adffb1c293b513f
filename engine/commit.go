package engine

// The one way into the store: log, then store, under one mutex, so that the number in
// every batch tells how far the log has been applied (docs/decisions/0001).

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/wal"
)

// commit is the one way into the store: under one mutex a sequence number is
// assigned, the record appended to the log and the batch applied, so that the
// applied number in every batch tells the truth. The caller waits for the
// log's sync outside, together with others.
func (db *DB) commit(p prepared) (wal.Ticket, api.BatchStats, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.commitNow(p)
}

// commitNow is commit for who holds db.mu.
func (db *DB) commitNow(p prepared) (wal.Ticket, api.BatchStats, error) {
	if err := db.disk.Poisoned(); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.admissible(p.ops); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.unchanged(p.expected); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	seq := db.seq + 1
	ticket, err := db.disk.Append(seq, record.Stamp(p.record, time.Now()))
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	db.last = ticket
	stats, err := db.apply(seq, p.ops)
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

// Commit applies a batch, durably: when it returns without error the batch
// survives a crash. After an error that wraps ErrPoisoned or ctx's the batch
// may have been applied or not, whole in either case.
func (db *DB) Commit(ctx context.Context, b *Batch) (api.BatchStats, error) {
	if err := db.enterToWrite(ctx); err != nil {
		return api.BatchStats{}, err
	}
	defer db.gate.leave()
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
