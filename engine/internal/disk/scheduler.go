package disk

// A compaction scheduler that grants whenever Pebble's own limit allows. Pebble's default does
// the same, but its goroutine outlives a failed Open.

import (
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/worker"
)

// scheduler is also the handle of each granted compaction, which it only counts. Pebble allows
// one compaction at a time (openPebble), so a grant can only become possible when a compaction
// ends, and the scheduler needs no timer. Safe for concurrent use.
type scheduler struct {
	db     pebble.DBForCompaction
	grants *worker.Worker // grants waiting compactions

	mu      sync.Mutex
	running int  // granted, not done
	ended   bool // by Unregister
}

// newScheduler returns a scheduler; its worker has not started.
func newScheduler() *scheduler {
	s := &scheduler{}
	s.grants = worker.New(s.grantAll)
	return s
}

// Register receives the DB while it opens. Grants begin after Open has succeeded.
func (s *scheduler) Register(_ int, db pebble.DBForCompaction) { s.db = db }

// grantAll grants until Pebble has no waiting compaction or the limit is reached.
func (s *scheduler) grantAll() {
	for s.grant() {
	}
}

// grant starts a waiting compaction, and reports whether to try again.
func (s *scheduler) grant() bool {
	if !s.take() {
		return false
	}
	begun, again := s.schedule()
	if !begun {
		s.give()
	}
	return begun || again
}

// schedule starts the compaction that Pebble waits for. If that is a manual compaction that was
// cancelled since, by its context or a failed sibling, Pebble 2.1 panics before it changes
// anything; a second call picks another compaction.
func (s *scheduler) schedule() (begun, again bool) {
	defer func() {
		if r := recover(); r != nil {
			if err, ok := r.(error); !ok || !strings.Contains(err.Error(), "did not find manual compaction") {
				panic(r)
			}
			again = true
		}
	}()
	waiting, _ := s.db.GetWaitingCompaction()
	return waiting && s.db.Schedule(s), false
}

// take counts one more running compaction, if Pebble's limit allows it.
func (s *scheduler) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.running >= s.db.GetAllowedWithoutPermission() {
		return false
	}
	s.running++
	return true
}

// give undoes a take.
func (s *scheduler) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// Unregister stops the grants. Close of an open DB calls it.
func (s *scheduler) Unregister() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.grants.Stop()
}

// TrySchedule grants a compaction if the limit allows. It may refuse one in vain while the
// worker holds a count before finding no waiting compaction, so it wakes the worker to look
// again.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if s.take() {
		return true, s
	}
	s.grants.Wake()
	return false, nil
}

// UpdateGetAllowedWithoutPermission signals that Pebble may have raised its limit.
func (s *scheduler) UpdateGetAllowedWithoutPermission() { s.grants.Wake() }

// Done ends a compaction and lets the next begin.
func (s *scheduler) Done() {
	s.give()
	s.grants.Wake()
}

func (*scheduler) Started()                                          {}
func (*scheduler) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (*scheduler) CumulativeStats(pebble.CompactionGrantHandleStats) {}
