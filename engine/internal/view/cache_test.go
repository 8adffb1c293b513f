package view

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// checkShards compares the lists of a cache with its maps and its counts.
func checkShards(t *testing.T, c *cache[int]) {
	t.Helper()
	for i := range c.shards {
		s := &c.shards[i]
		n, bytes, hand := 0, int64(0), s.hand == nil
		var older *cached[int]
		for e := s.oldest; e != nil; older, e = e, e.newer {
			if n++; e.older != older || s.values[e.key] != e {
				t.Fatalf("shard %d: value %v is linked wrongly", i, e.key)
			}
			bytes, hand = bytes+e.bytes, hand || e == s.hand
		}
		if n != len(s.values) || bytes != s.bytes || older != s.newest || !hand || bytes > s.most {
			t.Fatalf("shard %d: a list of %d values, %d bytes; the map has %d, counted are %d of %d; hand in the list %v",
				i, n, bytes, len(s.values), s.bytes, s.most, hand)
		}
	}
}

// A cache gives what was set under a key, keeps within its bytes, and is a list whatever
// is asked of it.
func TestCache(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := newCache[int](10_000)
		if seed%2 == 1 {
			c = newCache[int](3 * shardBytes)
		}
		for range 3000 {
			k := cacheKey{store: r.Uint32N(2), collection: r.Uint32N(2), set: r.Uint32N(60)}
			want := int(k.store*1000 + k.collection*100 + k.set)
			if r.IntN(2) == 0 {
				c.set(k, want, r.Int64N(c.shards[0].most/8))
			} else if got, ok := c.get(k); ok && got != want {
				t.Fatalf("seed %d: get(%v) = %d, want %d", seed, k, got, want)
			}
		}
		checkShards(t, c)
	}
}

// What is asked for again and again outlives a scan of what is asked for once.
func TestCacheOutlivesScan(t *testing.T) {
	c := newCache[int](100 * (1 + cachedBytes))
	hot := func(i int) cacheKey { return cacheKey{set: uint32(i)} }
	for i := range 50 {
		c.set(hot(i), i, 1)
	}
	for i := range 2000 {
		c.get(hot(i % 50))
		c.set(cacheKey{store: 1, set: uint32(i)}, i, 1)
	}
	for i := range 50 {
		if _, ok := c.get(hot(i)); !ok {
			t.Errorf("value %d is gone, though it was asked for while others were scanned", i)
		}
	}
	checkShards(t, c)
}

func TestCacheKeepsNothingTooLarge(t *testing.T) {
	c := newCache[int](1000)
	c.set(cacheKey{set: 1}, 1, 1001)
	if _, ok := c.get(cacheKey{set: 1}); ok {
		t.Error("a value larger than the cache was kept")
	}
	if hits, misses := c.lookups(); hits != 0 || misses != 1 {
		t.Errorf("lookups() = %d, %d, want 0, 1", hits, misses)
	}
}

func TestCacheIsConcurrent(t *testing.T) {
	c := newCache[int](5_000)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 5000 {
				k := cacheKey{set: uint32(i*(g+1)) % 100}
				if got, ok := c.get(k); ok && got != int(k.set) {
					t.Errorf("get(%v) = %d", k, got)
				}
				c.set(k, int(k.set), 50)
			}
		})
	}
	wait.Wait()
	checkShards(t, c)
}
