package engine

import (
	"github.com/dgraph-io/ristretto/v2"

	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// cache keeps what is dear to make again: decoded sets. It may drop any entry at
// any time; only speed depends on it. Set numbers are never used twice, so no
// entry goes stale.
type cache struct {
	bags  *ristretto.Cache[uint64, shingle.Bag]
	words *ristretto.Cache[uint64, measure.Vector]
}

func newCache(bytes int64) (c cache, err error) {
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

func (c cache) close() {
	c.bags.Close()
	c.words.Close()
}

func bagKey(c *collection, set uint32) uint64 { return uint64(c.number)<<32 | uint64(set) }
