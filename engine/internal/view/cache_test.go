package view

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// A cache gives what was set under a key or nothing, to many goroutines, and again after it
// was closed and opened.
func TestCache(t *testing.T) {
	c := newCache[int](1 << 20)
	for round := range uint64(3) {
		c.open()
		var wait sync.WaitGroup
		for g := range uint64(8) {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(g, round))
				for range 1000 {
					k := cacheKey{store: r.Uint32N(2), collection: r.Uint32N(2), set: r.Uint32N(60)}
					want := int(k.store*1000 + k.collection*100 + k.set)
					if r.IntN(2) == 0 {
						c.set(k, want, 100)
					} else if got, ok := c.get(k); ok && got != want {
						t.Errorf("goroutine %d: get(%v) = %d, want %d", g, k, got, want)
					}
				}
			})
		}
		wait.Wait()
		c.close()
		c.set(cacheKey{}, 1, 1)
		if _, ok := c.get(cacheKey{}); ok {
			t.Error("a closed cache has a value")
		}
	}
}

// Keys with equal 64 bits are told apart.
func TestCacheTellsKeysApart(t *testing.T) {
	c := newCache[int](1 << 20)
	defer c.close()
	const golden = 0x9e3779b97f4a7c15
	one := cacheKey{store: 1}
	other := cacheKey{collection: uint32(golden >> 32), set: uint32(golden & (1<<32 - 1))}
	if one.short() != other.short() {
		t.Fatal("the keys do not have equal bits")
	}
	c.set(one, 1, 1)
	c.of.Load().Wait()
	if v, ok := c.get(one); !ok || v != 1 {
		t.Errorf("get = %d, %v, want 1", v, ok)
	}
	if v, ok := c.get(other); ok {
		t.Errorf("get of another key = %d", v)
	}
	if hits, misses := c.lookups(); hits != 1 || misses != 1 {
		t.Errorf("%d hits and %d misses, want 1 and 1", hits, misses)
	}
}
