package join

import (
	"math/rand/v2"
	"testing"
)

// Numbers are tied exactly if chains of unions connect them, whatever their order, and the
// root of a group is its least number.
func TestUnionFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(40)
		u := NewUnionFind(uint32(n / 2))
		for len(u) < n {
			u.Grow()
		}
		root := make([]int, n) // the least number of each number's group, by definition
		for i := range root {
			root[i] = i
		}
		for range rng.IntN(2 * n) {
			a, b := rng.IntN(n), rng.IntN(n)
			if tied := u.Union(uint32(a), uint32(b)); tied != (root[a] != root[b]) {
				t.Fatalf("Union(%d, %d) = %v", a, b, tied)
			}
			least, other := min(root[a], root[b]), max(root[a], root[b])
			for i := range root {
				if root[i] == other {
					root[i] = least
				}
			}
			for i := range root {
				if got := u.Find(uint32(i)); got != uint32(root[i]) {
					t.Fatalf("Find(%d) = %d, want %d", i, got, root[i])
				}
			}
		}
	}
}
