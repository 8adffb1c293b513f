package engine

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// Readers side by side see in each place its own page or none, and the cache
// stays within its budget.
func TestPageCache(t *testing.T) {
	c := &pageCache{budget: 100 * pageCost(make([]byte, 8))}
	table := make(pageTable, 300)
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 20000 {
				n := rng.IntN(len(table))
				if rng.IntN(2) == 0 {
					n /= 10
				}
				switch b := table.get(n); {
				case b == nil:
					page := make([]byte, 8)
					page[0], page[1] = byte(n), byte(n>>8)
					c.put(&table[n], page)
				case int(b[0])|int(b[1])<<8 != n:
					t.Errorf("seed %d: place %d has another's page", seed, n)
					return
				}
			}
		})
	}
	wg.Wait()
	held := int64(0)
	for i := range table {
		if p := table[i].Load(); p != nil {
			held += pageCost(p.data)
		}
	}
	if held != c.bytes || held > c.budget || held < c.budget/2 {
		t.Errorf("the places hold %d bytes, the cache counts %d of %d", held, c.bytes, c.budget)
	}
	c.clear()
	for i := range table {
		if table.get(i) != nil {
			t.Fatalf("place %d has a page after clear", i)
		}
	}
	c.put(&table[0], make([]byte, 1<<20)) // more than the budget
	if c.bytes != 0 || table.get(0) != nil {
		t.Errorf("a page larger than the budget stays")
	}
}

func BenchmarkPageCache(b *testing.B) {
	c := &pageCache{budget: 64 << 20}
	table := make(pageTable, 10000)
	for i := range table {
		c.put(&table[i], make([]byte, 4096))
	}
	i := 0
	for b.Loop() {
		i = (i + 7919) % len(table)
		if table.get(i) == nil {
			b.Fatal("lost")
		}
	}
}
