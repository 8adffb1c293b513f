package view

// Memory for reading and analysis, of one store or shared by several.

import (
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Memory holds the caches of a store and the room for its work. Several stores may share one. It
// allocates on demand and is safe for concurrent use.
type Memory struct {
	bytes  int64 // budget of one search, join or build, approximate
	bags   *cache[shingle.Bag]
	words  *cache[measure.Vector]
	room   room
	counts tableRoom     // half of bytes
	tails  tableRoom     // an eighth of bytes
	stores atomic.Uint32 // stores that have ever used it

	mu    sync.Mutex
	users int // stores that use it now
}

// NewMemory returns memory with the given cache size and budget per call, in bytes.
func NewMemory(cacheBytes, memoryBytes int64) *Memory {
	return &Memory{
		bytes: memoryBytes, room: newRoom(memoryBytes), counts: newTableRoom(memoryBytes / 2), tails: newTableRoom(memoryBytes / 8),
		bags: newCache[shingle.Bag](cacheBytes / 3 * 2), words: newCache[measure.Vector](cacheBytes / 3),
	}
}

// begin registers a store.
func (m *Memory) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users++; m.users == 1 {
		m.bags.open()
		m.words.open()
	}
}

// end unregisters a store; the last one closes the caches and so ends their goroutines.
func (m *Memory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users == 0 {
		m.bags.close()
		m.words.close()
	}
}

// BagLookups returns the hits and misses of the bag cache.
func (m *Memory) BagLookups() (hits, misses int64) { return m.bags.lookups() }

// cacheKey returns the key of a set in the caches.
func (s *Shared) cacheKey(v *View, set uint32) cacheKey {
	return cacheKey{store: s.store, collection: v.Number, set: set}
}
