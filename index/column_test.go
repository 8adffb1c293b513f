package index

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/drawn"
)

// A column has the sets that it was written with, and no others: few and many in one
// container, up to the last of it, and with containers left out.
func TestColumnHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, containers := range [][]int{{1}, {mostOfArray}, {mostOfArray + 1}, {1 << 16}, {30, 1 << 16, 30}, {0, 64}, {64, 0, 0, 9000, 0, 1}, {9000, 64, 2, 0, 50000}} {
		has := map[uint32]bool{}
		var sets []uint32
		for high, n := range containers {
			for _, low := range rng.Perm(1 << 16)[:n] {
				set := uint32(high<<16 | low)
				has[set] = true
				sets = append(sets, set)
			}
		}
		slices.Sort(sets)
		b := appendColumn(nil, sets)
		c, err := openColumn(b)
		if err != nil || c.sets != len(sets) {
			t.Fatalf("column of %v sets has %d: %v", containers, c.sets, err)
		}
		for set := range uint32(1 << setBits) {
			if c.has(set) != has[set] {
				t.Fatalf("column of %v: has(%d) = %v", containers, set, !has[set])
			}
		}
		if !slices.Equal(c.appendTo(nil), sets) {
			t.Errorf("column of %v reads back as others", containers)
		}
		back := roaring.New()
		if n, err := back.ReadFrom(bytes.NewReader(b)); err != nil || int(n) != len(b) || !slices.Equal(back.ToArray(), sets) {
			t.Errorf("roaring reads %d of %d bytes, %d of %d sets: %v", n, len(b), back.GetCardinality(), len(sets), err)
		}
	}
}

// Searches of a segment with columns of both forms lose no match, whether they ask the
// columns or read them.
func TestSearchColumns(t *testing.T) {
	const n, frequent, rare = 70_000, 20, 500 // two containers, of which one is a bitmap for most
	rng := rand.New(rand.NewPCG(1, 2))
	w := &world{}
	for i := range uint32(n) {
		members := []uint64{frequent - 1, frequent + rng.Uint64N(rare), frequent + rng.Uint64N(rare)}
		for f := range uint64(frequent - 1) {
			if rng.Uint64N(frequent) < f/2 {
				members = append(members, f)
			}
		}
		bag := drawn.Bag(nil, members, drawn.Spaces["wide"])
		w.bags = append(w.bags, bag)
		w.table.Put(i, factsOf(bag))
	}
	w.layout.Order = orderOf(14, w.bags)
	s := w.build(t, 0, n, nil)
	matches, passed := 0, Passed{}
	for _, formula := range drawn.Formulas() {
		for _, at := range []api.Threshold{api.Ratio(3, 10), api.Ratio(2, 5), api.Ratio(7, 10)} {
			for q := 0; q < n; q += n / 5 {
				o, ok := w.layout.Search(w.bags[q], factsOf(w.bags[q]), formula, at, 0)
				if !ok {
					t.Fatalf("%v ≥ %v of set %d: not served", formula, at, q)
				}
				got, err := o.Candidates(s, w.table.View(), nil, &passed)
				if err != nil {
					t.Fatal(err)
				}
				var want []uint32
				for i, bag := range w.bags {
					if _, ok := formula.Match(w.bags[q], bag, at); ok {
						want = append(want, uint32(i))
					}
				}
				if lost := drawn.Missing(got, want); len(lost) > 0 {
					t.Fatalf("%v ≥ %v of set %d: lost %d of %d", formula, at, q, len(lost), len(want))
				}
				matches += len(want)
			}
		}
	}
	t.Logf("%d matches, passed %+v, columns of %d sets", matches, passed, s.Runs[Frequent].Entries)
	if matches < 1000 || passed.HadColumns == 0 || passed.HadColumns == passed.AskedColumns {
		t.Errorf("%d matches, passed %+v: columns told nothing", matches, passed)
	}
}

// Bytes that are no column are refused or read within their bounds.
func FuzzColumn(f *testing.F) {
	f.Add(appendColumn(nil, []uint32{1, 2, 70_000}), uint32(2))
	f.Add(appendColumn(nil, slices.Collect(func(yield func(uint32) bool) {
		for set := uint32(0); set < 5000 && yield(7*set); set++ {
		}
	})), uint32(70_000))
	f.Fuzz(func(t *testing.T, b []byte, set uint32) {
		c, err := openColumn(b)
		if err != nil {
			if !errors.Is(err, ErrPage) {
				t.Errorf("openColumn = %v, want ErrPage", err)
			}
			return
		}
		c.has(set)
		for _, set := range c.appendTo(nil) {
			if set >= 1<<setBits {
				t.Errorf("set %d is beyond all", set)
			}
		}
	})
}
