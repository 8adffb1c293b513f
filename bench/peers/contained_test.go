package main

// These tests check the exact answers about containment and the nearest against
// their definitions.

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCountTruth(t *testing.T) {
	const seed, count = 5, 60
	random := rand.New(rand.NewPCG(seed, 0))
	sets := make([][]uint64, count)
	var packedSets, packedQueries []byte
	for i := range sets {
		for h := range uint64(30) {
			if random.IntN(count) < i {
				sets[i] = append(sets[i], h)
			}
		}
		packedSets = binary.LittleEndian.AppendUint32(packedSets, uint32(len(sets[i])))
		for _, h := range sets[i] {
			packedSets = binary.LittleEndian.AppendUint64(packedSets, h)
		}
		packedQueries = binary.LittleEndian.AppendUint32(packedQueries, uint32(i))
	}
	dir := t.TempDir()
	for name, packed := range map[string][]byte{"sets.bin": packedSets, "queries.bin": packedQueries} {
		if err := os.WriteFile(filepath.Join(dir, name), packed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := countTruth(dir)
	if err != nil {
		t.Fatal(err)
	}
	for q := range sets {
		sims := make([]float64, count)
		var others []uint32
		contained := map[answer][]uint32{}
		for d := range sets {
			shared := 0
			for _, h := range sets[d] {
				if slices.Contains(sets[q], h) {
					shared++
				}
			}
			if d == q || shared == 0 {
				continue
			}
			others = append(others, uint32(d))
			sims[d] = float64(shared) / float64(len(sets[q])+len(sets[d])-shared)
			if 5*shared >= 4*len(sets[q]) {
				contained[contained80] = append(contained[contained80], uint32(d))
			}
			if 2*shared >= len(sets[q]) {
				contained[contained50] = append(contained[contained50], uint32(d))
			}
		}
		for a, want := range contained {
			if list := got.lists[a.file][q]; !slices.Equal(list, want) {
				t.Errorf("seed %d, document %d, %s = %v, want %v", seed, q, a.what, list, want)
			}
		}
		slices.SortStableFunc(others, func(a, b uint32) int { return cmp.Compare(sims[b], sims[a]) })
		best := others[:min(nearestRows, len(others))]
		if right, wanted := got.nearest[q].right(best); right != len(best) || wanted != len(best) {
			t.Errorf("seed %d, document %d: of its nearest %v, %d of %d are right", seed, q, best, right, wanted)
		}
		if len(others) > len(best) && sims[others[len(best)]] < sims[best[len(best)-1]] {
			worse := append(slices.Clone(best[1:]), others[len(best)])
			if right, _ := got.nearest[q].right(worse); right != len(best)-1 {
				t.Errorf("seed %d, document %d: %d are right of %v, which lacks the nearest", seed, q, right, worse)
			}
		}
	}
}

// Of documents that tie for the last places any may be found, but no more than
// there are places.
func TestNearestTies(t *testing.T) {
	n := nearest{better: []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}, tied: []uint32{20, 21, 22}}
	for _, tt := range []struct {
		found []uint32
		want  int
	}{
		{[]uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 21}, 10},
		{[]uint32{1, 2, 3, 4, 5, 6, 7, 8, 20, 21}, 9},
		{[]uint32{1, 30}, 1},
		{nil, 0},
	} {
		if right, wanted := n.right(tt.found); right != tt.want || wanted != 10 {
			t.Errorf("right(%v) = %d of %d, want %d of 10", tt.found, right, wanted, tt.want)
		}
	}
}
