package engine

// The one way into the store: log, then store, under one mutex, so that the number in
// every batch tells how far the log has been applied (docs/decisions/0001).

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
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

// commitNow commits; the caller holds db.mu.
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

// isDurable waits until what a moment was told of survives a crash. Nobody may act on
// another's document that a crash could take back.
func (db *DB) isDurable(ctx context.Context, last wal.Ticket) error {
	if last == (wal.Ticket{}) {
		return nil // nothing was written since Open
	}
	return db.disk.Durable(ctx, last)
}
