// Answers of a store that changes, by all measures and accesses, against brute force.

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// compareAll asks everything of the store and of the model, and returns how many queries
// that were.
func compareAll(t *testing.T, db *engine.DB, m *testmodel.Model, rng *rand.Rand, when string) (queries int) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := enginetest.View(s).View("")
	if err != nil {
		t.Fatal(err)
	}
	ids := m.IDs()
	for _, method := range enginetest.Methods(v.Settings) {
		k := method.Measure
		for i, th := range enginetest.Thresholds {
			if k.OfTexts() && i%3 != 1 { // 0.9, 2/3 and 0: such pairs are slow to compare
				continue
			}
			if !k.OfTexts() && !enginetest.Chosen(rng, 2, 8) {
				continue
			}
			min, err := api.ParseThreshold(th)
			if err != nil {
				t.Fatal(err)
			}
			q := engine.Search{Measure: k, Args: method.Args, Min: min}
			pairs, clusters := m.Pairs(q), m.Clusters(q)
			for _, q.Access = range enginetest.Accesses(q, v) {
				queries += 9 // pairs, groups, three times similar and nearest, a text
				what := fmt.Sprintf("%s: %s >= %s by %q", when, k.Describe(method.Args), th, q.Access)
				if got := enginetest.PairRows(t, s, q); !slices.Equal(got, pairs) {
					t.Fatalf("%s: pairs: got %d, want %d\n%s", what, len(got), len(pairs), testmodel.Difference(got, pairs))
				}
				if n := len(pairs)/2 + 1; len(pairs) > 0 {
					q.Limit = n
					if got := enginetest.PairRows(t, s, q); !slices.Equal(got, pairs[:n]) {
						t.Fatalf("%s: first %d pairs: got %d\n%s", what, n, len(got), testmodel.Difference(got, pairs[:n]))
					}
					q.Limit = 0
				}
				if method.Symmetric() {
					if got := enginetest.ClusterRows(t, s, q); !slices.Equal(got, clusters) {
						t.Fatalf("%s: clusters:\n%s", what, testmodel.Difference(got, clusters))
					}
				}
				for range 3 {
					id := ids[rng.IntN(len(ids))]
					if got, want := enginetest.SimilarRows(t, s, api.ByID(id), q), m.Similar(q, m.Texts[id], id); !slices.Equal(got, want) {
						t.Fatalf("%s: similar to %s:\n%s", what, id, testmodel.Difference(got, want))
					} else if q.Limit = 1 + rng.IntN(6); len(want) > 0 {
						if len(want) > q.Limit {
							want = want[:q.Limit]
						}
						if got := enginetest.SimilarRows(t, s, api.ByID(id), q); !slices.Equal(got, want) {
							t.Fatalf("%s: the %d nearest to %s:\n%s", what, q.Limit, id, testmodel.Difference(got, want))
						}
					}
					q.Limit = 0
				}
				g := testmodel.Texts{Rng: rng, Prose: v.Kept.Texts(), Old: []string{m.Texts[ids[0]], m.Texts[ids[len(ids)/2]]}}
				text := g.Next()
				if got, want := enginetest.SimilarRows(t, s, api.ByText(text), q), m.Similar(q, text, ""); !slices.Equal(got, want) {
					t.Fatalf("%s: similar to text %q:\n%s", what, text, testmodel.Difference(got, want))
				}
			}
		}
	}
	return queries
}

func TestAnswersEqualBruteForce(t *testing.T) {
	t.Parallel()
	wanted, queries := torture.Tries(t, "Q1"), 0
	for seed := uint64(0); queries < wanted && !t.Failed(); seed++ {
		all := []api.Settings{{}, {Unit: "char", K: 3, Intervals: "1-2,3-5"}, {K: 1}, {K: 2, Intervals: "1-2,3-5"}}
		if seed%8 == 0 { // slow
			all = append(all, api.Settings{K: 2, SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true})
		}
		for _, settings := range all {
			t.Run(fmt.Sprintf("seed %d %s%s %d", seed, settings.Unit, settings.SI, settings.K), func(t *testing.T) {
				queries += testAnswers(t, seed, settings)
			})
		}
	}
	torture.Report(t, "Q1", queries)
}

