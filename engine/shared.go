package engine

// Resources shared by many small stores of one process, one per tenant for example
// (docs/decisions/0066).

import (
	"cmp"
	"container/list"
	"fmt"
	"io/fs"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/view"
)

// Shared holds the resources that many small stores of one process share. Open each store
// with the same Options.Shared. The stores share:
//
//   - the caches of decoded sets, of blocks and of open files
//   - the memory for the analysis of texts
//   - index builders, as many as there are cores
//
// All but a few of the idle stores sleep: they are closed, and hold no file and no lock. The
// next call opens the store again. The zero value is ready to use. Shared needs no
// Close; the last store releases its resources. Do not copy it or change its fields once a
// store uses it.
type Shared struct {
	CacheBytes int64 // memory for decoded sets of all stores; 0 means 36 MiB

	// MemoryBytes is the approximate memory for one import, build, join or recovery, and for
	// all concurrent analyses of texts; 0 means the default of Options.MemoryBytes.
	MemoryBytes int64

	// Awake is the maximum number of idle stores that are awake. 0 means 64, or a sixteenth of the
	// files that the process may open if that is less: an idle store has about ten open files.
	// Negative means none.
	Awake int

	once     sync.Once
	memory   *view.Memory
	tables   disk.Tables
	builders *semaphore.Weighted // bounds concurrent builds

	mu      sync.Mutex // guards the fields below, and db.idle of each store
	awake   int
	resting list.List // of *DB: awake and unused, longest idle first
}

// idleState is the state of a store in Shared.
type idleState struct {
	users    int           // calls and snapshots that need the files
	asleep   bool          // the files are closed
	changing chan struct{} // not nil while the store falls asleep or wakes up; then closed
	resting  *list.Element
}

// begin initialises the resources with the options of the first store.
func (s *Shared) begin(o *Options) {
	s.once.Do(func() {
		s.memory = view.NewMemory(o.CacheBytes, o.MemoryBytes)
		s.builders = semaphore.NewWeighted(int64(host.Workers()))
	})
}

// arrive registers an opened store.
func (s *Shared) arrive(db *DB) {
	s.mu.Lock()
	s.awake++
	db.idle.users = 1
	s.mu.Unlock()
	s.unuse(db)
}

// depart removes an unused store, and reports whether it sleeps.
func (s *Shared) depart(db *DB) (asleep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaitChange(&db.idle)
	s.rouse(&db.idle)
	if !db.idle.asleep {
		s.awake--
	}
	return db.idle.asleep
}

// use wakes a store if it sleeps, and keeps it awake until unuse.
func (s *Shared) use(db *DB) error {
	n := &db.idle
	s.mu.Lock()
	s.awaitChange(n)
	n.users++
	s.rouse(n)
	if !n.asleep {
		s.mu.Unlock()
		return nil
	}
	s.awake++
	err := s.change(n, false, db.wakeUp)
	if err != nil {
		n.users--
		s.awake--
	}
	s.mu.Unlock()
	if err == nil {
		s.trim()
	}
	return err
}

// unuse ends a use. A store without users is idle.
func (s *Shared) unuse(db *DB) {
	n := &db.idle
	s.mu.Lock()
	if n.users--; n.users == 0 {
		n.resting = s.resting.PushBack(db)
	}
	s.mu.Unlock()
	s.trim()
}

// trim puts the longest idle stores to sleep while too many are awake. A store that fails
// to flush stays awake, and goes to the end of the list.
func (s *Shared) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.awake > cmp.Or(s.Awake, int(min(64, host.OpenFiles()/16))) && s.resting.Len() > 0 {
		db := s.resting.Front().Value.(*DB)
		n := &db.idle
		s.rouse(n)
		s.awake--
		if err := s.change(n, true, db.sleep); err != nil {
			s.awake++
			n.resting = s.resting.PushBack(db)
			return
		}
	}
}

// change runs a transition between asleep and awake without s.mu; other calls of the store
// wait for its end.
func (s *Shared) change(n *idleState, asleep bool, change func() error) error {
	n.changing = make(chan struct{})
	s.mu.Unlock()
	err := change()
	s.mu.Lock()
	if err == nil {
		n.asleep = asleep
	}
	close(n.changing)
	n.changing = nil
	return err
}

// awaitChange waits, without s.mu, for the end of a transition.
func (s *Shared) awaitChange(n *idleState) {
	for n.changing != nil {
		changed := n.changing
		s.mu.Unlock()
		<-changed
		s.mu.Lock()
	}
}

// rouse removes a store from the idle list.
func (s *Shared) rouse(n *idleState) {
	if n.resting != nil {
		s.resting.Remove(n.resting)
		n.resting = nil
	}
}

// Sleeping stores: closed like any other store, without files, lock and state in memory,
// until the next call.

// use keeps the store awake until unuse. Every call of the store uses it, and every snapshot of
// a caller.
func (db *DB) use() error {
	if db.opts.sleeps() {
		return db.opts.Shared.use(db)
	}
	return nil
}

// unuse ends a use of the store.
func (db *DB) unuse() {
	if db.opts.sleeps() {
		db.opts.Shared.unuse(db)
	}
}

// sleeps reports whether the store may sleep. A read-only store may not: it keeps the files
// of one moment open, and its recovered state in memory cannot be flushed.
func (o *Options) sleeps() bool { return o.Shared != nil && !o.ReadOnly }

// sleep closes the files of the store, and with them its lock. The caller ensures that the
// store is unused.
func (db *DB) sleep() error {
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	db.fallingAsleep.Store(true) // otherwise the flush would wake the builder, and the builder the store
	defer db.fallingAsleep.Store(false)
	if err := db.flushAndEmptyLog(); err != nil {
		return err
	}
	for s := range db.openSnapshots() { // left open by a panic
		if err := s.close(); err != nil {
			db.opts.Logger.Error("closing a snapshot", "error", err)
		}
	}
	db.shared.Forget()
	if err := db.detach(); err != nil { // everything is flushed
		db.opts.Logger.Error("falling asleep", "error", err)
	}
	return nil
}

// wakeUp opens the store again. Another process may have written it meanwhile: wakeUp reads
// its present state. It returns ErrLocked if another process has it open for writing, and
// fs.ErrNotExist if it is gone or another store has taken its place.
func (db *DB) wakeUp() error {
	path, uuid := db.disk.File(""), db.disk.UUID()
	db.opening.MustExist, db.opening.KeepLog = true, nil // after the first Open
	db.opts.OpenProgress = func(api.OpenProgress) {}
	err := db.attach(path)
	if err == nil && db.disk.UUID() != uuid {
		err = fmt.Errorf("another store is there now: %w", fs.ErrNotExist)
	}
	if err != nil {
		db.detach() // further errors are consequences of err
		return fmt.Errorf("open %s: %w", path, err)
	}
	db.disk.Opened()
	return nil
}

// advanced is called after each flush.
func (db *DB) advanced() {
	if !db.fallingAsleep.Load() {
		db.wakeBuilder()
	}
}
