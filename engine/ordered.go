package engine

// How a batch is committed that has conditions: decided outside the commit mutex, and once
// more under it if anything was written in between (docs/decisions/0032).

import (
	"context"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/wal"
)

// commitOrdered commits what takes effect of a batch, and tells the batch what does not.
// It decides by a snapshot, and once more under the commit mutex if anything was written
// since. The ticket is of the last record that the outcome hangs on.
func (db *DB) commitOrdered(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	for {
		if err := db.shared.Interrupted(ctx); err != nil {
			return wal.Ticket{}, api.BatchStats{}, err
		}
		s := db.snapshot()
		v, err := db.judge(ctx, s.moment, p.ops)
		if err = errors.Join(err, s.close()); err != nil {
			return wal.Ticket{}, api.BatchStats{}, db.onceDurable(ctx, s.log, err)
		}
		b.dropped, b.evicted = inBatch(p.ops, v.dropped), inBatch(p.ops, v.evicted)
		if len(v.kept) == 0 {
			return s.log, api.BatchStats{Dropped: len(v.dropped)}, nil
		}
		if ticket, stats, ok, err := db.commitVerdict(ctx, b, p, v, s.seq); ok || err != nil {
			return ticket, stats, db.onceDurable(ctx, ticket, err)
		}
	}
}

// commitVerdict commits by a verdict if that is of this moment, else by another one. It
// returns false if that would need the text of a rival that was stored since: nobody else
// may have to wait for that.
func (db *DB) commitVerdict(ctx context.Context, b *Batch, p prepared, v verdict, seq uint64) (_ wal.Ticket, _ api.BatchStats, ok bool, err error) {
	var now *Snapshot
	defer func() {
		if now != nil {
			err = errors.Join(err, now.close())
		}
	}()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.seq != seq {
		now = db.snapshotNow()
		if !lookInMemory(now.moment, p.ops) {
			return wal.Ticket{}, api.BatchStats{}, false, nil
		}
		if v, err = decide(ctx, now.moment, p.ops); err != nil {
			return db.last, api.BatchStats{}, true, err
		}
		b.dropped, b.evicted = inBatch(p.ops, v.dropped), inBatch(p.ops, v.evicted)
	}
	if len(v.kept) == 0 {
		return db.last, api.BatchStats{Dropped: len(v.dropped)}, true, nil
	}
	ticket, stats, err := db.commitNow(p.by(v))
	stats.Dropped = len(v.dropped)
	return ticket, stats, true, err
}

// by is the batch as a verdict leaves it.
func (p prepared) by(v verdict) prepared {
	p.superseded = v.superseded
	if len(v.kept) == len(p.ops) && len(v.deleted) == 0 {
		return p
	}
	ops, record := make([]operation, 0, len(v.kept)+len(v.deleted)), make([]byte, 0, len(p.record))
	for _, i := range v.kept {
		begin := 0
		if i > 0 {
			begin = p.ops[i-1].end
		}
		ops, record = append(ops, p.ops[i]), append(record, p.record[begin:p.ops[i].end]...)
	}
	for i := range v.deleted {
		ops, record = append(ops, v.deleted[i]), v.deleted[i].Encode(record)
	}
	p.ops, p.record = ops, record
	return p
}
