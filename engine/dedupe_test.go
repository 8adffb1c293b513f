// Dedupe against its definition, by brute force, and deletions while others write.

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/torture"
)

// dedupe is the definition: components of the pairs, each gone through in the order of
// keep; a document stays unless one that stays already is similar to it. Who goes, goes to
// the first of those that stay and are similar.
func (h *timeline) dedupe(q Search, keep api.Keep) (rows []string) {
	ids := h.ids()
	slices.SortFunc(ids, func(a, b string) int {
		first := cmp.Compare(h.last[a], h.last[b])
		switch keep {
		case api.KeepNewest:
			return -first
		case api.KeepLongest:
			return cmp.Or(cmp.Compare(len(h.texts[b]), len(h.texts[a])), first)
		case api.KeepShortestID:
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		}
		return first
	})
	alike := func(a, b string) (measure.Score, bool) {
		s, ok := h.score(q, h.texts[min(a, b)], h.bags[min(a, b)], max(a, b))
		return s, ok && s.Reaches(q.Min)
	}
	group := map[string]int{}
	var connect func(id string, g int)
	connect = func(id string, g int) {
		group[id] = g
		for _, other := range ids {
			if _, ok := alike(id, other); ok && other != id && group[other] == 0 {
				connect(other, g)
			}
		}
	}
	groups := 0
	for _, id := range ids {
		partner := slices.ContainsFunc(ids, func(other string) bool { _, ok := alike(id, other); return ok && other != id })
		if group[id] == 0 && partner {
			groups++
			connect(id, groups)
		}
	}
	for g := 1; g <= groups; g++ {
		var stay []string
		for _, id := range ids {
			if group[id] == g && !slices.ContainsFunc(stay, func(s string) bool { _, ok := alike(id, s); return ok }) {
				stay = append(stay, id)
			}
		}
		for _, id := range ids {
			switch like, best := "", (measure.Score{}); {
			case group[id] != g:
			case slices.Contains(stay, id):
				rows = append(rows, fmt.Sprintf("%d %s stays", g, id))
			default:
				for _, s := range stay {
					if score, ok := alike(id, s); ok && like == "" {
						like, best = s, score
					}
				}
				rows = append(rows, fmt.Sprintf("%d %s like %s %d/%d", g, id, like, best.Shared, best.Of))
			}
		}
	}
	return rows
}

func dedupeRows(t *testing.T, s *Snapshot, q Search, keep api.Keep) (rows []string) {
	t.Helper()
	r, err := s.Dedupe(context.Background(), q, keep)
	for _, d := range collect(t, r, err) {
		rows = append(rows, dedupeString(d.Duplicate))
	}
	return rows
}

func dedupeString(d api.Duplicate) string {
	if d.Keep {
		return fmt.Sprintf("%d %s stays", d.Cluster, d.ID)
	}
	return fmt.Sprintf("%d %s like %s %d/%d", d.Cluster, d.ID, d.Like, d.Shared, d.Of)
}

