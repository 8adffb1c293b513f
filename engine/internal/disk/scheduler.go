package disk

// When Pebble may compact: whenever fewer compactions run than it allows itself.
// Pebble's own scheduler does the same, but its goroutine outlives an Open that fails.

import (
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// grantPause is how often what Pebble allows itself is looked at.
const grantPause = 100 * time.Millisecond

// scheduler is also the handle of each compaction that it grants: it need only be
// counted.
type scheduler struct {
	db   pebble.DBForCompaction
	poke chan struct{} // a compaction may be possible
	stop chan struct{} // closed to end run
	done chan struct{} // closed when run has ended

	mu      sync.Mutex
	running int // granted, not done
}

func newScheduler() *scheduler {
	return &scheduler{poke: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
}

// Register is told the DB while it opens. run begins when that has succeeded.
func (s *scheduler) Register(_ int, db pebble.DBForCompaction) { s.db = db }

// run grants what Pebble waits for, until Unregister.
func (s *scheduler) run() {
	defer close(s.done)
	tick := time.NewTicker(grantPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.poke:
		case <-s.stop:
			return
		}
		for s.grant() {
		}
	}
}

// grant lets a compaction begin that Pebble waits for, and reports whether there was one.
func (s *scheduler) grant() bool {
	if !s.take() {
		return false
	}
	if s.schedule() {
		return true
	}
	s.give()
	return false
}

// schedule lets Pebble begin what it waits for. Pebble 2.1 panics, before it changes
// anything, where it has picked a manual compaction that was cancelled since: by its
// context, or because one beside it failed. It picks another one the next time.
func (s *scheduler) schedule() (begun bool) {
	defer func() {
		if r := recover(); r != nil {
			if err, ok := r.(error); !ok || !strings.Contains(err.Error(), "did not find manual compaction") {
				panic(r)
			}
		}
	}()
	waiting, _ := s.db.GetWaitingCompaction()
	return waiting && s.db.Schedule(s)
}

// take counts one more compaction, if Pebble allows it.
func (s *scheduler) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running >= s.db.GetAllowedWithoutPermission() {
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
	close(s.stop)
	<-s.done
}

// TrySchedule grants a compaction at once, or later.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	select {
	case <-s.stop:
		return false, nil
	default:
	}
	return s.take(), s
}

// UpdateGetAllowedWithoutPermission says that Pebble may allow itself more.
func (s *scheduler) UpdateGetAllowedWithoutPermission() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// Done says that a compaction has ended, so that another may begin.
func (s *scheduler) Done() {
	s.give()
	s.UpdateGetAllowedWithoutPermission()
}

func (*scheduler) Started()                                          {}
func (*scheduler) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (*scheduler) CumulativeStats(pebble.CompactionGrantHandleStats) {}
