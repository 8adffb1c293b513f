package view

// Caches of values that are expensive to recompute. Only speed depends on them.

import (
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
)

// cache keeps values up to about a given total of bytes, and may drop any value at any time.
// Before the first value it takes no memory and runs no goroutine, because a process may hold
// thousands of idle stores.
type cache[V any] struct {
	bytes int64

	mu   sync.Mutex // guards creation and closing of the field of
	of   atomic.Pointer[ristretto.Cache[uint64, cached[V]]]
	shut bool // until the next store opens

	hits, misses atomic.Int64
}

// cacheKey identifies a set of a collection of a store. Set numbers are never reused, so no value
// becomes stale.
type cacheKey struct{ store, collection, set uint32 }

// cached is a value with its whole key: the library compares only 64 bits of it.
type cached[V any] struct {
	key   cacheKey
	value V
}

// entryBytes is the assumed size of a value. It sizes the access counters of the library.
const entryBytes = 4 << 10

// newCache returns an empty cache for so many bytes.
func newCache[V any](bytes int64) *cache[V] { return &cache[V]{bytes: bytes} }

// short hashes the key to 64 bits. Collisions are harmless, since get compares the whole key.
func (k cacheKey) short() uint64 {
	return uint64(k.collection)<<32 ^ uint64(k.set) ^ uint64(k.store)*0x9e3779b97f4a7c15
}

// get returns the value of a key, if the cache still has it.
func (c *cache[V]) get(k cacheKey) (v V, ok bool) {
	if of := c.of.Load(); of != nil {
		if e, found := of.Get(k.short()); found && e.key == k {
			c.hits.Add(1)
			return e.value, true
		}
	}
	c.misses.Add(1)
	return v, false
}

// set offers a value of so many bytes; the cache may reject it.
func (c *cache[V]) set(k cacheKey, value V, bytes int64) {
	of := c.of.Load()
	if of == nil {
		if of = c.make(); of == nil {
			return
		}
	}
	of.Set(k.short(), cached[V]{k, value}, bytes)
}

// make creates the cache on first use; nil if it is shut or creation fails.
func (c *cache[V]) make() *ristretto.Cache[uint64, cached[V]] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.of.Load(); of != nil || c.shut {
		return of
	}
	of, err := ristretto.NewCache(&ristretto.Config[uint64, cached[V]]{
		MaxCost:     max(c.bytes, 1<<10),
		NumCounters: max(1000, 10*c.bytes/entryBytes),
		BufferItems: 64,
	})
	if err != nil {
		return nil // slower, but correct
	}
	c.of.Store(of)
	return of
}

// open allows creation again.
func (c *cache[V]) open() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = false
}

// close drops all values and ends the goroutines of the library. No other call may be in progress,
// because the library does not allow a concurrent close.
func (c *cache[V]) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	if of := c.of.Swap(nil); of != nil {
		of.Close()
	}
}

// lookups returns the numbers of successful and failed look-ups.
func (c *cache[V]) lookups() (hits, misses int64) { return c.hits.Load(), c.misses.Load() }