func TestDedupeEqualsDefinition(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all := []api.Settings{{}, {Unit: "char", K: 3}, {K: 2, SI: "m3a k4", Versions: true, Entities: true, Words: true, Patricia: true}, {K: 1}}
	seeds := uint64(3)
	if torture.Short() {
		seeds = 1
	}
	for i, settings := range all {
		for seed := range seeds {
			o := testOptions(vfs.NewMem())
			o.MemoryBytes = 1 << (10 + 5*seed) // edges that have no room are sorted on disk
			db := openTest(t, o)
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			h := &timeline{model: newModel(analysisOf(settings)), last: map[string]int{}}
			g := &texts{rng: rand.New(rand.NewPCG(seed, 38)), prose: settings.Versions}
			for round := range 2 {
				for range 30 {
					h.step(t, db, g)
				}
				if round == 1 {
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					db = openTest(t, o)
					settled(t, db)
				}
				s, err := db.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				for _, method := range testMethods(settings) {
					if !method.Symmetric() {
						if _, err := s.Dedupe(ctx, Search{Measure: method.Measure, Args: method.Args}, ""); !errors.Is(err, api.ErrInvalid) {
							t.Errorf("Dedupe by %s: %v, want ErrInvalid", method.Measure, err)
						}
						continue
					}
					for k, keep := range []api.Keep{"", api.KeepNewest, api.KeepLongest, api.KeepShortestID} {
						if i == 2 && k%2 != round { // slow
							continue
						}
						for _, th := range []string{"0.9", "1/2"} {
							q := Search{Measure: method.Measure, Args: method.Args}
							if q.Min, err = api.ParseThreshold(th); err != nil {
								t.Fatal(err)
							}
							want := h.dedupe(q, keep)
							if got := dedupeRows(t, s, q, keep); !slices.Equal(got, want) {
								t.Fatalf("settings %d, seed %d: %s >= %s keeping %q:\n%s", i, seed, q.Measure.Describe(q.Args), th, keep, difference(got, want))
							}
						}
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What changes after the search is left alone, and so is what was similar to it; all
// else goes as it was told, and then nothing is left to go.
func TestDeleteDuplicatesWhileOthersWrite(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(4) {
		db := openTest(t, testOptions(vfs.NewMem()))
		h := &timeline{model: newModel(analysisOf(api.Settings{})), last: map[string]int{}}
		rng := rand.New(rand.NewPCG(seed, 39))
		g := &texts{rng: rng}
		for range 60 {
			h.step(t, db, g)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		q := Search{Min: api.Ratio(1, 2)}
		r, err := s.Dedupe(ctx, q, api.KeepLongest)
		if err != nil {
			t.Fatal(err)
		}
		told := h.dedupe(q, api.KeepLongest)
		touched := map[string]bool{}
		for range 8 { // replaced by another or by an equal text, or deleted
			id := h.ids()[rng.IntN(len(h.texts))]
			touched[id] = true
			var b Batch
			switch rng.IntN(3) {
			case 0:
				b.Delete("", id)
				h.delete(id)
			case 1:
				b.Put(api.Document{ID: id, Text: h.texts[id]})
			case 2:
				h.put(id, g.next())
				b.Put(api.Document{ID: id, Text: h.texts[id]})
			}
			if _, err := db.Commit(ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		var rows []string
		left := 0
		for d, err := range db.DeleteDuplicates(ctx, q, r.All) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, dedupeString(d))
			changed := !d.Keep && (touched[d.ID] || touched[d.Like])
			if changed {
				left++
			} else if !d.Keep {
				h.delete(d.ID)
			}
			if d.Changed != changed {
				t.Errorf("seed %d: %q like %q: changed is %v, want %v", seed, d.ID, d.Like, d.Changed, changed)
			}
		}
		if !slices.Equal(rows, told) || left == 0 {
			t.Errorf("seed %d: %d left, rows:\n%s", seed, left, difference(rows, told))
		}
		sameDocuments(t, db, h.texts)
		checkClean(t, db, "after deleting")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = db.Snapshot(); err != nil {
			t.Fatal(err)
		}
		if r, err = s.Dedupe(ctx, q, api.KeepFirst); err != nil {
			t.Fatal(err)
		}
		for _, err := range db.DeleteDuplicates(ctx, q, r.All) {
			if err != nil {
				t.Fatal(err)
			}
		}
		after, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if rows := pairRows(t, after, q); len(rows) > 0 {
			t.Errorf("seed %d: similar pairs are left: %v", seed, rows)
		}
		if err := errors.Join(s.Close(), after.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Dedupe refuses what it could not do justice.
func TestDedupeRefuses(t *testing.T) {
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, api.Settings{Intervals: "paper"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		q    Search
		keep api.Keep
	}{
		{Search{Limit: 3}, ""}, {Search{Since: "x"}, ""}, {Search{Against: []string{"b"}}, ""}, {Search{}, "oldest"},
		{Search{Where: &Fields{}}, ""}, {Search{WhereB: &Fields{}}, ""}, {Search{Tests: search.Tests{Keep: func(string, api.DocInfo) (bool, error) { return true, nil }}}, ""},
		{Search{Min: api.Ratio(1, 1), Access: api.AccessInterval}, ""}, {Search{Measure: api.ContainmentOfDoc}, ""},
	} {
		if _, err := s.Dedupe(context.Background(), c.q, c.keep); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Dedupe(%+v, %q): %v, want ErrInvalid", c.q, c.keep, err)
		}
		c.q.PlanOnly = true
		if _, err := s.Dedupe(context.Background(), c.q, c.keep); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("the plan of Dedupe(%+v, %q): %v, want ErrInvalid", c.q, c.keep, err)
		}
	}
}
