package measures

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/simdb/simdb/bench/lab"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/measure"
)

// The join finds the pairs that comparing all with all finds.
func TestChunkJoin(t *testing.T) {
	const seed = 47
	rng := rand.New(rand.NewPCG(seed, 0))
	for distance := range 6 {
		pool := make([]uint32, 60)
		for i := range pool {
			pool[i] = rng.Uint32() & rng.Uint32() & rng.Uint32()
		}
		lists := make([][]uint32, 80)
		for i := range lists {
			for range rng.IntN(12) {
				lists[i] = append(lists[i], pool[rng.IntN(len(pool))]^1<<rng.IntN(32))
			}
			slices.Sort(lists[i])
			lists[i] = slices.Compact(lists[i])
		}
		minShare := measure.Ratio(1, 3)
		got := map[[2]int]measure.ChunkMatch{}
		err := newChunkJoin(lists, distance).pairs(context.Background(), minShare, func(p chunkPair) {
			got[[2]int{p.query, p.doc}] = p.match
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range lists {
			for j := i + 1; j < len(lists); j++ {
				m := measure.MatchChunks(lists[i], lists[j], distance)
				shared, of := diceOf(m)
				if want := shared > 0 && minShare.Admits(shared, of); want {
					if got[[2]int{i, j}] != m {
						t.Fatalf("seed %d: lists %d and %d at %d bits: %+v, want %+v", seed, i, j, distance, got[[2]int{i, j}], m)
					}
					delete(got, [2]int{i, j})
				}
			}
		}
		if len(got) > 0 {
			t.Fatalf("seed %d: %d bits: too many pairs: %v", seed, distance, got)
		}
	}
}

func TestTally(t *testing.T) {
	var c tally
	c.add(true, 9, 10)
	c.add(true, 899, 1000)
	c.add(false, 1, 1)
	c.add(false, 0, 0)
	for bound, want := range map[int]result{0: {2, 2, 0}, 89: {2, 1, 0}, 90: {1, 1, 1}, 100: {0, 1, 2}} {
		if got := c.from(bound); got != want {
			t.Errorf("from(%d) = %+v, want %+v", bound, got, want)
		}
	}
	if got := c.best(); got != 1 {
		t.Errorf("best() = %d, want 1", got)
	}
	r := result{right: 3, wrong: 1, missed: 2}
	if r.precision() != 0.75 || r.recall() != 0.6 || r.f() != 6.0/9 {
		t.Errorf("%+v: precision, recall, F = %v, %v, %v", r, r.precision(), r.recall(), r.f())
	}
}

func TestSum(t *testing.T) {
	a := measure.Vector{{Hash: 1, Count: 1}, {Hash: 3, Count: 2}}
	b := measure.Vector{{Hash: 2, Count: 1}, {Hash: 3, Count: 5}, {Hash: 4, Count: 1}}
	want := measure.Vector{{Hash: 1, Count: 1}, {Hash: 2, Count: 1}, {Hash: 3, Count: 7}, {Hash: 4, Count: 1}}
	if got := sum(a, b); !slices.Equal(got, want) {
		t.Errorf("sum = %v, want %v", got, want)
	}
}

// Equal documents score 1 by every measure that sees anything in them.
func TestMethods(t *testing.T) {
	doc := "The Royal Society met in London. It was in May 1833, and it was short.\n\nCharles Babbage spoke of his Engine."
	docs := []lab.Doc{{ID: "a", Text: doc}, {ID: "b", Text: doc}, {ID: "c", Text: "penguins swim far to fish"}}
	for _, m := range methods(docs) {
		if s := m.compare(0, 1); s.Sim() != 1 {
			t.Errorf("%s: equal documents score %v, want 1", m.name, s.Sim())
		}
		if s := m.compare(0, 2); 100*s.Shared >= uint64(m.threshold)*s.Of {
			t.Errorf("%s: unlike documents score %v, want less than %d/100", m.name, s.Sim(), m.threshold)
		}
		if m.bytes == 0 || m.comparisons(0, 1) == 0 {
			t.Errorf("%s: %d bytes, %d comparisons, want more than 0", m.name, m.bytes, m.comparisons(0, 1))
		}
	}
}

func TestReadPaper(t *testing.T) {
	c, err := readPaper(filepath.Dir(realtext.Path(t, "roth")))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(c.docs) != 5 || !c.related(0, 1) || !c.related(2, 3) || c.related(1, 2) || c.related(4, 4) {
		t.Errorf("readPaper = %d documents, groups %q", len(c.docs), c.group)
	}
}

func TestReadCollections(t *testing.T) {
	dir := filepath.Dir(realtext.Path(t, "roth"))
	roth, err := readRoth(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, g := range roth.group {
		sizes[g]++
	}
	if len(sizes) != 5 || sizes["proverbs"] != 4 {
		t.Errorf("roth has groups %v, want four works and the rest", sizes)
	}
	spdx, err := readSPDX(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) int {
		return slices.IndexFunc(spdx.docs, func(d lab.Doc) bool { return d.ID == id+".txt" })
	}
	if a, b, c := at("GPL-2.0-only"), at("GPL-2.0-or-later"), at("GPL-3.0-only"); !spdx.related(a, b) || spdx.related(a, c) {
		t.Errorf("GPL-2.0-only and -or-later related: %v; with GPL-3.0: %v", spdx.related(a, b), spdx.related(a, c))
	}
}
