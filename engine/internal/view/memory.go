package view

// Memory for reading and analysing: of one store, or of several together.

import (
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
}

// NewMemory returns memory with caches of so many bytes.
func NewMemory(cacheBytes, memoryBytes int64) *Memory {
	return &Memory{
		bytes: memoryBytes, room: newRoom(memoryBytes),
		bags: newCache[shingle.Bag](cacheBytes / 3 * 2), words: newCache[measure.Vector](cacheBytes / 3),
	}
}

// BagLookups counts the look-ups of bags in the cache.
func (m *Memory) BagLookups() (hits, misses int64) { return m.bags.lookups() }

// cacheKey is what a set of the collection has in a cache.
func (s *Shared) cacheKey(v *View, set uint32) cacheKey {
	return cacheKey{store: s.store, collection: v.Number, set: set}
}
