package engine

// What many stores of one process have together, each of them small: one a tenant, say
// (docs/decisions/0066).

import (
	"cmp"
	"container/list"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/view"
)

// Shared is what stores of one process have together, where it has many small ones: each is
// opened with the same Options.Shared. They share the caches of decoded sets, of blocks and of
// open files, the memory for the analysis of texts, and as many builders of indexes as there
// are cores. Of those that rest all but a few sleep: everything is written and little of them
// is in memory; the next call wakes such a store. The zero value is ready for use. What it holds goes with the last store; it
// need not be closed. It must not be copied, and its fields not changed, once a store has it.
type Shared struct {
	CacheBytes  int64 // memory for decoded sets of all stores; 0 means 36 MiB
	MemoryBytes int64 // memory for one import, build, join or recovery, roughly, and for all texts that are analysed at once; 0 means 256 MiB
	Awake       int   // how many stores may rest and be awake; 0 means 64, negative means none

	once     sync.Once
	memory   *view.Memory
	tables   disk.Tables
	builders *semaphore.Weighted // for as many as may build at once

	mu      sync.Mutex // guards the rest, and db.nap of each store
	awake   int
	resting list.List // of *DB: awake and without users, first the one that has rested longest
}

// nap is what Shared knows of a store.
type nap struct {
	users    int           // calls and snapshots that need Pebble
	asleep   bool          // Pebble is closed
	changing chan struct{} // not nil while it falls asleep or wakes up; closed when it has
	resting  *list.Element
}

// begin is called by each store that is opened with it.
func (s *Shared) begin(o *Options) {
	s.once.Do(func() {
		s.memory = view.NewMemory(o.CacheBytes, o.MemoryBytes)
		s.builders = semaphore.NewWeighted(int64(host.Workers()))
	})
}

// arrive counts a store in that has been opened.
func (s *Shared) arrive(db *DB) {
	s.mu.Lock()
	s.awake++
	db.nap.users = 1
	s.mu.Unlock()
	s.unuse(db)
}

// depart counts a store out that no one uses any more, and reports whether it sleeps.
func (s *Shared) depart(db *DB) (asleep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled(&db.nap)
	s.rouse(&db.nap)
	if !db.nap.asleep {
		s.awake--
	}
	return db.nap.asleep
}

// use wakes a store if it sleeps, and keeps it awake until unuse.
func (s *Shared) use(db *DB) error {
	n := &db.nap
	s.mu.Lock()
	s.settled(n)
	n.users++
	s.rouse(n)
	if !n.asleep {
		s.mu.Unlock()
		return nil
	}
	s.awake++
	err := s.change(n, false, db.disk.Wake)
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

// unuse lets a store rest, if no one else uses it.
func (s *Shared) unuse(db *DB) {
	n := &db.nap
	s.mu.Lock()
	if n.users--; n.users == 0 {
		n.resting = s.resting.PushBack(db)
	}
	s.mu.Unlock()
	s.trim()
}

// trim puts stores to sleep while too many are awake. One that cannot be written stays
// awake, and is tried again in its turn.
func (s *Shared) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.awake > cmp.Or(s.Awake, 64) && s.resting.Len() > 0 {
		db := s.resting.Front().Value.(*DB)
		n := &db.nap
		s.rouse(n)
		s.awake--
		if err := s.change(n, true, db.sleep); err != nil {
			s.awake++
			n.resting = s.resting.PushBack(db)
			return
		}
	}
}

// change lets a store fall asleep or wake up, without s.mu; other calls of it wait.
func (s *Shared) change(n *nap, asleep bool, change func() error) error {
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

// settled waits, without s.mu, until a store is awake or asleep.
func (s *Shared) settled(n *nap) {
	for n.changing != nil {
		changed := n.changing
		s.mu.Unlock()
		<-changed
		s.mu.Lock()
	}
}

// rouse takes a store from those that rest.
func (s *Shared) rouse(n *nap) {
	if n.resting != nil {
		s.resting.Remove(n.resting)
		n.resting = nil
	}
}

// Stores of many that rest: Pebble, which takes goroutines and memory, is closed until the
// next call. What is in memory of the collections stays.

// use keeps Pebble open until unuse. Every call of the store does so, and each snapshot of a
// caller.

func (db *DB) use() error {
	if db.opts.sleeps() {
		return db.opts.Shared.use(db)
	}
	return nil
}

func (db *DB) unuse() {
	if db.opts.sleeps() {
		db.opts.Shared.unuse(db)
	}
}

// sleeps says whether the store may sleep. One that is only read keeps the files of a moment
// open, and has in memory what others would have to write.
func (o *Options) sleeps() bool { return o.Shared != nil && !o.ReadOnly }

// sleep writes what Close would, drops what can be made anew, and closes Pebble. No one uses the store.
func (db *DB) sleep() error {
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	db.dozing.Store(true) // the flush must not wake the builder, which would wake the store
	defer db.dozing.Store(false)
	if err := db.settle(); err != nil {
		return err
	}
	for s := range db.openSnapshots() { // that a panic has left behind
		if err := s.close(); err != nil {
			db.opts.Logger.Error("closing a snapshot", "error", err)
		}
	}
	db.shared.Forget()
	db.shared.Counting.Remove()
	db.disk.Sleep()
	return nil
}

// advanced is told of each flush that ended.
func (db *DB) advanced() {
	if !db.dozing.Load() {
		db.wakeBuilder()
	}
}
