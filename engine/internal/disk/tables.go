package disk

// Pebble's caches, of one store or shared by many.

import (
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/host"
)

// openTables returns the maximum number of open tables: 512, or a quarter of the files that the
// process may open if that is less.
func openTables() int { return int(max(min(512, host.OpenFiles()/4), 16)) }

// Tables are the cached blocks and open files of Pebble's tables, for one store or shared by
// several. They exist, with one goroutine per core, while at least one store is open. The zero
// value is ready for use. Safe for concurrent use.
type Tables struct {
	mu     sync.Mutex
	stores int
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// acquire returns the caches for a store that opens Pebble. The block cache has room for all
// memtables that may await a flush, which Pebble charges to it. Usually few do, and the rest
// serves filters and indexes, without which every look-up reads the disk. Hot sets have a cache
// of their own.
func (t *Tables) acquire(memTableBytes int64) (*pebble.Cache, *pebble.FileCache) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stores == 0 {
		t.blocks, t.files = pebble.NewCache(maxUnflushed*memTableBytes), pebble.NewFileCache(runtime.GOMAXPROCS(0), openTables())
	}
	t.stores++
	return t.blocks, t.files
}

// release releases the caches after Pebble was closed.
func (t *Tables) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stores--; t.stores == 0 {
		t.files.Unref()
		t.blocks.Unref()
		t.blocks, t.files = nil, nil
	}
}

// closePebble closes Pebble, if open, and releases the caches.
func (s *Store) closePebble() error {
	if s.pebble == nil {
		return nil
	}
	renew := s.needsManifest()
	err := s.pebble.Close()
	s.pebble = nil
	s.opts.Tables.release()
	switch dir := s.File(pebbleName); {
	case err != nil || s.opts.ReadOnly || s.Poisoned() != nil:
	case renew:
		err = s.renewManifest(dir)
	default:
		err = s.removeManifests(dir)
	}
	return err
}
