package view

// Room for cached tables: counts of shingles, and postings of tails. The stores that share a Memory
// share its rooms.

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// tableRoom bounds cached tables to so many bytes. A larger table stands alone.
type tableRoom struct {
	bytes  int64
	making *semaphore.Weighted // of weight 1: counting takes memory too

	mu   sync.Mutex
	held []*heldTable // the latest used last
}

// heldTable is a cached table.
type heldTable struct {
	bytes int64  // guarded by tableRoom.mu
	drop  func() // removes the table from its cache
}

// newTableRoom returns an empty room.
func newTableRoom(bytes int64) tableRoom {
	return tableRoom{bytes: bytes, making: semaphore.NewWeighted(1)}
}

// make runs count, alone, after dropping counts for a new one of the usual largest size.
func (r *tableRoom) make(ctx context.Context, h *heldTable, count func() error) error {
	if err := r.making.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.making.Release(1)
	r.use(h, r.bytes/2)
	err := count()
	if err != nil {
		r.release(h)
	}
	return err
}

// use notes the size of a table at its use, and drops the least recently used of the others until
// all fit. The caller must not hold the locks that drop takes.
func (r *tableRoom) use(h *heldTable, bytes int64) {
	r.release(h)
	r.mu.Lock()
	h.bytes = bytes
	r.held = append(r.held, h)
	total, n := int64(0), len(r.held)-1
	for total += bytes; n > 0 && total+r.held[n-1].bytes <= r.bytes; n-- {
		total += r.held[n-1].bytes
	}
	dropped := slices.Clone(r.held[:n])
	r.held = slices.Delete(r.held, 0, n)
	r.mu.Unlock()
	for _, d := range dropped {
		d.drop()
	}
}

// release forgets a table.
func (r *tableRoom) release(h *heldTable) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = slices.DeleteFunc(r.held, func(x *heldTable) bool { return x == h })
}
