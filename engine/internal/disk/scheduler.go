package disk

// When Pebble may compact: whenever fewer compactions run than it allows itself.
// Pebble's own scheduler does the same, but its goroutine outlives an Open that fails.

import (
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/worker"
)

// scheduler is also the handle of each compaction that it grants: it need only be
// counted. What Pebble allows itself is one compaction at any time (openPebble), so a grant
// becomes possible only where one has ended, and nothing has to be looked at now and then.
type scheduler struct {
	db     pebble.DBForCompaction
	grants *worker.Worker // grants what Pebble waits for

	mu      sync.Mutex
	running int  // granted, not done
	ended   bool // by Unregister
}

func newScheduler() *scheduler {
	s := &scheduler{}
	s.grants = worker.New(s.grantAll)
	return s
}

// Register is told the DB while it opens. Grants begin when that has succeeded.
func (s *scheduler) Register(_ int, db pebble.DBForCompaction) { s.db = db }

// grantAll grants what Pebble waits for.
func (s *scheduler) grantAll() {
	for s.grant() {
	}
}

// grant lets a compaction begin that Pebble waits for, and reports whether to try again.
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

// schedule lets Pebble begin what it waits for. Pebble 2.1 panics, before it changes
// anything, where it has picked a manual compaction that was cancelled since: by its
// context, or because one beside it failed. It picks another one when it is asked again.
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

// take counts one more compaction, if Pebble allows it.
func (s *scheduler) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.running >= s.db.GetAllowedWithoutPermission() {
		return false
	}
	s.running++
	return true
}

func (s *scheduler) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// Unregister is called by Close of a DB that is open.
func (s *scheduler) Unregister() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.grants.Stop()
}

// TrySchedule grants a compaction at once, or later. It may refuse one only because the
// worker has just counted one for itself, to find that Pebble waits for none: so the worker
// looks once more.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if s.take() {
		return true, s
	}
	s.grants.Wake()
	return false, nil
}

// UpdateGetAllowedWithoutPermission says that Pebble may allow itself more.
func (s *scheduler) UpdateGetAllowedWithoutPermission() { s.grants.Wake() }

// Done says that a compaction has ended, so that another may begin.
func (s *scheduler) Done() {
	s.give()
	s.grants.Wake()
}

func (*scheduler) Started()                                          {}
func (*scheduler) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (*scheduler) CumulativeStats(pebble.CompactionGrantHandleStats) {}
