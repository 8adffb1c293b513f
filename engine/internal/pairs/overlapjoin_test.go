// Joins by what sets share, against brute force: every measure of bags, low and exact
// thresholds, two collections, churn and limits.

package pairs_test

import (
	"cmp"
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
	"github.com/simdb/simdb/internal/torture"
)

// bagMethods are the measures of bags.
func bagMethods() (out []api.Method) {
	for _, m := range enginetest.Methods(api.Settings{}) {
		if m.Measure.OfBags() {
			out = append(out, m)
		}
	}
	return out
}

// repetitive makes texts in which some words come again and again.
func repetitive(rng *rand.Rand, old []string) string {
	var words []string
	if len(old) > 0 && rng.IntN(3) > 0 {
		words = strings.Fields(old[rng.IntN(len(old))])
		for range rng.IntN(1 + len(words)/4) {
			words[rng.IntN(len(words))] = fmt.Sprint("w", rng.IntN(60))
		}
		words = words[rng.IntN(1+len(words)/3):]
	}
	for range 1 + rng.IntN(25) {
		words = append(words, fmt.Sprint("w", rng.IntN(60)))
	}
	if rng.IntN(3) == 0 {
		words = append(words, strings.Fields(strings.Repeat(fmt.Sprint("w", rng.IntN(60), " "), rng.IntN(40)))...)
	}
	return strings.Join(words, " ")
}

func TestOverlapJoinsEqualBruteForce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for seed, settings := range [][2]api.Settings{
		{{K: 1}, {K: 1}}, {{K: 1}, {K: 1, Words: true}}, {{K: 2}, {K: 2}}, {{Unit: "token", K: 2}, {Unit: "token", K: 2}},
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(seed), 5))
			o := enginetest.Options(vfs.NewMem())
			db := enginetest.Open(t, o)
			defer func() { db.Close() }()
			whole, left, inLeft := testmodel.NewModel(enginetest.AnalysisOf(settings[0])), testmodel.NewModel(enginetest.AnalysisOf(settings[0])), map[string]bool{}
			for i, name := range []string{"left", "right"} {
				if err := db.CreateCollection(ctx, name, settings[i]); err != nil {
					t.Fatal(err)
				}
			}
			for round := range 2 {
				for range torture.Few(60, 90) {
					i := rng.IntN(70)
					c, id := []string{"left", "right"}[i%2], fmt.Sprintf("d%02d", i)
					var b engine.Batch
					if rng.IntN(5) == 0 {
						b.Delete(c, id)
						whole.Delete(id)
						left.Delete(id)
					} else {
						var old []string
						for _, id := range whole.IDs() {
							old = append(old, whole.Texts[id])
						}
						text := repetitive(rng, old)
						d := api.Document{Collection: c, ID: id, Text: text}
						if settings[0].Unit == "token" {
							d.Tokens = strings.Fields(text)
						}
						b.Put(d)
						whole.Put(id, text)
						if inLeft[id] = i%2 == 0; inLeft[id] {
							left.Put(id, text)
						}
					}
					if _, err := db.Commit(ctx, &b); err != nil {
						t.Fatal(err)
					}
				}
				if round == 1 {
					if err := db.Compact(ctx); err != nil {
						t.Fatal(err)
					}
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					db = enginetest.Open(t, o)
				}
				compareOverlaps(t, db, rng, whole, left, inLeft, fmt.Sprintf("seed %d, round %d", seed, round))
			}
		})
	}
}

