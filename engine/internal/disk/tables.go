package disk

// What Pebble keeps of tables in memory: of one store, or of all that share it.

import (
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// openTables is how many tables stay open.
const openTables = 512

// Tables are the blocks of tables that were read, and the tables that are open. They are
// there as long as a store has them; their goroutines too, one for each core. The zero
// value is ready for use.
type Tables struct {
	mu     sync.Mutex
	stores int
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// take is called by a store that is opened. All memtables that may wait have room in the
// blocks: Pebble takes them out of these. Mostly few wait. The rest is for filters and
// indexes, without which every look-up reads the disk. Hot sets have a cache of their own.
func (t *Tables) take(memTableBytes int64) (*pebble.Cache, *pebble.FileCache) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stores == 0 {
		t.blocks, t.files = pebble.NewCache(maxUnflushed*memTableBytes), pebble.NewFileCache(runtime.GOMAXPROCS(0), openTables)
	}
	t.stores++
	return t.blocks, t.files
}

// give is called by a store that took them, once Pebble is closed.
func (t *Tables) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stores--; t.stores == 0 {
		t.files.Unref()
		t.blocks.Unref()
		t.blocks, t.files = nil, nil
	}
}

// Sleep closes Pebble, when everything is flushed and nobody uses it, and Wake opens it again. Log,
// lock and STATE stay as they are: a crash meanwhile is one at any other time.
func (s *Store) Sleep() {
	if err := s.closePebble(); err != nil { // everything is flushed, and it is closed all the same
		s.opts.Logger.Error("falling asleep", "error", err)
	}
}

// Wake opens Pebble after Sleep.
func (s *Store) Wake() (err error) {
	if err := s.Poisoned(); err != nil {
		return err
	}
	s.pebble, err = s.openPebble(s.File(pebbleName))
	return err
}

// closePebble closes Pebble, if it is open, and gives the tables back.
func (s *Store) closePebble() error {
	if s.pebble == nil {
		return nil
	}
	renew := s.wantsManifest()
	err := s.pebble.Close()
	s.pebble = nil
	s.opts.Tables.give()
	if err == nil && renew {
		err = s.renewManifest(s.File(pebbleName))
	}
	return err
}
