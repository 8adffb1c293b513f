// Several collections: searched as one, paired across, dropped.

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
	"github.com/simdb/simdb/internal/keys"
)

// Several collections are searched as one, and paired across.
func TestCollections(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	rng := rand.New(rand.NewPCG(5, 5))
	g := &testmodel.Texts{Rng: rng, Prose: true}
	whole := testmodel.NewModel(enginetest.AnalysisOf(testmodel.KeepsAll))
	for _, name := range []string{"left", "right"} {
		if err := db.CreateCollection(ctx, name, testmodel.KeepsAll); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		c, id, text := []string{"left", "right"}[i%2], fmt.Sprintf("d%02d", i), g.Next()
		if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
		whole.Put(id, text)
	}
	enginetest.Settled(t, db)
	s, _ := db.Snapshot()
	defer s.Close()
	q := engine.Search{Min: api.Ratio(1, 2), In: []string{"left", "right"}}
	for _, m := range enginetest.Methods(testmodel.KeepsAll) {
		q.Measure, q.Args = m.Measure, m.Args
		want := whole.Pairs(q)
		for _, q.In = range [][]string{{"left", "right"}, {"right", "left"}} {
			if got := enginetest.PairRows(t, s, q); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%v: pairs in %v:\n%s", m, q.In, testmodel.Difference(got, want))
			}
		}
	}
	q.Measure, q.Args = api.Jaccard, api.Args{}
	want := whole.Pairs(q)
	if got, want := enginetest.ClusterRows(t, s, q), whole.Clusters(q); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("clusters in both:\n%s", testmodel.Difference(got, want))
	}
	if got, want := enginetest.SimilarRows(t, s, api.ByID("d07"), q), whole.Similar(q, whole.Texts["d07"], "d07"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("similar in both:\n%s", testmodel.Difference(got, want))
	}
	inLeft := func(id string) bool { return (int(id[1]-'0')*10+int(id[2]-'0'))%2 == 0 }
	across := map[string]bool{}
	for _, row := range want {
		f := strings.Fields(row)
		if inLeft(f[0]) != inLeft(f[1]) {
			if !inLeft(f[0]) {
				f[0], f[1] = f[1], f[0]
			}
			across[strings.Join(f, " ")] = true
		}
	}
	q.In, q.Against = []string{"left"}, []string{"right"}
	got := enginetest.PairRows(t, s, q)
	for _, row := range got {
		if !across[row] {
			t.Errorf("AGAINST found %s", row)
		}
	}
	if len(got) != len(across) || len(got) == 0 {
		t.Errorf("AGAINST found %d pairs, want %d", len(got), len(across))
	}
	if err := db.DropCollection(ctx, "left"); err != nil {
		t.Fatal(err)
	}
	if n := len(enginetest.SimilarRows(t, s, api.ByID("d08"), engine.Search{In: []string{"left"}})); n == 0 {
		t.Error("a snapshot taken before the drop finds nothing")
	}
	if got, err := enginetest.FirstKey(db, keys.Document); err != nil || got != 2 {
		t.Errorf("after the drop the first document is of collection %d, %v, want 2", got, err)
	}
	enginetest.CheckClean(t, db, "after the drop")
}

// Documents of two collections may have one id; their pairs stay in order.
func TestEqualIDsInTwoCollections(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for _, c := range []string{"left", "right"} {
		for _, id := range []string{"a", "b", "c"} {
			if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: "the same few words everywhere"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	r, err := s.Pairs(ctx, engine.Search{Min: api.Ratio(1, 1), In: []string{"left", "right"}})
	rows := testmodel.Collect(t, r, err)
	if len(rows) != 15 {
		t.Errorf("%d pairs of 6 equal documents, want 15", len(rows))
	}
	for i, m := range rows[1:] {
		if last := rows[i]; last.A > m.A || last.A == m.A && last.B > m.B {
			t.Errorf("row %d (%s, %s) stands before (%s, %s)", i, last.A, last.B, m.A, m.B)
		}
	}
}

// Groups of two collections that have one smallest id come in the order of these.
func TestGroupsOfEqualIDs(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for _, c := range []string{"left", "right"} {
		for _, id := range []string{"a", "b"} {
			if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: "a text of its own in the " + c}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for range 50 { // maps have no order
		r, err := s.Clusters(ctx, engine.Search{Min: api.Ratio(1, 1), In: []string{"left", "right"}})
		for i, m := range testmodel.Collect(t, r, err) {
			if want := []string{"left", "right"}[i/2]; m.Collection != want || m.Cluster != "a" {
				t.Fatalf("member %d is %+v, want one of the group of %s", i, m, want)
			}
		}
	}
}

// Pairs of two collections are those of brute force, within and across, by every
// measure and access. Both number their sets from 0, so that a set of one must
// not be taken for that of the other.
func TestPairsOfTwoCollections(t *testing.T) {
	t.Parallel()
	const seed = 6
	for _, settle := range []bool{true, false} { // segments and a tail, or a tail alone
		t.Run(fmt.Sprintf("settled=%v", settle), func(t *testing.T) {
			ctx := context.Background()
			o := enginetest.Options(vfs.NewMem())
			if !settle {
				o.SegmentSets = 1 << 20
			}
			db := enginetest.Open(t, o)
			defer db.Close()
			g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(seed, 0))}
			whole := testmodel.NewModel(enginetest.AnalysisOf(api.Settings{}))
			inLeft := map[string]bool{}
			for _, name := range []string{"left", "right"} {
				if err := db.CreateCollection(ctx, name, api.Settings{}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 50 {
				c, id, text := []string{"left", "right"}[i%2], fmt.Sprintf("d%02d", i), g.Next()
				if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: text}); err != nil {
					t.Fatal(err)
				}
				whole.Put(id, text)
				inLeft[id] = c == "left"
			}
			if settle {
				enginetest.Settled(t, db)
			}
			s, _ := db.Snapshot()
			defer s.Close()
			for _, m := range enginetest.Methods(api.Settings{}) {
				for _, min := range []api.Threshold{api.Ratio(1, 1), api.Ratio(4, 5), api.Ratio(1, 2), api.Ratio(1, 10)} {
					q := engine.Search{Measure: m.Measure, Args: m.Args, Min: min}
					want := whole.Pairs(q)
					across := whole.Across(q, inLeft)
					for _, q.Access = range enginetest.Accesses(q, enginetest.View(s).Views[0]) {
						what := fmt.Sprintf("seed %d: %v >= %v by %q", seed, m, min, q.Access)
						q.In, q.Against = []string{"left", "right"}, nil
						if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want) {
							t.Fatalf("%s: within both:\n%s", what, testmodel.Difference(got, want))
						}
						q.In, q.Against = []string{"left"}, []string{"right"}
						got := enginetest.PairRows(t, s, q)
						slices.Sort(got)
						if !slices.Equal(got, across) {
							t.Fatalf("%s: against:\n%s", what, testmodel.Difference(got, across))
						}
					}
				}
			}
		})
	}
}
