package view

// Caches of what is dear to make again. Only speed depends on them.

import (
	"github.com/dgraph-io/ristretto/v2"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// caches keep what is dear to make again: decoded sets. They may drop any entry at
// any time; only speed depends on it. Set numbers are never used twice, so no
// entry goes stale.
type caches struct {
	bags  *ristretto.Cache[uint64, shingle.Bag]
	words *ristretto.Cache[uint64, measure.Vector]
}

func newCaches(bytes int64) (c caches, err error) {
	if c.bags, err = newRistretto[shingle.Bag](bytes/3*2, 4<<10); err != nil {
		return c, err
	}
	if c.words, err = newRistretto[measure.Vector](bytes/3, 4<<10); err != nil {
		return c, err
	}
	return c, nil
}

// newRistretto makes a cache of so many bytes for entries of about that size.
func newRistretto[V any](bytes, entry int64) (*ristretto.Cache[uint64, V], error) {
	return ristretto.NewCache(&ristretto.Config[uint64, V]{
		MaxCost:     max(bytes, 1<<10),
		NumCounters: max(1000, 10*bytes/entry),
		BufferItems: 64,
		Metrics:     true,
	})
}

func (c caches) close() {
	c.bags.Close()
	c.words.Close()
}

// cacheKey is what a set of the collection has in a cache.
func (v *View) cacheKey(set uint32) uint64 { return uint64(v.Number)<<32 | uint64(set) }

// BagLookups counts the look-ups of bags in the cache.
func (s *Shared) BagLookups() (hits, misses int64) {
	m := s.caches.bags.Metrics
	return int64(m.Hits()), int64(m.Misses())
}
