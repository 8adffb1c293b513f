package disk

// How far Pebble is behind, and how others wait until it has got on. Pebble's own ways
// to hold writers back know no context, and wait for ever on a flush that keeps
// failing: they are switched off.

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// maxUnflushed, in memtables, is what may wait to be flushed.
	maxUnflushed = 4
	// maxSublevels is how deep Pebble's first level may be; every one costs
	// every read.
	maxSublevels = 20
	// never is a limit that is not reached.
	never = 1 << 20
)

// pressure is what is known of the work that Pebble still has to do.
type pressure struct {
	advanced  signal       // the builder, a flush or a compaction got on
	unflushed atomic.Int64 // bytes applied and not flushed, about
	changed   atomic.Bool  // Pebble's levels, since sublevels was set
	sublevels atomic.Int32 // of Pebble's first level
}

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

// Advance wakes those who wait for work to get on.
func (s *Store) Advance() { s.pressure.advanced.broadcast() }

// Advancing returns a channel that is closed when work has got on.
func (s *Store) Advancing() <-chan struct{} { return s.pressure.advanced.next() }

// Full says whether more is applied and not flushed than should be.
func (s *Store) Full() bool { return s.pressure.unflushed.Load() > maxUnflushed*s.opts.MemTableBytes }

// Behind says whether a writer should wait for Pebble.
func (s *Store) Behind() bool {
	p := &s.pressure
	if s.Full() {
		// The count says when to look; only Pebble knows, and if nothing waits
		// to be flushed no flush will come to correct it.
		if s.pebble.Metrics().MemTable.Count > maxUnflushed {
			return true
		}
		p.unflushed.Store(0)
	}
	if p.changed.Swap(false) {
		p.sublevels.Store(s.pebble.Metrics().Levels[0].Sublevels)
	}
	return p.sublevels.Load() > maxSublevels
}

// flushed and compacted are told by Pebble, which may hold its own mutex.
func (s *Store) flushed(i pebble.FlushInfo) {
	p := &s.pressure
	if i.Err == nil {
		for { // what was counted is less than what memtables take
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

func (s *Store) compacted(pebble.CompactionInfo) {
	s.pressure.changed.Store(true)
	s.pressure.advanced.broadcast()
}
