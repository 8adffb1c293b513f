package disk

// Backpressure: how far Pebble lags, and how writers wait for it. Pebble's own write stalls take
// no context and wait forever on a failing flush, so they are disabled.

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// maxUnflushed bounds the data that awaits a flush, as a number of memtables.
	maxUnflushed = 4
	// maxSublevels bounds the depth of Pebble's first level; each sublevel slows every read.
	maxSublevels = 20
	// never is an unreachable limit.
	never = 1 << 20
)

// pressure tracks the changes of Pebble and the work that it still has to do.
type pressure struct {
	unsaved   unsaved
	advanced  signal       // the builder, a flush or a compaction made progress
	stored    atomic.Int64 // bytes in tables when Pebble was opened, and applied since
	unflushed atomic.Int64 // bytes applied but not flushed, approximately
	changed   atomic.Bool  // Pebble's levels changed after sublevels was set
	sublevels atomic.Int32 // of Pebble's first level
}

// signal lets goroutines wait for the next broadcast. Safe for concurrent use.
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

// broadcast wakes all waiters.
func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// Advance wakes all goroutines that wait for progress.
func (s *Store) Advance() { s.pressure.advanced.broadcast() }

// Advancing returns a channel that closes at the next progress.
func (s *Store) Advancing() <-chan struct{} { return s.pressure.advanced.next() }

// Full reports whether too many bytes await a flush.
func (s *Store) Full() bool {
	return s.pressure.unflushed.Load() > maxUnflushed*s.opts.MemTableBytes
}

// Behind reports whether writers should wait for Pebble.
func (s *Store) Behind() bool {
	p := s.pressure
	if s.Full() {
		// The count only triggers the check of Pebble's metrics: if no memtable awaits a flush,
		// no flush will correct the count.
		if s.pebble.Metrics().MemTable.Count > maxUnflushed {
			return true
		}
		p.unflushed.Store(0)
	}
	if p.changed.Swap(false) {
		p.sublevels.Store(s.pebble.Metrics().Levels[0].Sublevels)
	}
	if p.sublevels.Load() <= maxSublevels {
		return false
	}
	return s.reserve.off || s.reserve.size.Load() > 0 // on a full disk a compaction may have to wait for deletions
}

// onFlush updates the pressure after a flush. Pebble calls onFlush and onCompaction, possibly with
// its own mutex held.
func (s *Store) onFlush(i pebble.FlushInfo) {
	p := s.pressure
	if i.Err == nil {
		for { // InputBytes may exceed the count, which lacks the overhead of memtables
			n := p.unflushed.Load()
			if p.unflushed.CompareAndSwap(n, max(0, n-int64(i.InputBytes))) {
				break
			}
		}
	}
	p.changed.Store(true)
	p.advanced.broadcast()
	if s.opts.Advanced != nil {
		s.opts.Advanced()
	}
}

// onCompaction updates the pressure after a compaction.
func (s *Store) onCompaction(pebble.CompactionInfo) {
	s.pressure.changed.Store(true)
	s.pressure.advanced.broadcast()
}
