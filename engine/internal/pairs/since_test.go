// Pairs and groups since a mark, against a record of who was written when.

package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// TestPairsSinceEqualBruteForce takes marks while documents come, change and go, and asks
// since each of them, also after the store crashed, was compacted or salvaged.
func TestPairsSinceEqualBruteForce(t *testing.T) {
	t.Parallel()
	all := []api.Settings{{}, {Unit: "char", K: 3, Intervals: "1-2,3-5"},
		{K: 2, SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true}}
	seeds := []uint64{2, 2, 1}
	if torture.Short() { // the text measures alone take most of the time
		seeds = []uint64{1, 0, 0}
	}
	for i, settings := range all {
		for seed := range seeds[i] {
			t.Run(fmt.Sprintf("%d/%d", i, seed), func(t *testing.T) { pairsSince(t, settings, seed) })
		}
	}
}

func pairsSince(t *testing.T, settings api.Settings, seed uint64) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 36))
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	db := enginetest.Open(t, o)
	defer func() { db.Close() }()
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	h := &enginetest.Timeline{Model: testmodel.NewModel(enginetest.AnalysisOf(settings)), Last: map[string]int{}}
	g := &testmodel.Texts{Rng: rng, Prose: settings.Versions}
	var marks []enginetest.KeptMark
	for round := range 6 {
		mark, err := db.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, enginetest.KeptMark{Mark: mark, At: h.Now})
		for range []int{40, 3, 1, 12, 0, 5}[round] {
			h.Step(t, db, g)
		}
		switch round {
		case 1:
			if err := db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		case 2:
			image := disk.CrashClone(vfs.CrashCloneCfg{})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			disk, *enginetest.FS(o) = image, image
			db = enginetest.Open(t, o)
		case 3, 4:
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, o)
		}
		enginetest.Settled(t, db)
		h.Compare(t, db, marks, settings, fmt.Sprintf("seed %d, round %d", seed, round))
	}
	if h.Ways[0] == 0 || h.Ways[1] == 0 {
		t.Errorf("%d answers from all pairs, %d by searches: want some of both", h.Ways[0], h.Ways[1])
	}
	enginetest.CheckClean(t, db, "at the end")
}

// Collections that are searched together, or against each other, are since the same mark;
// one that was made later is new as a whole, even if it has the number of another.
func TestPairsSinceInSeveralCollections(t *testing.T) {
	ctx := context.Background()
	found := map[string]int{}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 37))
		o := enginetest.Options(vfs.NewMem())
		db := enginetest.Open(t, o)
		g := &testmodel.Texts{Rng: rng}
		last := map[string]int{}
		put := func(now int, collection string, n int) {
			for range n {
				id := fmt.Sprint(collection, rng.IntN(40))
				if err := db.Put(ctx, api.Document{Collection: collection, ID: id, Text: g.Next()}); err != nil {
					t.Fatal(err)
				}
				last[id] = now
			}
		}
		put(1, "x", 60)
		put(1, "y", 60)
		put(1, "z", 60)
		mark, err := db.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		put(2, "x", 3)
		put(2, "y", 1)
		if err := errors.Join(db.DropCollection(ctx, "z"), db.Close()); err != nil {
			t.Fatal(err)
		}
		db = enginetest.Open(t, o)
		put(2, "z", 20)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []api.Measure{api.Jaccard, api.SimHash, api.ContainmentOfQuery, api.ContainmentOfDoc, api.Multiset} {
			for _, in := range [][2][]string{{{"x", "y"}, nil}, {{"x"}, {"y"}}, {{"y"}, {"x"}}, {{"x"}, {"y", "z"}}, {{"z"}, nil}, {{"z"}, {"x"}}} {
				q := engine.Search{In: in[0], Against: in[1], Measure: m, Min: api.Ratio(2, 5)}
				h := enginetest.Timeline{Last: last}
				want := h.Since(enginetest.PairRows(t, s, q), 1)
				q.Since = mark
				if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want) {
					t.Errorf("seed %d: %s in %v against %v: got %d, want %d\n%s", seed, m, in[0], in[1], len(got), len(want), testmodel.Difference(got, want))
				}
				found[fmt.Sprint(in)] += len(want)
			}
		}
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for in, n := range found {
		if n == 0 {
			t.Errorf("%s: there was nothing to find", in)
		}
	}
}

// What is no mark of this store, or of a moment that it has not come to, is refused.
func TestMarksRefused(t *testing.T) {
	ctx := context.Background()
	first, second := enginetest.Open(t, enginetest.Options(vfs.NewMem())), enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer first.Close()
	defer second.Close()
	for _, db := range []*engine.DB{first, second} {
		if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three"}); err != nil {
			t.Fatal(err)
		}
	}
	old, err := first.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := first.Put(ctx, api.Document{ID: "b", Text: "one two three"}); err != nil {
		t.Fatal(err)
	}
	good, err := first.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, err := second.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{other, good[1:], good + "00", "yesterday", "'", strings.ToUpper(good[:20]) + "zz"} {
		s, err := first.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{enginetest.PairsError(s, bad), clustersError(s, bad)} {
			if !errors.Is(err, api.ErrMark) || !errors.Is(err, api.ErrInvalid) {
				t.Errorf("since %q: %v, want ErrMark", bad, err)
			}
		}
		if _, err := s.Similar(ctx, api.ByID("a"), engine.Search{Since: good}); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Similar since a mark: %v, want ErrInvalid", err)
		}
		s.Close()
	}
	if err := enginetest.PairsError(old, good); !errors.Is(err, api.ErrMark) {
		t.Errorf("since a mark of the future: %v, want ErrMark", err)
	}
}

func clustersError(s *engine.Snapshot, since string) error {
	_, err := s.Clusters(context.Background(), engine.Search{Since: since})
	return err
}

// Pairs since a mark by a measure that is not symmetric are searched in both directions, which
// may take two ways: the plan names both before they are taken.
func TestPairsSinceAreExplained(t *testing.T) {
	ctx := t.Context()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for i := range 8 { // a posting segment
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("one text of some words, and %d more", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{Measure: api.ContainmentOfQuery, Min: api.Ratio(9, 10), Since: mark}
	will, err := enginetest.PairsPlan(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	did, err := s.Pairs(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if will.Access != did.Plan.Access || !strings.Contains(will.Access, ", ") {
		t.Errorf("EXPLAIN names %q, the search takes %q: want the same, and two", will.Access, did.Plan.Access)
	}
}

// An access by the postings may be named before there are any.
func TestPairsSinceWithoutPostings(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	ctx := t.Context()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("one text of some words, and %d more", i)}); err != nil {
			t.Fatal(err)
		}
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "x", Text: "one text of some words, and 3 more"}, api.Document{ID: "y", Text: "something else"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := enginetest.PairRows(t, s, engine.Search{Min: api.Ratio(1, 2), Access: api.AccessPostings, Since: mark}); len(got) != 5 {
		t.Errorf("%d pairs, want 5: %v", len(got), got)
	}
}
