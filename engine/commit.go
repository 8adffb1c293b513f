package engine

// The path of a write:
//
//  1. prepare (prepare.go): the batch becomes operations and a log record;
//  2. awaitRoom (room.go): the writer waits while the builder or Pebble is behind;
//  3. plan, under the commit mutex: operations and observers complete the record or refuse it;
//  4. append to the log;
//  5. apply (apply.go): operations and observers write one Pebble batch;
//  6. isDurable, outside of the mutex: the log is synced.
//
// A batch with conditions is decided between 2 and 3 (unless.go), and a replay enters at 3
// (recover.go). A commit is the one way into the store: log, then store, under one mutex, so
// that the number in every batch tells how far the log has been applied (docs/decisions/0001).

import (
	"context"
	"errors"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
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

// commitAndWait commits a prepared batch, durably.
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

// commitPrepared commits a batch, or the part of it that its conditions let through. A batch
// that was prepared before a grouping was made is prepared again.
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
func (db *DB) commitNow(batch prepared) (wal.Ticket, api.BatchStats, error) {
	if err := db.disk.Poisoned(); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	p := &plan{prepared: batch, seq: db.seq + 1, at: time.Now()}
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

// plan is a record that is about to be logged and applied, or applied again.
type plan struct {
	prepared
	seq    uint64
	at     time.Time // of a commit
	again  bool      // a replay: the log has the record
	groups grouped
}

// plan completes the record, or refuses the batch: from the log on nothing may fail for the
// caller's fault. db.mu is held.
func (db *DB) plan(p *plan) error {
	for _, o := range p.ops {
		if err := o.admit(db); err != nil {
			return err
		}
	}
	return db.observers.plan(db, p)
}

// isDurable waits until all that a snapshot has seen survives a crash. A caller must not act on
// a document that a crash could still undo.
func (db *DB) isDurable(ctx context.Context, last wal.Ticket) error {
	if last == (wal.Ticket{}) {
		return nil // nothing was written since Open
	}
	return db.disk.Durable(ctx, last)
}
