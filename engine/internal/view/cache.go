package view

// Caches of what is dear to make again. Only speed depends on them.

import (
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/engine/internal/host"
)

// A cache keeps values that are dear to make again, of about so many bytes in all. It may
// drop any of them at any time. What it takes in memory grows with what it keeps, and it
// has no goroutine: a process may have thousands of stores that rest.
//
// It drops by SIEVE (Zhang et al., NSDI 2024): a hand goes from the oldest value to the
// newest and round again, spares those that were asked for since it came by, and drops the
// first that was not. So what a scan leaves behind goes soon, and a hit writes nothing but
// a mark.
type cache[V any] struct {
	shards []shard[V]
}

// cacheKey names a set of a collection of a store. Numbers are never given twice, so no value goes
// stale.
type cacheKey struct{ store, collection, set uint32 }

// shard is the part of a cache that one lock guards.
type shard[V any] struct {
	mu             sync.RWMutex
	values         map[cacheKey]*cached[V]
	newest, oldest *cached[V]
	hand           *cached[V] // what is looked at next; nil: the oldest
	bytes, most    int64

	hits, misses atomic.Int64
	_            [64]byte // so that two shards do not share a line of a core's cache
}

// cached is a value in the list of its shard.
type cached[V any] struct {
	key          cacheKey
	value        V
	bytes        int64
	asked        atomic.Bool // since the hand came by
	newer, older *cached[V]
}

// shardBytes is the least that is worth a lock of its own.
const shardBytes = 4 << 20

func newCache[V any](bytes int64) *cache[V] {
	n := max(1, min(int64(4*host.Workers()), bytes/shardBytes))
	c := &cache[V]{shards: make([]shard[V], n)}
	for i := range c.shards {
		c.shards[i].most = bytes / n
	}
	return c
}

// shard returns the one that has a key: neighbours lie apart.
func (c *cache[V]) shard(k cacheKey) *shard[V] {
	h := (uint64(k.store)<<48 ^ uint64(k.collection)<<32 ^ uint64(k.set)) * 0x9e3779b97f4a7c15
	return &c.shards[(h>>32)*uint64(len(c.shards))>>32]
}

func (c *cache[V]) get(k cacheKey) (v V, ok bool) {
	s := c.shard(k)
	s.mu.RLock()
	e := s.values[k]
	s.mu.RUnlock()
	if e == nil {
		s.misses.Add(1)
		return v, false
	}
	s.hits.Add(1)
	if !e.asked.Load() { // a mark that is there is not written again: other cores have it too
		e.asked.Store(true)
	}
	return e.value, true
}

// set keeps a value that takes so many bytes, unless it has one of that key or would have
// to drop all others for it.
func (c *cache[V]) set(k cacheKey, value V, bytes int64) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes += cachedBytes; s.values[k] != nil || bytes > s.most {
		return
	}
	for s.bytes+bytes > s.most {
		s.drop()
	}
	if s.values == nil {
		s.values = map[cacheKey]*cached[V]{}
	}
	e := &cached[V]{key: k, value: value, bytes: bytes, older: s.newest}
	if s.newest != nil {
		s.newest.newer = e
	} else {
		s.oldest = e
	}
	s.newest, s.values[k] = e, e
	s.bytes += bytes
}

// cachedBytes is about what a value takes beside its own bytes.
const cachedBytes = 128

// drop drops the first value from the hand on that nobody has asked for.
func (s *shard[V]) drop() {
	e := s.hand
	for e == nil || e.asked.Load() {
		if e == nil {
			e = s.oldest
		} else {
			e.asked.Store(false)
			e = e.newer
		}
	}
	s.hand = e.newer
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		s.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		s.newest = e.older
	}
	delete(s.values, e.key)
	s.bytes -= e.bytes
}

// lookups counts what was asked for and was there, or was not.
func (c *cache[V]) lookups() (hits, misses int64) {
	for i := range c.shards {
		hits += c.shards[i].hits.Load()
		misses += c.shards[i].misses.Load()
	}
	return hits, misses
}
