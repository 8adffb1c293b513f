package scale

// Memory divides sets into stretches, and changes no row.

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/simdb/simdb/internal/torture"
)

// Neither the memory nor the strategy of the join changes a row.
func TestMemoryChangesNoRow(t *testing.T) {
	most := 0
	all := []Settings{{MinSim: "0.8"}, {K: 1, MinSim: "0.3"}, {K: 1, MinSim: "0.5", Measure: "containment"}, {Unit: "char", K: 3, MinSim: "0.4"}}
	for seed := range uint64(torture.Few(1, 2)) {
		for _, s := range all[:torture.Few(2, 4)] {
			texts := testParts(seed)
			for _, s.Memory = range []int64{1, 100_000, 300_000} { // every set alone, some, and more
				if s.Memory == 1 && seed > 0 {
					continue
				}
				texts := texts
				if s.Memory == 1 {
					texts = [][]document{texts[0][:40], texts[1][:20]}
				}
				pairs, members := brute(t, testPlan(t, s, len(texts)), texts)
				for _, w := range []strategy{byTokens, 1, 1 + 2} {
					j, dir := testJob(t, s, texts)
					j.choose = func([]uint32, map[uint64]uint64) strategy { return w }
					runTest(t, j)
					most = max(most, j.Tasks(Join))
					if got := pairsOf(t, j); !reflect.DeepEqual(got, pairs) {
						t.Errorf("seed %d, %+v, strategy %d: %d pairs, want %d", seed, s, w, len(got), len(pairs))
					}
					if got := membersOf(t, j); !reflect.DeepEqual(got, members) {
						t.Errorf("seed %d, %+v, strategy %d: the groups differ", seed, s, w)
					}
					if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp")); len(left) > 0 {
						t.Errorf("files are left: %v", left)
					}
				}
			}
		}
	}
	if most < 100 {
		t.Errorf("at most %d joins", most)
	}
}

// Signatures are chosen where tokens are frequent, and wide ones where those of the sets have too
// few bits.
func TestStrategyOfJoin(t *testing.T) {
	r, err := testPlan(t, Settings{}, 1).rule()
	if err != nil {
		t.Fatal(err)
	}
	rare, frequent := make([]uint32, 1<<20), make([]uint32, 1<<12)
	for i := range rare {
		rare[i] = 10
	}
	for i := range frequent {
		frequent[i] = 20000
	}
	for _, c := range []struct {
		counters []uint32
		size     uint64
		want     strategy
	}{{rare, 1000, byTokens}, {frequent, 1000, 1}, {frequent, 100_000, 1 + 2}, {nil, 0, byTokens}} {
		sizes := map[uint64]uint64{}
		if c.size > 0 {
			sizes[c.size], sizes[c.size*11/10] = 10_000, 10_000
		}
		if got := r.choose(c.counters, sizes); got != c.want {
			t.Errorf("%d counters, sets of %d: %d, want %d", len(c.counters), c.size, got, c.want)
		}
	}
}

// A stretch has no more than its room, but for what a hash does not spread evenly, and all sets
// that can be a pair meet.
func TestStretches(t *testing.T) {
	for _, s := range []Settings{{MinSim: "0.8"}, {MinSim: "1/3"}, {MinSim: "1"}, {Measure: "containment"}} {
		r, err := testPlan(t, s, 1).rule()
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[uint64]uint64{1: 1, 2: 7, 90: 9000, 91: 2, 100: 3, 5000: 2}
		const room = 1 << 17
		bounds := r.stretches(sizes, byTokens, room)
		joins := map[[2]int]bool{}
		for task, all := 0, 1; task < all; task++ {
			var of [2]int
			of[0], of[1], all = bounds.join(r, task)
			joins[of] = true
			if len(joins) != task+1 || of[0] > of[1] {
				t.Fatalf("%+v: task %d joins %v", s, task, of)
			}
		}
		held, reached := make([]uint64, len(bounds)), 0
		id := uint64(0)
		for size, n := range sizes {
			for range n {
				key := keyOf(int(size), idOf(int(id)%5, uint32(id)))
				id++
				of := bounds.of(key)
				held[of] += r.weight(int(size), byTokens)
				for other := range sizes {
					if r.need(size, other) > min(size, other) {
						continue
					}
					for hash := range uint64(4) {
						k := bounds.of(other<<hashBits | hash<<(hashBits-2))
						if reached++; !joins[[2]int{min(of, k), max(of, k)}] {
							t.Fatalf("%+v: sets of %d and %d members do not meet", s, size, other)
						}
					}
				}
			}
		}
		for i, n := range held {
			if n > room*5/4 {
				t.Errorf("%+v: stretch %d has %d bytes, and room for %d", s, i, n, room)
			}
		}
		if len(bounds) < 4 || len(joins) == len(bounds)*(len(bounds)+1)/2 && s.Measure == "" && s.MinSim != "1/3" {
			t.Errorf("%+v: %d stretches, %d joins, %d meetings", s, len(bounds), len(joins), reached)
		}
	}
}

// What a join writes is read again, and its file is gone in the end.
func TestScratchBeside(t *testing.T) {
	o, err := newOutput(filepath.Join(t.TempDir(), "join", "00000"))
	if err != nil {
		t.Fatal(err)
	}
	scratch := scratchBeside(o)
	at, err := scratch.Append([]uint32{3, 1, 4})
	got := make([]uint32, 2)
	if err == nil {
		err = scratch.Read(got, at+4)
	}
	if err != nil || !reflect.DeepEqual(got, []uint32{1, 4}) {
		t.Errorf("read %v, %v", got, err)
	}
	files := func() int {
		all, _ := filepath.Glob(filepath.Join(filepath.Dir(o.f.Name()), "*"))
		return len(all)
	}
	with := files()
	if scratch.Close(); files() != with-1 {
		t.Errorf("%d files, and %d with the scratch", files(), with)
	}
	o.abandon()
}
