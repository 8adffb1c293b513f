// Answers of a store that changes, by all measures and accesses, against brute force.

package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"

	"github.com/simdb/simdb/internal/torture"
)

// testMethods are the measures, those with arguments by several.
func testMethods(settings api.Settings) (out []api.Method) {
	for _, k := range Measures {
		if !k.OfTexts() {
			out = append(out, api.Method{Measure: k})
		}
	}
	half, err := api.ParseWeight("1/2")
	if err != nil {
		panic(err)
	}
	out = append(out, by(api.Tversky, api.Args{Beta: half}), by(api.Tversky, api.Args{Alpha: half, Beta: half}))
	if settings.SI == "" {
		return out // texts_test.go has the others
	}
	for _, si := range strings.Split(settings.SI, ", ") {
		out = append(out, by(api.SI, api.Args{SI: si}))
	}
	return append(out, by(api.Patricia, api.Args{}), by(api.Patricia, api.Args{Min: 20}),
		by(api.Coverage, api.Args{}), by(api.Coverage, api.Args{Min: 20}), by(api.Coverage, api.Args{Min: 4}),
		by(api.Versions, api.Args{}), by(api.Versions, api.Args{Bits: -1}), by(api.Versions, api.Args{Bits: 7}),
		by(api.Entities, api.Args{}), by(api.Entities, api.Args{TF: true}), api.Method{Measure: api.Words})
}

var testThresholds = []string{"1", "0.9", "4/5", "0.73", "2/3", "1/2", "0.3", "0.05", "0"}

// accesses are the ways that must answer a measure exactly.
func accesses(v Search, in *view.View) (out []api.Access) {
	for _, a := range []api.Access{api.AccessPrefix, api.AccessPostings} {
		if v.Measure.OfBags() && search.Serves(in, a, v.Measure, v.Args, v.Min) == nil {
			out = append(out, a)
		}
	}
	switch {
	case v.Measure.OfTexts():
		return []api.Access{api.AccessAuto, api.AccessScan}
	case v.Measure == api.SimHash && v.Min.Cmp(api.Ratio(3, 4)) < 0:
		return []api.Access{api.AccessAuto, api.AccessScan} // hundreds of thousands of look-ups
	case v.Measure == api.SimHash:
		return []api.Access{api.AccessAuto, api.AccessRotated, api.AccessScan}
	}
	return append(out, api.AccessAuto, api.AccessSignature, api.AccessScan)
}