func compareOverlaps(t *testing.T, db *engine.DB, rng *rand.Rand, whole, left *testmodel.Model, inLeft map[string]bool, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, m := range bagMethods() {
		for _, at := range []api.Threshold{{}, api.Ratio(1, 20), api.Ratio(3, 10), api.Ratio(1, 2), api.Ratio(2, 3), api.Ratio(4, 5), api.Ratio(1, 1)} {
			if !enginetest.Chosen(rng, 3, 12) {
				continue
			}
			q := engine.Search{Measure: m.Measure, Args: m.Args, Min: at, In: []string{"left"}}
			what := fmt.Sprintf("%s: %s >= %v", when, m.Measure.Describe(m.Args), at)
			check := func(where string, want []string) {
				t.Helper()
				got := enginetest.PairRows(t, s, q)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %s: got %d, want %d\n%s", what, where, len(got), len(want), testmodel.Difference(got, want))
				}
				for _, q.Limit = range []int{1, len(want)/3 + 1} {
					if n := min(q.Limit, len(want)); !slices.Equal(enginetest.PairRows(t, s, q), want[:n]) {
						t.Fatalf("%s: %s: the first %d are others", what, where, n)
					}
				}
				q.Limit = 0
			}
			check("one", left.Pairs(q))
			q.In = []string{"left", "right"}
			check("both", whole.Pairs(q))
			if m.Symmetric() {
				if got, want := enginetest.ClusterRows(t, s, q), whole.Clusters(q); !slices.Equal(got, want) {
					t.Fatalf("%s: clusters:\n%s", what, testmodel.Difference(got, want))
				}
			}
			q.In, q.Against = []string{"left"}, []string{"right"}
			check("against", byScore(whole, q, inLeft))
			if p, err := enginetest.PairsPlan(context.Background(), s, q); err != nil || !strings.Contains(p.Why, "shared tokens") {
				t.Fatalf("%s: against: the plan is %+v, %v", what, p, err)
			}
		}
	}
}

// byScore is across in the order of rows.
func byScore(m *testmodel.Model, q engine.Search, inLeft map[string]bool) (out []string) {
	type row struct {
		a, b  string
		score measure.Score
	}
	var rows []row
	for _, a := range m.IDs() {
		for _, b := range m.IDs() {
			if inLeft[a] && !inLeft[b] {
				if s, ok := m.Score(q, m.Texts[a], m.Bags[a], b); ok && s.Reaches(q.Min) {
					rows = append(rows, row{a, b, s})
				}
			}
		}
	}
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(y.score.Compare(x.score), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	out = []string{}
	for _, r := range rows {
		out = append(out, testmodel.RowString(q, r.a, r.b, r.score.Sim(), r.score.Shared, r.score.Union))
	}
	return out
}

// Real texts, of two subjects, with memory for one round or for many.
func TestOverlapJoinsOfRealTexts(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	ctx := context.Background()
	most := torture.Few(60, 300)
	for _, corpus := range []string{"nsf.jsonl.gz", "linuxdoc.jsonl.gz"} {
		texts := realtext.Lines(t, corpus, 3)
		texts = texts[:min(most, len(texts))]
		for i, settings := range []api.Settings{{}, {K: 1}} {
			o := enginetest.Options(vfs.NewMem())
			o.MemoryBytes = []int64{64 << 20, 1 << 20}[i]
			db := enginetest.Open(t, o)
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			analysis := enginetest.AnalysisOf(settings)
			var bags []shingle.Bag
			for n, text := range texts {
				if err := db.Put(ctx, api.Document{ID: fmt.Sprintf("%04d", n), Text: text}); err != nil {
					t.Fatal(err)
				}
				bags = append(bags, analysis.Bag(text))
			}
			s, _ := db.Snapshot()
			for _, m := range bagMethods() {
				for _, min := range []api.Threshold{api.Ratio(1, 10), api.Ratio(1, 2), api.Ratio(4, 5)} {
					q := engine.Search{Measure: m.Measure, Args: m.Args, Min: min}
					var want []string
					for a := range bags {
						for b := a + 1; b < len(bags); b++ {
							if score, ok := measure.FormulaOf(m.Measure, m.Args).Match(bags[a], bags[b], min); ok {
								want = append(want, testmodel.RowString(q, fmt.Sprintf("%04d", a), fmt.Sprintf("%04d", b), score.Sim(), score.Shared, score.Union))
							}
						}
					}
					got := enginetest.PairRows(t, s, q)
					slices.Sort(got)
					slices.Sort(want)
					if !slices.Equal(got, want) {
						t.Errorf("%s, %+v: %s >= %v: %d rows, want %d\n%s", corpus, settings, m.Measure.Describe(m.Args), min, len(got), len(want), testmodel.Difference(got, want))
					}
				}
			}
			s.Close()
			db.Close()
		}
	}
}
