package view

// Memory for reading and analysing: of one store, or of several together.

import (
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Memory is what a store keeps of what is dear to make again, and the room for its work.
// Several stores may have it together. It takes memory as it is used.
type Memory struct {
	bytes  int64 // for one search, join or build, roughly
	bags   *cache[shingle.Bag]
	words  *cache[measure.Vector]
	room   room
	stores atomic.Uint32 // that had it so far

	mu    sync.Mutex
	users int // stores that have it now
}

// NewMemory returns memory with caches of so many bytes.
func NewMemory(cacheBytes, memoryBytes int64) *Memory {
	return &Memory{
		bytes: memoryBytes, room: newRoom(memoryBytes),
		bags: newCache[shingle.Bag](cacheBytes / 3 * 2), words: newCache[measure.Vector](cacheBytes / 3),
	}
}

// begin counts a store in, and end counts it out: the last one closes the caches.
func (m *Memory) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users++; m.users == 1 {
		m.bags.open()
		m.words.open()
	}
}

func (m *Memory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users == 0 {
		m.bags.close()
		m.words.close()
	}
}

// BagLookups counts the look-ups of bags in the cache.
func (m *Memory) BagLookups() (hits, misses int64) { return m.bags.lookups() }

// cacheKey is what a set of the collection has in a cache.
func (s *Shared) cacheKey(v *View, set uint32) cacheKey {
	return cacheKey{store: s.store, collection: v.Number, set: set}
}