func testAnswers(t *testing.T, seed uint64, settings api.Settings) (queries int) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 1))
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	defer func() { db.Close() }()
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	c := enginetest.Collection(t, db, api.DefaultCollection)
	m := testmodel.NewModel(c.Analysis)
	g := &testmodel.Texts{Rng: rng, Prose: c.Kept.Texts()}
	rounds, puts := 3, 25
	if torture.Short() && c.Kept.Texts() { // slow, and slower with the race detector
		rounds, puts = 1, 12
	}
	for round := range rounds {
		for range puts {
			var b engine.Batch
			for range 1 + rng.IntN(4) {
				id := fmt.Sprintf("d%03d", rng.IntN(70))
				if rng.IntN(4) == 0 {
					b.Delete("", id)
					m.Delete(id)
				} else {
					text := g.Next()
					b.Put(api.Document{ID: id, Text: text})
					m.Put(id, text)
				}
			}
			if _, err := db.Commit(ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		when := fmt.Sprintf("seed %d, round %d", seed, round)
		switch round {
		case 1:
			if err := db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, o)
		}
		if seed%2 == 0 {
			enginetest.Settled(t, db)
		}
		enginetest.CheckClean(t, db, when)
		queries += compareAll(t, db, m, rng, when)
	}
	return queries
}

// A lossy filter may lose matches but must not invent any.
func TestIntervalFindsOnlyMatches(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 3))
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Unit: "char", K: 2, Intervals: "1-2,3-4"}); err != nil {
		t.Fatal(err)
	}
	c := enginetest.Collection(t, db, api.DefaultCollection)
	m := testmodel.NewModel(c.Analysis)
	g := &testmodel.Texts{Rng: rng}
	for i := range 60 {
		id, text := fmt.Sprintf("d%03d", i), g.Next()
		m.Put(id, text)
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for _, k := range []api.Measure{api.Jaccard, api.Multiset, api.Repetition} {
		q := engine.Search{Measure: k, Min: api.Ratio(4, 5), Access: api.AccessInterval}
		want, found := 0, 0
		for _, id := range m.IDs() {
			exact := m.Similar(q, m.Texts[id], id)
			want += len(exact)
			for _, r := range enginetest.SimilarRows(t, s, api.ByID(id), q) {
				if found++; !slices.Contains(exact, r) {
					t.Errorf("%s: interval access found %s, which is no match of %s", k, r, id)
				}
			}
		}
		if found == 0 || found > want {
			t.Errorf("%s: interval access found %d of %d matches", k, found, want)
		}
	}
}

// The paper's counter-example: a text repeated 50 and 51 times has the same
// shingles, but all of them in different intervals.
func TestIntervalLosesRepeatedText(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Unit: "char", Intervals: "paper"}); err != nil {
		t.Fatal(err)
	}
	repeat := func(n int) (s string) {
		for range n {
			s += "the same hundred characters over and over "
		}
		return s
	}
	if err := db.Put(ctx, api.Document{ID: "50", Text: repeat(50)}, api.Document{ID: "51", Text: repeat(51)}); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	q := engine.Search{Min: api.Ratio(9, 10)}
	if got := len(enginetest.SimilarRows(t, s, api.ByID("50"), q)); got != 1 {
		t.Errorf("exact search found %d documents, want 1", got)
	}
	q.Access = api.AccessInterval
	if got := len(enginetest.SimilarRows(t, s, api.ByID("50"), q)); got != 0 {
		t.Errorf("interval search found %d documents, want 0: the filter is lossy here", got)
	}
}
