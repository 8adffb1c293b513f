// Questions by shingles of another length than the collection's, against brute force
// (docs/decisions/0059).

package search_test

import (
	"context"
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
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/internal/torture"
)

// methodsAt are the measures of bags by shingles of k tokens.
func methodsAt(k int) (out []api.Method) {
	for _, m := range enginetest.Methods(api.Settings{}) {
		if m.Measure.OfBags() {
			m.Args.K = k
			out = append(out, m)
		}
	}
	return out
}

// documentFor is a document of a model's collection: own tokens are its words.
func documentFor(m *testmodel.Model, id, doc string) api.Document {
	d := api.Document{ID: id, Text: doc}
	if m.Analysis.Unit == text.Own {
		d.Tokens = append([]string{}, strings.Fields(doc)...)
	}
	return d
}

// targetFor is a text as a target of such a collection.
func targetFor(m *testmodel.Model, doc string) api.Target {
	if m.Analysis.Unit == text.Own {
		return api.ByTokens(documentFor(m, "", doc).Tokens)
	}
	return api.ByText(doc)
}

func TestOtherKEqualsBruteForce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seeds, shorter, found := uint64(4), 0, 0
	if torture.Short() {
		seeds = 1
	}
	for _, settings := range []api.Settings{{}, {K: 1}, {K: 7}, {Unit: "char"}, {Unit: "token", K: 2},
		{K: 2, Words: true}, {Unit: "char", K: 3, Patricia: true}} {
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 59))
			db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			m := testmodel.NewModel(enginetest.AnalysisOf(settings))
			g := &testmodel.Texts{Rng: rng}
			for range 3 {
				for range 60 {
					id := fmt.Sprintf("d%02d", rng.IntN(60))
					var err error
					switch doc := g.Next(); rng.IntN(8) {
					case 0:
						_, err = db.Commit(ctx, deletion(id))
						m.Delete(id)
					case 1: // as many words as decide
						doc = strings.Join(strings.Fields(doc)[:min(rng.IntN(4), len(strings.Fields(doc)))], " ")
						fallthrough
					default:
						err = db.Put(ctx, documentFor(m, id, doc))
						m.Put(id, doc)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if rng.IntN(2) == 0 {
					enginetest.Settled(t, db)
				}
				for _, k := range []int{1, 2, 3, 5, 8, 100} {
					other := m.Reread(k)
					for id, bag := range other.Bags {
						if n := uint64(len(m.Bags[id].Set)); n == 1 && bag.Total > 1 {
							shorter++
						}
					}
					found += sameByOtherK(t, db, m, other, rng, g, fmt.Sprintf("%+v, seed %d, k = %d", settings, seed, k))
				}
				if t.Failed() {
					break
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if shorter == 0 || found == 0 {
		t.Errorf("%d documents were shorter than k of the collection and not than the other, %d rows were found", shorter, found)
	}
}

func deletion(id string) *engine.Batch {
	var b engine.Batch
	b.Delete("", id)
	return &b
}

// sameByOtherK asks by the k of the model other, and returns how many rows there were.
func sameByOtherK(t *testing.T, db *engine.DB, m, other *testmodel.Model, rng *rand.Rand, g *testmodel.Texts, when string) (rows int) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := m.IDs()
	for _, method := range methodsAt(other.Analysis.K) {
		for _, th := range enginetest.Thresholds {
			if !enginetest.Chosen(rng, 3, 6) {
				continue
			}
			min, err := api.ParseThreshold(th)
			if err != nil {
				t.Fatal(err)
			}
			q := engine.Search{Measure: method.Measure, Args: method.Args, Min: min, Access: []api.Access{api.AccessAuto, api.AccessScan}[rng.IntN(2)]}
			id := ids[rng.IntN(len(ids))]
			probe := g.Next()
			if rng.IntN(2) == 0 {
				probe = m.Texts[ids[rng.IntN(len(ids))]]
			}
			for but, target := range map[string]api.Target{id: api.ByID(id), "": targetFor(m, probe)} {
				doc := probe
				if but != "" {
					doc = m.Texts[but]
				}
				want := other.Similar(q, doc, but)
				if got := enginetest.SimilarRows(t, s, target, q); !slices.Equal(got, want) {
					t.Errorf("%s: %v >= %s of %q:\n%s", when, method, th, doc, testmodel.Difference(got, want))
				}
				rows += len(want)
				if q.Limit = 1 + rng.IntN(5); len(want) > q.Limit {
					want = want[:q.Limit]
				}
				if got := enginetest.SimilarRows(t, s, target, q); !slices.Equal(got, want) {
					t.Errorf("%s: first %d by %v >= %s of %q:\n%s", when, q.Limit, method, th, doc, testmodel.Difference(got, want))
				}
				q.Limit = 0
			}
			a, b := ids[rng.IntN(len(ids))], ids[rng.IntN(len(ids))]
			got, err := s.CompareBy(context.Background(), api.ByID(a), api.ByID(b), nil, []api.Method{method, {Measure: method.Measure, Args: api.Args{Alpha: method.Args.Alpha, Beta: method.Args.Beta}}}, api.Ignoring{})
			if err != nil {
				t.Fatal(err)
			}
			for i, of := range []*testmodel.Model{other, m} {
				want := measure.FormulaOf(method.Measure, method.Args).Score(of.Bags[a], of.Bags[b])
				if none := len(of.Bags[a].Set) == 0 || len(of.Bags[b].Set) == 0; got[i].None != none || !none && (got[i].Shared != want.Shared || got[i].Sim != want.Sim()) {
					t.Errorf("%s: comparison %d of %s with %s by %v = %+v, want %+v", when, i, a, b, method, got[i], want)
				}
			}
		}
	}
	return rows
}

// Real texts, by one and by two words in a collection of three.
func TestOtherKOfRealTexts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
	defer db.Close()
	m := testmodel.NewModel(enginetest.AnalysisOf(api.Settings{}))
	var b engine.Batch
	for i, doc := range realtext.Files(t, "spdx") {
		if i%torture.Few(9, 3) == 0 {
			id := fmt.Sprintf("l%03d", i)
			b.Put(api.Document{ID: id, Text: doc})
			m.Put(id, doc)
		}
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := m.IDs()
	for _, k := range []int{1, 2, 6} {
		other, rows := m.Reread(k), 0
		for i, method := range methodsAt(k) {
			for j := range 6 {
				id := ids[(i*37+j*11)%len(ids)]
				q := engine.Search{Measure: method.Measure, Args: method.Args, Min: api.Ratio(uint64(3+j), 10)}
				got, want := enginetest.SimilarRows(t, s, api.ByID(id), q), other.Similar(q, m.Texts[id], id)
				if !slices.Equal(got, want) {
					t.Errorf("%v >= %s of %s:\n%s", method, q.Min, id, testmodel.Difference(got, want))
				}
				rows += len(want)
			}
		}
		if rows == 0 {
			t.Errorf("k = %d: nothing was similar to anything", k)
		}
	}
}

// Two documents of one set may differ by another k: these have the same runs of three words,
// in another order, and other runs of four.
func TestOtherKOfOneSet(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "a b a b c a b"}, api.Document{ID: "b", Text: "a b c a b a b"}, api.Document{ID: "c", Text: "a b c a b a b"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info, err := s.Collection(""); err != nil || info.Sets != 1 {
		t.Fatalf("%d sets, %v, want 1: choose other texts", info.Sets, err)
	}
	q := engine.Search{Measure: api.Multiset, Args: api.Args{K: 4}, Min: api.Ratio(1, 100)}
	m := testmodel.NewModel(shingle.Analysis{Unit: text.Word, K: 4})
	m.Put("a", "a b a b c a b")
	m.Put("b", "a b c a b a b")
	m.Put("c", "a b c a b a b")
	got, want := enginetest.SimilarRows(t, s, api.ByID("b"), q), m.Similar(q, m.Texts["b"], "b")
	if !slices.Equal(got, want) || len(want) != 2 || strings.Fields(want[0])[1] == strings.Fields(want[1])[1] {
		t.Errorf("similar to b: %q, want %q, which are two of different sim", got, want)
	}
}
