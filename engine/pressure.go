package engine

import (
	"context"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// maxTail, in segments, is how many sets may wait for postings. Without
	// them a search scans the tail's signatures, so it may grow, not without end.
	maxTail = 16
	// maxUnflushed, in memtables, is what may wait to be flushed.
	maxUnflushed = 4
	// maxSublevels is how deep Pebble's first level may be; every one costs
	// every read.
	maxSublevels = 20
	// never is a limit that is not reached: Pebble's own ways to hold writers
	// back know no context, and wait for ever on a flush that keeps failing.
	never = 1 << 20
)

// signal lets goroutines wait for the next broadcast.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// next returns a channel that the next broadcast closes.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// awaitRoom holds a writer back, before the commit mutex, while the builder or
// Pebble is far behind.
func (db *DB) awaitRoom(ctx context.Context) error { return db.await(ctx, db.behind) }

// awaitBuilt waits until no tail is long enough for a segment any more.
func (db *DB) awaitBuilt(ctx context.Context) error { return db.await(ctx, db.unbuilt) }

// await lets the builder work until the condition is over.
func (db *DB) await(ctx context.Context, while func() bool) error {
	for {
		advanced := db.advanced.next()
		if err := db.poisoned(); err != nil {
			return err
		}
		if !while() {
			return nil
		}
		db.wakeBuilder()
		select {
		case <-advanced:
		case <-db.failed:
		case <-ctx.Done():
			return ctx.Err()
		case <-db.ctx.Done():
			return ErrClosed
		}
	}
}

// unbuilt says whether some tail should become a segment, and the builder can.
func (db *DB) unbuilt() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if db.tailIsLong(c) {
			return db.buildErr == nil
		}
	}
	return false
}

// behind says whether a writer should wait.
func (db *DB) behind() bool {
	if db.unflushed.Load() > maxUnflushed*db.opts.memTableBytes {
		// The count says when to look; only Pebble knows, and if nothing waits
		// to be flushed no flush will come to correct it.
		if db.pebble.Metrics().MemTable.Count > maxUnflushed {
			return true
		}
		db.unflushed.Store(0)
	}
	if db.changed.Swap(false) {
		db.sublevels.Store(db.pebble.Metrics().Levels[0].Sublevels)
	}
	if db.sublevels.Load() > maxSublevels {
		return true
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.tail > maxTail*int64(c.cut(db.opts.segmentSets)) && db.buildErr == nil {
			return true
		}
	}
	return false
}

// bagsWait says whether a load should wait for the segment that is being made of
// a tail, which gives room to the bags of its texts, rather than have them read
// again. Where all texts are read for a new order, or loads are tidied up after,
// it does not wait.
func (db *DB) bagsWait() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := db.extending
	return c != nil && !c.kept.texts() && c.fresh.fill(7, 8, c.freshBudget(db.opts.MemoryBytes))
}

// flushed and compacted are told by Pebble, which may hold its own mutex.
func (db *DB) flushed(i pebble.FlushInfo) {
	if i.Err == nil {
		for { // what was counted is less than what memtables take
			n := db.unflushed.Load()
			if db.unflushed.CompareAndSwap(n, max(0, n-int64(i.InputBytes))) {
				break
			}
		}
	}
	db.changed.Store(true)
	db.advanced.broadcast()
	db.wakeBuilder()
}

func (db *DB) compacted(pebble.CompactionInfo) {
	db.changed.Store(true)
	db.advanced.broadcast()
}

// flush makes everything applied durable. Pebble would wait for ever on a disk
// that fails.
func (db *DB) flush(ctx context.Context) error {
	if err := db.poisoned(); err != nil {
		return err
	}
	done, err := db.pebble.AsyncFlush()
	if err != nil {
		return storeError(err)
	}
	select {
	case <-done:
		return db.poisoned()
	case <-db.failed:
		return db.poisoned()
	case <-ctx.Done():
		return ctx.Err()
	}
}
