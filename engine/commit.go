package engine

// The path of a write:
//
//  1. prepare (prepare.go): turn the batch into operations and a log record.
//  2. awaitRoom (room.go): wait while the builder or Pebble lags, and make room on a full
//     disk.
//  3. commitNow, under the commit mutex: refuse the batch if the disk is full (fulldisk.go).
//     plan: operations and observers complete the record or refuse it.
//  4. Append the record to the log.
//  5. apply (apply.go): operations and observers write one Pebble batch.
//  6. isDurable, outside of the mutex: wait for the sync of the log.
//
// A batch with conditions is decided between 2 and 3 (unless.go). A replay enters at 3
// (recover.go). All writes pass through commit: log, then store, under one mutex. The
// sequence number in every Pebble batch therefore marks the applied part of the log
// (docs/decisions/0001).

import (
	"context"
	"errors"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/wal"
)

// Commit applies a batch durably, all or nothing. After an error that wraps ErrPoisoned or
// the error of ctx, the batch may or may not have been applied.
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

// errNoBatch refuses a nil batch.
var errNoBatch = fault.Invalid("the batch is nil")

// commitBatch is Commit for a caller that has entered the store.
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

// commitAndWait commits a prepared batch durably.
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

// commitPrepared commits a batch, or the part of it that its conditions admit. It prepares
// the batch again if a new grouping has outdated the preparation.
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

// commitOnce commits a batch by its conditions, if it has any. It may return errRegrouped.
func (db *DB) commitOnce(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	if p.conditions != nil {
		return db.commitConditional(ctx, b, p)
	}
	return db.commit(p)
}

// commit commits a batch under the commit mutex: it assigns the sequence number, appends
// the record to the log and applies the batch, so that the applied number in every Pebble
// batch is exact. The caller waits for the sync of the log afterwards; concurrent writers
// share it.
func (db *DB) commit(p prepared) (wal.Ticket, api.BatchStats, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.commitNow(p)
}

// commitNow commits a batch. The caller holds db.mu.
func (db *DB) commitNow(batch prepared) (wal.Ticket, api.BatchStats, error) {
	if err := db.disk.Poisoned(); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.reserve(batch.ops, len(batch.record)); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	p := &plan{prepared: batch, seq: db.seq + 1, at: db.opts.clock()}
	if err := db.plan(p); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	ticket, err := db.disk.Append(p.seq, record.Stamp(p.record, p.at))
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	db.last = ticket
	stats, err := db.apply(p)
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, db.disk.Poison(err)
	}
	stats.Superseded = p.superseded
	return ticket, stats, nil
}

// plan is a record before it is applied, by a commit or by a replay.
type plan struct {
	prepared
	seq    uint64
	at     time.Time // zero in a replay
	again  bool      // a replay: the log already has the record
	groups grouped
}

// plan completes the record, or refuses the batch. Once the record is in the log, no error
// of the caller's may stop it. The caller holds db.mu.
func (db *DB) plan(p *plan) error {
	for _, o := range p.ops {
		if err := o.admit(db); err != nil {
			return err
		}
	}
	return db.observers.plan(db, p)
}

// isDurable waits until the log is durable up to last. A caller must not act on a document
// that a crash could still undo.
func (db *DB) isDurable(ctx context.Context, last wal.Ticket) error {
	if last == (wal.Ticket{}) {
		return nil // no writes since Open
	}
	return db.disk.Durable(ctx, last)
}
