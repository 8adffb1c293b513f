package join

import (
	"context"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// These tests hold joins by signatures to their memory.

// likes returns a side of n sets with the same members, so many.
func likes(n uint32, members int) Side {
	var set shingle.Set
	for i := range members {
		set = append(set, uint64(i)*0x9e3779b97f4a7c15>>1)
	}
	var table index.Table
	for i := range n {
		table.Put(i, factsOf(shingle.Bag{Set: set, Total: uint64(members)}))
	}
	return Side{Sets: table.View()}
}

func TestSignedPortionsAreBounded(t *testing.T) {
	const n, memory = 2000, 1 << 20
	s := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 2), Sides: []Side{likes(n, 40)}, Signed: true}
	all, longest := 0, 0
	_, err := s.Pairs(context.Background(), 2, memory, func(pairs []Pair) error {
		all, longest = all+len(pairs), max(longest, len(pairs))
		return nil
	})
	if most := memory / 8 / bytesPerHanded; err != nil || all != n*(n-1)/2 || longest > most {
		t.Errorf("%d pairs, %v, the longest portion %d; want %d, and %d at most", all, err, longest, n*(n-1)/2, most)
	}
}

// A few large sets among many small ones count for the room that wide signatures take.
func TestWideSignaturesHaveRoom(t *testing.T) {
	var table index.Table
	for i := range uint32(5000) {
		size := measure.Size{Distinct: uint64(100 + 100*(i%2)), Total: 200}
		if i == 4321 {
			size = measure.Size{Distinct: 1 << 24, Total: 1 << 24}
		}
		table.Put(i, index.Facts{Size: size})
	}
	s := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 2), Sides: []Side{{Sets: table.View()}}}
	if _, wide := s.SignedNanos(8<<20, 0); wide != 0 {
		t.Errorf("signatures %d times as wide have room in 8 MiB", wide)
	}
	if _, wide := s.SignedNanos(64<<20, 0); wide == 0 {
		t.Error("wide signatures have no room in 64 MiB")
	}
}