// compareAll asks everything of the store and of the model, and returns how many queries
// that were.
func compareAll(t *testing.T, db *DB, m *model, rng *rand.Rand, when string) (queries int) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.view.View("")
	if err != nil {
		t.Fatal(err)
	}
	ids := m.ids()
	for _, method := range testMethods(v.Settings) {
		k := method.Measure
		for i, th := range testThresholds {
			if k.OfTexts() && i%3 != 1 { // 0.9, 2/3 and 0: such pairs are slow to compare
				continue
			}
			if !k.OfTexts() && !chosen(rng, 2, 8) {
				continue
			}
			min, err := api.ParseThreshold(th)
			if err != nil {
				t.Fatal(err)
			}
			q := Search{Measure: k, Args: method.Args, Min: min}
			pairs, clusters := m.pairs(q), m.clusters(q)
			for _, q.Access = range accesses(q, v) {
				queries += 9 // pairs, groups, three times similar and nearest, a text
				what := fmt.Sprintf("%s: %s >= %s by %q", when, k.Describe(method.Args), th, q.Access)
				if got := pairRows(t, s, q); !slices.Equal(got, pairs) {
					t.Fatalf("%s: pairs: got %d, want %d\n%s", what, len(got), len(pairs), difference(got, pairs))
				}
				if n := len(pairs)/2 + 1; len(pairs) > 0 {
					q.Limit = n
					if got := pairRows(t, s, q); !slices.Equal(got, pairs[:n]) {
						t.Fatalf("%s: first %d pairs: got %d\n%s", what, n, len(got), difference(got, pairs[:n]))
					}
					q.Limit = 0
				}
				if method.Symmetric() {
					if got := clusterRows(t, s, q); !slices.Equal(got, clusters) {
						t.Fatalf("%s: clusters:\n%s", what, difference(got, clusters))
					}
				}
				for range 3 {
					id := ids[rng.IntN(len(ids))]
					if got, want := similarRows(t, s, api.ByID(id), q), m.similar(q, m.texts[id], id); !slices.Equal(got, want) {
						t.Fatalf("%s: similar to %s:\n%s", what, id, difference(got, want))
					} else if q.Limit = 1 + rng.IntN(6); len(want) > 0 {
						if len(want) > q.Limit {
							want = want[:q.Limit]
						}
						if got := similarRows(t, s, api.ByID(id), q); !slices.Equal(got, want) {
							t.Fatalf("%s: the %d nearest to %s:\n%s", what, q.Limit, id, difference(got, want))
						}
					}
					q.Limit = 0
				}
				g := texts{rng: rng, prose: v.Kept.Texts(), old: []string{m.texts[ids[0]], m.texts[ids[len(ids)/2]]}}
				text := g.next()
				if got, want := similarRows(t, s, api.ByText(text), q), m.similar(q, text, ""); !slices.Equal(got, want) {
					t.Fatalf("%s: similar to text %q:\n%s", what, text, difference(got, want))
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
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	defer func() { db.Close() }()
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	c := collectionOf(t, db, api.DefaultCollection)
	m := newModel(c.Analysis)
	g := &texts{rng: rng, prose: c.Kept.Texts()}
	rounds, puts := 3, 25
	if torture.Short() && c.Kept.Texts() { // slow, and slower with the race detector
		rounds, puts = 1, 12
	}
	for round := range rounds {
		for range puts {
			var b Batch
			for range 1 + rng.IntN(4) {
				id := fmt.Sprintf("d%03d", rng.IntN(70))
				if rng.IntN(4) == 0 {
					b.Delete("", id)
					m.delete(id)
				} else {
					text := g.next()
					b.Put(api.Document{ID: id, Text: text})
					m.put(id, text)
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
			db = openTest(t, o)
		}
		if seed%2 == 0 {
			settled(t, db)
		}
		checkClean(t, db, when)
		queries += compareAll(t, db, m, rng, when)
	}
	return queries
}

// A lossy filter may lose matches but must not invent any.
func TestIntervalFindsOnlyMatches(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 3))
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Unit: "char", K: 2, Intervals: "1-2,3-4"}); err != nil {
		t.Fatal(err)
	}
	c := collectionOf(t, db, api.DefaultCollection)
	m := newModel(c.Analysis)
	g := &texts{rng: rng}
	for i := range 60 {
		id, text := fmt.Sprintf("d%03d", i), g.next()
		m.put(id, text)
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for _, k := range []api.Measure{api.Jaccard, api.Multiset, api.Repetition} {
		q := Search{Measure: k, Min: api.Ratio(4, 5), Access: api.AccessInterval}
		want, found := 0, 0
		for _, id := range m.ids() {
			exact := m.similar(q, m.texts[id], id)
			want += len(exact)
			for _, r := range similarRows(t, s, api.ByID(id), q) {
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
	db := openTest(t, testOptions(vfs.NewMem()))
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
	q := Search{Min: api.Ratio(9, 10)}
	if got := len(similarRows(t, s, api.ByID("50"), q)); got != 1 {
		t.Errorf("exact search found %d documents, want 1", got)
	}
	q.Access = api.AccessInterval
	if got := len(similarRows(t, s, api.ByID("50"), q)); got != 0 {
		t.Errorf("interval search found %d documents, want 0: the filter is lossy here", got)
	}
}
