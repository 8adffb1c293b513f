package engine

// The step of a commit that only batches with conditions take: what of the batch takes
// effect is decided outside of the commit mutex, and once more under it if anything was
// written in between (docs/decisions/0032).

import (
	"cmp"
	"context"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/wal"
)

// asked is the operation as its conditions see it.
func (o *operation) asked() condition.Op {
	c := condition.Op{Operation: &o.Operation, Place: o.place, Wants: o.wants, Derived: o.Derived, TextBytes: o.textBytes}
	if o.c != nil {
		c.Schema = o.c.Schema
	}
	return c
}

// lookAhead finds the conflicts there are now, so that little is left to compare when the
// turn of the batch comes.
func (db *DB) lookAhead(ctx context.Context, b *condition.Batch) error {
	s := db.snapshot()
	return errors.Join(b.Look(ctx, s.moment), s.close())
}

// commitConditional commits what takes effect of a batch, and tells the batch what does not.
// It decides by a snapshot, and once more under the commit mutex if anything was written
// since. The ticket is of the last record that the outcome hangs on.
func (db *DB) commitConditional(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	for {
		if err := db.shared.Interrupted(ctx); err != nil {
			return wal.Ticket{}, api.BatchStats{}, err
		}
		s := db.snapshot()
		out, err := p.conditions.Decide(ctx, s.moment)
		if err == nil {
			err = b.show(ctx, s.moment, out)
		}
		if err = errors.Join(err, s.close()); err != nil {
			return wal.Ticket{}, api.BatchStats{}, db.onceDurable(ctx, s.log, err)
		}
		b.dropped, b.evicted = out.Dropped, out.Evicted
		if len(out.Kept) == 0 {
			return s.log, api.BatchStats{Dropped: len(out.Dropped)}, nil
		}
		if ticket, stats, ok, err := db.commitDecided(ctx, b, p, out, s.seq); ok || err != nil {
			return ticket, stats, db.onceDurable(ctx, ticket, err)
		}
	}
}

// commitDecided commits what was decided if that was at this moment, else it decides again.
// It returns false if that would need the text of a document that was stored since: nobody
// else may have to wait for that.
func (db *DB) commitDecided(ctx context.Context, b *Batch, p prepared, out condition.Outcome, seq uint64) (_ wal.Ticket, _ api.BatchStats, ok bool, err error) {
	var now *Snapshot
	defer func() {
		if now != nil {
			if err == nil {
				err = b.show(ctx, now.moment, out)
			}
			err = errors.Join(err, now.close())
		}
	}()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.seq != seq {
		now = db.snapshotNow()
		if out, ok, err = p.conditions.DecideAgain(ctx, now.moment); !ok || err != nil {
			return db.last, api.BatchStats{}, ok, err
		}
		b.dropped, b.evicted = out.Dropped, out.Evicted
	}
	if len(out.Kept) == 0 {
		return db.last, api.BatchStats{Dropped: len(out.Dropped)}, true, nil
	}
	ticket, stats, err := db.commitNow(p.by(out))
	stats.Dropped = len(out.Dropped)
	return ticket, stats, true, err
}

// show says what kept the put of a batch out, if that is asked for.
func (b *Batch) show(ctx context.Context, m *view.Moment, out condition.Outcome) error {
	if b.shared == nil {
		return nil
	}
	return showShared(ctx, m, b.ops[0].doc, out, b.shared)
}

// by is the batch as its conditions leave it.
func (p prepared) by(out condition.Outcome) prepared {
	p.superseded = out.Superseded
	if len(out.Kept) == len(p.ops) && len(out.Deleted) == 0 {
		return p
	}
	ops, encoded := make([]operation, 0, len(out.Kept)+len(out.Deleted)), make([]byte, 0, len(p.record))
	for _, i := range out.Kept {
		begin := 0
		if i > 0 {
			begin = p.ops[i-1].end
		}
		ops, encoded = append(ops, p.ops[i]), append(encoded, p.record[begin:p.ops[i].end]...)
	}
	for _, d := range out.Deleted {
		o := operation{Operation: record.Operation{Kind: record.OpDelete, Name: d.ID}}
		o.of(p.ops[d.Op].c)
		ops, encoded = append(ops, o), o.Encode(encoded)
	}
	p.ops, p.record = ops, encoded
	return p
}

// onceDurable returns an error that tells of what is stored, once that survives a crash.
func (db *DB) onceDurable(ctx context.Context, last wal.Ticket, err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(db.isDurable(ctx, last), err)
}
