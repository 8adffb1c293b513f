package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// Counts of bytes and of more are those that were put.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s shares
		var want []uint32
		for range rapid.IntRange(0, 200).Draw(t, "puts") {
			set := rapid.Uint32Range(0, min(uint32(len(want)), 20)).Draw(t, "set")
			n := rapid.SampledFrom([]uint32{0, 1, 2, 253, 254, 255, 256, 257, 1 << 31}).Draw(t, "count")
			if s.put(set, n); int(set) == len(want) {
				want = append(want, 0)
			}
			want[set] = n
			for i, n := range want {
				if got := s.of(uint32(i)); got != n {
					t.Fatalf("set %d has %d, want %d", i, got, n)
				}
			}
			if s.len() != uint32(len(want)) || s.of(s.len()) != 0 {
				t.Fatalf("len %d, and %d behind it", s.len(), s.of(s.len()))
			}
		}
	})
}
