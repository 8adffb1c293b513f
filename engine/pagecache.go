package engine

import (
	"sync"
	"sync/atomic"
)

// pageCache keeps posting pages in memory, up to a budget. A page is found by
// its place: a pointer that its segment has for each of its pages. A search
// looks at hundreds, so that finding one must cost no more than the pointer; a
// cache with keys took longer than the look into the page. Pages that were not
// met since the hand last came by make room for others (CLOCK). Safe for
// concurrent use.
type pageCache struct {
	budget       int64
	hits, misses atomic.Int64

	mu    sync.Mutex
	bytes int64
	pages []*cachedPage // in a ring
	hand  int
}

// A pageTable has the places of a run's pages.
type pageTable []atomic.Pointer[cachedPage]

type cachedPage struct {
	data  []byte
	place *atomic.Pointer[cachedPage]
	met   atomic.Bool // since the hand came by
}

// get returns the page in a place of a table, nil if it is not in memory.
func (t pageTable) get(n int) []byte {
	p := t[n].Load()
	if p == nil {
		return nil
	}
	if !p.met.Load() { // a store for each look would pass its line between the cores
		p.met.Store(true)
	}
	return p.data
}

// put keeps a page, which must not be changed, in its place.
func (c *pageCache) put(place *atomic.Pointer[cachedPage], data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place.Load() != nil {
		return // another reader was faster
	}
	p := &cachedPage{data: data, place: place}
	place.Store(p)
	c.pages = append(c.pages, p)
	for c.bytes += pageCost(data); c.bytes > c.budget; {
		c.hand %= len(c.pages)
		old := c.pages[c.hand]
		if old.met.Swap(false) {
			c.hand++
			continue
		}
		old.place.Store(nil)
		c.bytes -= pageCost(old.data)
		c.pages[c.hand] = c.pages[len(c.pages)-1]
		c.pages = c.pages[:len(c.pages)-1]
	}
}

// pageCost is what a page takes with what is around it.
func pageCost(data []byte) int64 { return int64(cap(data)) + 64 }

// clear forgets all pages.
func (c *pageCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pages {
		p.place.Store(nil)
	}
	c.pages, c.bytes, c.hand = nil, 0, 0
}
