package view_test

// Document frequencies and bounds that follow the changes of a collection.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/torture"
)

// Every snapshot has its own counts, whenever it asks for them, and bounds that no set falls below.
func TestCountsFollowChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(torture.Few(6, 60)) {
		rng := rand.New(rand.NewPCG(seed, 53))
		o := enginetest.Options(vfs.NewMem())
		o.SegmentSets, o.MemoryBytes = 20, []int64{0, 0, 1 << 16}[seed%3]
		db := enginetest.Open(t, o)
		if err := db.CreateCollection(t.Context(), "docs", api.Settings{K: 1}); err != nil {
			t.Fatal(err)
		}
		var texts []string
		shingles := map[uint64]bool{}
		var before []*engine.Snapshot
		for range 40 {
			var b engine.Batch
			for range 1 + rng.IntN(6) {
				id := fmt.Sprintf("d%02d", rng.IntN(80))
				var words []string
				for range rng.IntN(30) {
					words = append(words, fmt.Sprint("w", int(400*math.Pow(rng.Float64(), 2))))
				}
				text := strings.Join(words, " ")
				if len(texts) > 0 && rng.IntN(4) == 0 {
					text = texts[rng.IntN(len(texts))]
				}
				texts = append(texts, text)
				b.Put(api.Document{ID: id, Text: text})
				if rng.IntN(4) == 0 {
					b.Delete("docs", fmt.Sprintf("d%02d", rng.IntN(80)))
				}
				if rng.IntN(8) == 0 {
					b.Delete("docs", id)
				}
			}
			if _, err := db.Commit(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(4) == 0 {
				enginetest.Settled(t, db)
			}
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			before = append(before, s)
			if rng.IntN(3) > 0 {
				compareCounts(t, fmt.Sprint("seed ", seed), s, shingles)
			}
			if rng.IntN(4) == 0 {
				compareCounts(t, fmt.Sprint("seed ", seed, ", before"), before[rng.IntN(len(before))], shingles)
			}
		}
	}
}

// compareOwn compares the bounds of a set's own shingles with its texts.
func compareOwn(t *testing.T, what string, m *view.Snapshot, v *view.View) {
	t.Helper()
	own, err := m.Own(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Reader(v)
	defer r.Close()
	sets := map[uint64]int{}
	for _, set := range v.Live(0, v.Table.Len()) {
		bag, err := r.Bag(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range bag.Set {
			sets[h]++
		}
	}
	for _, set := range v.Live(0, uint32(len(own))) {
		bag, err := r.Bag(set)
		if err != nil {
			t.Fatal(err)
		}
		n := uint32(0)
		for _, h := range bag.Set {
			if sets[h] == 1 {
				n++
			}
		}
		if own[set] > n {
			t.Errorf("%s, state %d: set %d has %d shingles of its own, the bound is %d", what, v.Changed, set, n, own[set])
		}
	}
}

// compareCounts compares the counts and bounds of a snapshot with those of its texts.
func compareCounts(t *testing.T, what string, s *engine.Snapshot, shingles map[uint64]bool) {
	t.Helper()
	m := enginetest.View(s)
	v := m.Views[slices.IndexFunc(m.Views, func(v *view.View) bool { return v.Name == "docs" })]
	counts, err := m.ShingleCounts(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	compareOwn(t, what, m, v)
	want := map[uint64]uint64{}
	for d, err := range m.Documents(t.Context(), "docs") {
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range v.Bag(d.Text).Set {
			want[h]++
			shingles[h] = true
		}
	}
	for h := range shingles {
		if got := counts.Of(h); max(got, 1) != max(want[h], 1) {
			t.Fatalf("%s, state %d: a shingle has %d documents, want %d", what, v.Changed, got, want[h])
		}
	}
	for name, of := range map[string]func(n uint64) uint32{
		"weights": func(n uint64) uint32 { return uint32(1 << 20 / max(n, 1)) },
		"few": func(n uint64) uint32 {
			if n > 3 {
				return 0
			}
			return 1
		},
	} {
		worth, err := m.Worth(t.Context(), v, name, of)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Reader(v)
		for set, least := range worth {
			if v.Table.Size(uint32(set)).Distinct == 0 {
				continue
			}
			bag, err := r.Bag(uint32(set))
			if err != nil {
				t.Fatal(err)
			}
			sum := uint32(0)
			for _, h := range bag.Set {
				sum += of(want[h])
			}
			if least > sum {
				t.Errorf("%s, state %d: set %d is worth %d in %s, the bound is %d", what, v.Changed, set, sum, name, least)
			}
		}
		r.Close()
	}
}
