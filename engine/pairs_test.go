package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/measure"
)

// Pairs of two collections are those of brute force, within and across, by every
// measure and access. Both number their sets from 0, so that a set of one must
// not be taken for that of the other.
func TestPairsOfTwoCollections(t *testing.T) {
	const seed = 6
	for _, settle := range []bool{true, false} { // segments and a tail, or a tail alone
		t.Run(fmt.Sprintf("settled=%v", settle), func(t *testing.T) {
			ctx := context.Background()
			o := testOptions(vfs.NewMem())
			if !settle {
				o.segmentSets = 1 << 20
			}
			db := openTest(t, o)
			defer db.Close()
			g := &texts{rng: rand.New(rand.NewPCG(seed, 0))}
			whole := newModel(mustCollection(t, Settings{}).analysis)
			inLeft := map[string]bool{}
			for _, name := range []string{"left", "right"} {
				if err := db.CreateCollection(ctx, name, Settings{}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 50 {
				c, id, text := []string{"left", "right"}[i%2], fmt.Sprintf("d%02d", i), g.next()
				if err := db.Put(ctx, Document{Collection: c, ID: id, Text: text}); err != nil {
					t.Fatal(err)
				}
				whole.put(id, text)
				inLeft[id] = c == "left"
			}
			if settle {
				settled(t, db)
			}
			s, _ := db.Snapshot()
			defer s.Close()
			for _, m := range testMethods(Settings{}) {
				for _, min := range []measure.Threshold{measure.Ratio(1, 1), measure.Ratio(4, 5), measure.Ratio(1, 2), measure.Ratio(1, 10)} {
					q := Search{Measure: m.Measure, Args: m.Args, Min: min}
					want := whole.pairs(q)
					across := whole.across(q, inLeft)
					for _, q.Access = range accesses(q, s.views[0].minSim) {
						what := fmt.Sprintf("seed %d: %v >= %v by %q", seed, m, min, q.Access)
						q.In, q.Against = []string{"left", "right"}, nil
						if got := pairRows(t, s, q); !slices.Equal(got, want) {
							t.Fatalf("%s: within both:\n%s", what, difference(got, want))
						}
						q.In, q.Against = []string{"left"}, []string{"right"}
						got := pairRows(t, s, q)
						slices.Sort(got)
						if !slices.Equal(got, across) {
							t.Fatalf("%s: against:\n%s", what, difference(got, across))
						}
					}
				}
			}
		})
	}
}

// across pairs the documents of the left with those of the right, in the order of
// the rows' strings.
func (m *model) across(q Search, inLeft map[string]bool) (out []string) {
	out = []string{}
	for _, a := range m.ids() {
		for _, b := range m.ids() {
			if !inLeft[a] || inLeft[b] {
				continue
			}
			if s, ok := m.score(q, m.texts[a], m.bags[a], b); ok && q.Min.Admits(s.Shared, s.Of) {
				out = append(out, rowString(q, a, b, s.Sim(), s.Shared, s.Union))
			}
		}
	}
	slices.Sort(out)
	return out
}
