package disk

// What a flush has to make durable: a store that nothing was written to needs none.

import "sync"

// unsaved counts changes of Pebble, and those of them that a flush has made durable.
type unsaved struct {
	mu             sync.Mutex
	changes, saved int64
}

// note counts a change that has been made.
func (u *unsaved) note() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.changes++
}

// now returns how many changes there are, and whether some are unsaved.
func (u *unsaved) now() (changes int64, some bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.changes, u.changes > u.saved
}

// save notes that the first changes are durable.
func (u *unsaved) save(changes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.saved = max(u.saved, changes)
}
