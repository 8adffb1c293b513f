package view

// Caches of what is dear to make again. Only speed depends on them.

import (
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
)

// A cache keeps values that are dear to make again, of about so many bytes in all. It may
// drop any of them at any time. It takes no memory, and has no goroutine, before its first
// value: a process may have thousands of stores that rest.
type cache[V any] struct {
	bytes int64

	mu   sync.Mutex // guards the making and closing of of
	of   atomic.Pointer[ristretto.Cache[uint64, cached[V]]]
	shut bool // until the next store comes

	hits, misses atomic.Int64
}

// cacheKey names a set of a collection of a store. Numbers are never given twice, so no value goes
// stale.
type cacheKey struct{ store, collection, set uint32 }

// cached is a value with its whole key, of which the library sees 64 bits.
type cached[V any] struct {
	key   cacheKey
	value V
}

// entryBytes is about how large a value is: for so many of them the library counts how often
// each is asked for.
const entryBytes = 4 << 10

func newCache[V any](bytes int64) *cache[V] { return &cache[V]{bytes: bytes} }

func (k cacheKey) short() uint64 {
	return uint64(k.collection)<<32 ^ uint64(k.set) ^ uint64(k.store)*0x9e3779b97f4a7c15
}

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

// set keeps a value that takes so many bytes, if the cache will.
func (c *cache[V]) set(k cacheKey, value V, bytes int64) {
	of := c.of.Load()
	if of == nil {
		if of = c.make(); of == nil {
			return
		}
	}
	of.Set(k.short(), cached[V]{k, value}, bytes)
}

// make makes the cache; nil if it is closed, or cannot be made.
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
		return nil // it is only slower
	}
	c.of.Store(of)
	return of
}

func (c *cache[V]) open() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = false
}

// close drops all values, and ends the goroutine, once no call uses the cache any more: the
// library cannot be closed beside them.
func (c *cache[V]) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	if of := c.of.Swap(nil); of != nil {
		of.Close()
	}
}

// lookups counts what was asked for and was there, or was not.
func (c *cache[V]) lookups() (hits, misses int64) { return c.hits.Load(), c.misses.Load() }
