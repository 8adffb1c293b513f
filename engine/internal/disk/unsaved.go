package disk

// Counting unflushed changes: a store without any needs no flush.

import "sync"

// unsaved counts the changes of Pebble and the changes made durable by a flush. Safe for
// concurrent use.
type unsaved struct {
	mu             sync.Mutex
	changes, saved int64
}

// note counts a change, after it was made.
func (u *unsaved) note() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.changes++
}

// now returns the number of changes, and whether any is unsaved.
func (u *unsaved) now() (changes int64, some bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.changes, u.changes > u.saved
}

// save records a flush, which made as many changes durable as now returned before it.
func (u *unsaved) save(changes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.saved = max(u.saved, changes)
}
