// What tests in package engine_test use of the inside of a store.

package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// GroupSpaces are the key spaces of groupings.
var GroupSpaces = groupSpaces

// RenewOrder makes a new order of docs and all postings in it, as though the old one was stale.
func RenewOrder(ctx context.Context, db *DB) error {
	return db.eachBuild(ctx, func(b *build) error {
		if b.c.Name != api.DefaultCollection || b.old.Order == nil {
			return nil
		}
		return b.end(b.rebuild(ctx, b.v.Table.Len()))
	})
}

// RebuildWhile makes all postings anew, and calls the function before they are published.
func RebuildWhile(ctx context.Context, db *DB, written func() error) error {
	return db.eachBuild(ctx, func(b *build) error {
		err := b.rebuild(ctx, b.v.Table.Len())
		if err == nil {
			err = written()
		}
		return b.end(err)
	})
}

// PutAgain puts documents on no conditions, as Open does for texts that it reads again.
func PutAgain(db *DB, b *Batch) error { return db.putAgain(b) }

// Outdated returns the number of collections that were read with other Unicode tables.
func Outdated(db *DB) int { return len(db.outdated) }

// CommitUnsynced commits a batch and does not wait until the log is synced.
func CommitUnsynced(ctx context.Context, db *DB, b *Batch) error {
	p, err := db.prepare(ctx, b, 1000)
	if err == nil {
		_, _, err = db.commit(p)
	}
	return err
}

// DecideBefore decides the conditions of a batch, calls the function, and commits the batch.
// It returns how many documents fell at first, and whether that decision was committed.
func DecideBefore(ctx context.Context, db *DB, b *Batch, between func()) (falls int, committed bool, err error) {
	p, err := db.prepare(ctx, b, 1<<20)
	if err != nil {
		return 0, false, err
	}
	s := db.snapshot()
	out, err := p.conditions.Decide(ctx, s.view)
	if err = errors.Join(err, s.close()); err != nil {
		return 0, false, err
	}
	between()
	_, _, committed, err = db.commitDecided(ctx, b, p, out, s.seq)
	if err == nil && !committed {
		_, _, err = db.commitConditional(ctx, b, p)
	}
	return len(out.Falls), committed, err
}

// BuildGroups writes the groups of a grouping and does not make the grouping.
func BuildGroups(ctx context.Context, db *DB, s *Snapshot, g api.Grouping) error {
	c, err := db.collection(g.Collection)
	if err != nil {
		return err
	}
	return db.buildGroups(ctx, s, c, &groups.Grouping{Grouping: g, Of: c.Number, Number: 1, Space: 1})
}

// Asleep reports whether a store sleeps.
func Asleep(db *DB) bool {
	db.builder.worker.Wait() // a round of the builder wakes the store once more
	db.opts.Shared.mu.Lock()
	defer db.opts.Shared.mu.Unlock()
	return db.idle.asleep
}

// AwakeOf returns how many stores are awake, and how many of them rest.
func AwakeOf(s *Shared) (awake, resting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.awake, s.resting.Len()
}

// MemoryOf is the memory that stores share.
func MemoryOf(s *Shared) *view.Memory { return s.memory }

// Learn logs a dictionary of docs from one text.
func Learn(db *DB, text string) error {
	c, err := db.collection(api.DefaultCollection)
	if err != nil {
		return err
	}
	return db.learn(c, []string{text}, 1)
}

// EmptyLog flushes everything and empties the log.
func EmptyLog(ctx context.Context, db *DB) error { return db.freeLog(ctx) }

// GroupKeys counts the stored keys of groupings.
func GroupKeys(t *testing.T, db *DB) (n int) {
	t.Helper()
	for _, space := range groupSpaces {
		if err := disk.Scan(db.disk.Pebble(), keys.Of(space), func(_, _ []byte) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return n
}
