// Joins by word frequencies, held against a scan for each document.

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
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/torture"
)

// scannedPairs are the pairs of the first collection of a search with itself or with
// another, as scans for each document find them.
func scannedPairs(t *testing.T, s *engine.Snapshot, q engine.Search, texts map[string]string) (out []string) {
	t.Helper()
	one := q
	one.Access, one.Against = api.AccessScan, nil
	if len(q.Against) > 0 {
		one.In = q.Against
	}
	for id, text := range texts {
		r, err := s.Similar(context.Background(), api.ByText(text), one)
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range r.All {
			if err != nil {
				t.Fatal(err)
			}
			if len(q.Against) > 0 || id < m.ID {
				out = append(out, fmt.Sprint(id, " ", m.ID, " ", m.Shared, "/", m.Of))
			}
		}
	}
	slices.Sort(out)
	return out
}

// joinedPairs are the same by a join.
func joinedPairs(t *testing.T, s *engine.Snapshot, q engine.Search) (out []string) {
	t.Helper()
	r, err := s.Pairs(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range r.All {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(m.A, " ", m.B, " ", m.Shared, "/", m.Of))
	}
	slices.Sort(out)
	return out
}

// Joins equal scans with and without idf, in one collection and between two, after changes
// and when opened again, with memory for all vectors and for a few.
func TestJoinsByWordsEqualScans(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	real := realtext.Lines(t, "linuxdoc.jsonl.gz", 90)
	for seed, memory := range []int64{0, 1 << 14, 1 << 16} {
		o := enginetest.Options(vfs.NewMem())
		if memory > 0 {
			o.MemoryBytes = memory
		}
		db := enginetest.Open(t, o)
		texts := map[string]map[string]string{"left": {}, "right": {}}
		years := map[string]int{}
		for name := range texts {
			if err := db.CreateCollection(ctx, name, api.Settings{Words: true, Index: "year"}); err != nil {
				t.Fatal(err)
			}
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 43))
		next := func() string {
			if rng.IntN(2) == 0 && len(real) > 0 {
				words := strings.Fields(real[rng.IntN(min(len(real), 40))])
				return strings.Join(words[:min(len(words), 300)], " ")
			}
			var words []string
			for range 1 + rng.IntN(40) {
				words = append(words, fmt.Sprint("w", min(rng.IntN(30), rng.IntN(30))))
			}
			return strings.Join(words, " ")
		}
		found := 0
		for round := range torture.Few(2, 3) {
			for range torture.Few(50, 90) {
				c, id := []string{"left", "right"}[rng.IntN(2)], fmt.Sprintf("d%02d", rng.IntN(60))
				if _, there := texts[c][id]; there && rng.IntN(3) == 0 {
					if err := db.Delete(ctx, c, id); err != nil {
						t.Fatal(err)
					}
					delete(texts[c], id)
					continue
				}
				text := next()
				if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: text, Meta: map[string]any{"year": len(text) % 9}}); err != nil {
					t.Fatal(err)
				}
				texts[c][id] = text
				years[c+id] = len(text) % 9
			}
			if round == 1 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = enginetest.Open(t, o)
			}
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for range torture.Few(4, 8) {
				q := engine.Search{Measure: api.Words, Args: api.Args{IDF: rng.IntN(2) == 0}, In: []string{"left"}}
				q.Min = api.Ratio(uint64(1+rng.IntN(100)), 100)
				if rng.IntN(2) == 0 {
					q.Against = []string{"right"}
				}
				got, want := joinedPairs(t, s, q), scannedPairs(t, s, q, texts["left"])
				if !slices.Equal(got, want) {
					t.Errorf("seed %d, round %d, %v >= %s against %v: %d pairs, want %d", seed, round, q.Method(), q.Min, q.Against, len(got), len(want))
				}
				found += len(want)
				all := len(want)
				others := append(q.Against, "left")[0]
				for n := range 9 { // so few that they are looked for, from either side
					for side, c := range []string{"left", others} {
						where := q
						*[]**engine.Fields{&where.Where, &where.WhereB}[side] = enginetest.Year(n)
						of := func(rows []string) []string { // other documents of a set come too
							return slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return years[c+strings.Fields(row)[side]] != n })
						}
						if got := of(joinedPairs(t, s, where)); !slices.Equal(got, of(want)) {
							t.Errorf("seed %d, round %d, %v >= %s against %v: other pairs where side %d is of %d", seed, round, q.Method(), q.Min, q.Against, side, n)
						}
					}
				}
				if q.Limit = 5; len(joinedPairs(t, s, q)) != min(5, all) {
					t.Errorf("seed %d: LIMIT 5 of %d pairs", seed, all)
				}
			}
			s.Close()
		}
		if found == 0 {
			t.Error("nothing was similar to anything")
		}
		db.Close()
	}
}

// A join that searches for each set says beforehand what it will cost.
func TestSearchesForEachAreSampled(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Patricia: true}); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(4, 3)), Prose: true}
	var b engine.Batch
	for i := range 200 {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint(i, " ", g.Next())})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := enginetest.PairsPlan(ctx, s, engine.Search{Measure: api.Patricia, Min: api.Ratio(4, 5)})
	if err != nil || !strings.Contains(p.Why, "a search for each of 200 sets, about ") || !strings.Contains(p.Why, " samples on ") {
		t.Errorf("EXPLAIN says %q, %v", p.Why, err)
	}
}
