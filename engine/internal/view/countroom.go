package view

// Room for cached counts of shingles. All counts of the stores that share a Memory share it.

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// countRoom bounds cached counts to half of the memory setting. A larger count stands alone.
type countRoom struct {
	bytes  int64
	making *semaphore.Weighted // of weight 1: counting takes memory too

	mu   sync.Mutex
	held []*heldCount // the latest used last
}

// heldCount is a cached count.
type heldCount struct {
	bytes int64  // guarded by countRoom.mu
	drop  func() // removes the count from its cache
}

// newCountRoom returns an empty room.
func newCountRoom(memoryBytes int64) countRoom {
	return countRoom{bytes: memoryBytes / 2, making: semaphore.NewWeighted(1)}
}

// make runs count, alone, after dropping counts for a new one of the usual largest size.
func (r *countRoom) make(ctx context.Context, h *heldCount, count func() error) error {
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

// use notes the size of a count at its use, and drops the least recently used of the others until
// all fit. The caller must not hold the locks that drop takes.
func (r *countRoom) use(h *heldCount, bytes int64) {
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

// release forgets a count.
func (r *countRoom) release(h *heldCount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = slices.DeleteFunc(r.held, func(x *heldCount) bool { return x == h })
}
