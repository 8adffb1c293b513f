package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// sortAll sorts entries by a sorter and returns them.
func sortAll(t *testing.T, memory int64, all []entry) (got []entry) {
	t.Helper()
	s := sorter{dir: t.TempDir(), memory: memory}
	for _, e := range all {
		if err := s.add(e); err != nil {
			t.Fatal(err)
		}
	}
	for e, err := range s.sorted() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	return got
}

// The order is the same in memory, from some files, and from many.
func TestSorter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []entry
	for i := range 5000 {
		all = append(all, entry{group: fmt.Sprint("g", rng.IntN(50)), id: fmt.Sprint(rng.IntN(9000)), n: uint64(i)})
	}
	want := slices.Clone(all)
	slices.SortFunc(want, compareEntries)
	for _, memory := range []int64{1 << 30, 100 << 10, 1 << 10} {
		if got := sortAll(t, memory, all); !slices.Equal(got, want) {
			t.Errorf("with %d bytes of memory the order differs", memory)
		}
	}
}

// A run that lost its end is an error, not the end of the entries.
func TestCutRun(t *testing.T) {
	for n := 1; ; n++ {
		s := sorter{dir: t.TempDir(), memory: 1}
		if err := s.add(entry{"group", "identifier", 1}); err != nil {
			t.Fatal(err)
		}
		if err := s.file.Truncate(s.runs[0].to - int64(n)); err != nil {
			break // nothing is left
		}
		failed := false
		for _, err := range s.sorted() {
			failed = failed || err != nil
		}
		if !failed {
			t.Errorf("a run that lost %d of %d bytes is no error", n, s.runs[0].to)
		}
	}
}

// A group of a million documents takes memory by the setting, not by its size.
func TestLargeGroup(t *testing.T) {
	s := sorter{dir: t.TempDir(), memory: 1 << 20}
	const n = 1_000_000
	for i := range n {
		if err := s.add(entry{group: "one", id: "0123456789", n: uint64(n - i)}); err != nil {
			t.Fatal(err)
		}
	}
	if most := cap(s.held) * entryBytes; most > 4<<20 {
		t.Errorf("the sorter holds %d bytes of entries", most)
	}
	seen := uint64(0)
	for e, err := range s.sorted() {
		if seen++; err != nil || e.n != seen {
			t.Fatalf("entry %d is %v: %v", seen, e, err)
		}
	}
	if seen != n {
		t.Errorf("%d entries, want %d", seen, n)
	}
}
