// Joins by the measures of texts, of texts that share very frequent sentences.

package pairs_test

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
	"github.com/simdb/simdb/internal/torture"
)

// licensed is texts that begin with the sentences of a licence, or of one that is nearly
// the same, and of which some have no sentence of their own.
func licensed(rng *rand.Rand, n int) (out []string) {
	licence := []string{
		"This File is free software under the terms of the General Public Licence of 1991.", "You may copy and share it, as long as Alice Cooper agrees.",
		"There is no warranty of any kind for it.", "See the folder Licences of London in 2020 for more.",
	}
	own := func() string {
		return fmt.Sprintf("The %s of %s meets number %d in %s.", []string{"Door", "Window", "House"}[rng.IntN(3)], []string{"Paris", "Rome"}[rng.IntN(2)], rng.IntN(9), []string{"May", "June"}[rng.IntN(2)])
	}
	for range n {
		var b strings.Builder
		for _, s := range licence {
			if rng.IntN(8) > 0 {
				b.WriteString(s)
			}
			b.WriteString([]string{" ", "\n\n"}[rng.IntN(2)])
		}
		for range rng.IntN(5) {
			b.WriteString(own() + "\n\n")
		}
		out = append(out, b.String())
	}
	return out
}

func TestJoinsOfTextsWithFrequentSentences(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	documents := torture.Few(40, 60)
	for seed := range uint64(torture.Few(1, 2)) {
		for _, memory := range []int64{0, 1 << 14} { // the second has no room for chunks
			o := enginetest.Options(vfs.NewMem())
			if memory > 0 {
				o.MemoryBytes = memory
			}
			db := enginetest.Open(t, o)
			if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
				t.Fatal(err)
			}
			m := testmodel.NewModel(enginetest.AnalysisOf(testmodel.KeepsAll))
			rng := rand.New(rand.NewPCG(seed, 40))
			for i, text := range licensed(rng, documents) {
				id := fmt.Sprintf("d%03d", i)
				if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
					t.Fatal(err)
				}
				m.Put(id, text)
			}
			for i := 0; i < documents; i += 7 {
				if err := db.Delete(ctx, "", fmt.Sprintf("d%03d", i)); err != nil {
					t.Fatal(err)
				}
				m.Delete(fmt.Sprintf("d%03d", i))
			}
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for _, by := range []api.Method{
				testmodel.By(api.Versions, api.Args{}), testmodel.By(api.Versions, api.Args{Bits: -1}), testmodel.By(api.Versions, api.Args{Bits: 7}),
				testmodel.By(api.Entities, api.Args{}), testmodel.By(api.Entities, api.Args{TF: true}), testmodel.By(api.SI, api.Args{SI: "m3a k4"}), testmodel.By(api.Words, api.Args{}),
			} {
				for _, min := range []string{"0.05", "1/2", "0.8", "1"} {
					q := engine.Search{Measure: by.Measure, Args: by.Args}
					q.Min, _ = api.ParseThreshold(min)
					want := m.Pairs(q)
					if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want) {
						t.Errorf("seed %d, memory %d, %v >= %s: %d pairs, want %d\n%s", seed, memory, by, min, len(got), len(want), testmodel.Difference(got, want))
					}
					if got, want := enginetest.ClusterRows(t, s, q), m.Clusters(q); !slices.Equal(got, want) {
						t.Errorf("seed %d, memory %d, clusters by %v >= %s:\n%s", seed, memory, by, min, testmodel.Difference(got, want))
					}
				}
			}
			s.Close()
			db.Close()
		}
	}
}

// A join of values that are all similar adds its edges in pieces, and counts all of them.
func TestJoinOfEqualValues(t *testing.T) {
	const n = 400 // a stretch has more edges than are held at once
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(t.Context(), api.DefaultCollection, api.Settings{SI: "m41b k1"}); err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("one two %03d", i)})
	}
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	res, err := s.Pairs(t.Context(), engine.Search{Measure: api.SI, Args: api.Args{SI: "m41b k1"}, Min: api.Ratio(1, 10)})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range res.All {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if want := n * (n - 1) / 2; rows != want || res.Plan.Verified != int64(want) {
		t.Errorf("%d rows, %d verified, want %d", rows, res.Plan.Verified, want)
	}
}
