// Pairs by quotes, whose equal texts may score less than 1: columns of digits are no quotations.

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
)

func TestPairsByQuotesOfEqualTexts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const words = 4 // of a row
	rng := rand.New(rand.NewPCG(7, 11))
	text := func() string {
		return strings.Repeat("0 ", rng.IntN(4)*5) + []string{"the keeper counts the lamps", "the keeper counts the ships at noon", ""}[rng.IntN(3)] + strings.Repeat(" 7", rng.IntN(3)*6)
	}
	texts := map[string]string{}
	var ids []string
	for i := range 40 {
		id := fmt.Sprintf("d%02d", i)
		ids, texts[id] = append(ids, id), text()
	}
	for _, memory := range []int64{0, 1 << 14} { // the second divides levels
		o := enginetest.Options(vfs.NewMem())
		if memory > 0 {
			o.MemoryBytes = memory
		}
		db := enginetest.Open(t, o)
		if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Words: true}); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if err := db.Put(ctx, api.Document{ID: id, Text: texts[id]}); err != nil {
				t.Fatal(err)
			}
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, least := range []api.Threshold{api.Ratio(1, 100), api.Ratio(1, 2), api.Ratio(4, 5), api.Ratio(1, 1)} {
			for _, directed := range []bool{false, true} {
				q := engine.Search{Measure: api.Quotes, Args: api.Args{Min: words}, Min: least}
				q.Directed = directed
				type row struct {
					measure.Score
					a, b string
				}
				var rows []row
				below := 0 // of equal texts
				for _, a := range ids {
					quotes := measure.NewQuotes(texts[a], enginetest.AnalysisOf(api.Settings{}).Form, words)
					for _, b := range ids {
						score, _ := quotes.Score(texts[b])
						if quotes.None() && texts[a] == texts[b] { // nothing to count
							score = measure.Score{Shared: 1, Union: 1, Of: 1}
						}
						if a == b || !directed && b < a || score.Shared == 0 || !score.Reaches(least) {
							continue
						}
						if rows = append(rows, row{score, a, b}); texts[a] == texts[b] && score.Shared < score.Of {
							below++
						}
					}
				}
				if below == 0 && least.Cmp(api.Ratio(4, 5)) < 0 {
					t.Fatal("no pair of equal texts has a sim below 1")
				}
				slices.SortFunc(rows, func(x, y row) int {
					return cmp.Or(y.Compare(x.Score), strings.Compare(x.a, y.a), strings.Compare(x.b, y.b))
				})
				want := []string{}
				for _, r := range rows {
					want = append(want, testmodel.RowString(q, r.a, r.b, r.Sim(), r.Shared, r.Union))
				}
				if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want) {
					t.Errorf("memory %d, directed %t, quotes >= %s: %d pairs, want %d\n%s", memory, directed, least, len(got), len(want), testmodel.Difference(got, want))
				}
				q.Limit = 3
				if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want[:min(3, len(want))]) {
					t.Errorf("memory %d, directed %t, quotes >= %s LIMIT 3: %v, want %v", memory, directed, least, got, want[:min(3, len(want))])
				}
				q.Limit = 0
				counted := int64(0)
				r, err := s.CountPairs(ctx, q, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				for c, err := range r.All {
					if err != nil {
						t.Fatal(err)
					}
					counted += c.Rows
				}
				if counted != int64(len(want)) {
					t.Errorf("memory %d, directed %t, quotes >= %s: count %d, want %d", memory, directed, least, counted, len(want))
				}
			}
		}
		s.Close()
		db.Close()
	}
}
