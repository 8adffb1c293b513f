package join

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// worldOf makes a world of bags, in the order counted over all of them.
func worldOf(bags []shingle.Bag) *world {
	members := 0
	for _, bag := range bags {
		members += len(bag.Set)
	}
	b := index.NewOrderBuilder(uint64(members))
	w := &world{bags: bags}
	for i, bag := range bags {
		b.Add(bag.Set)
		w.table.Put(uint32(i), factsOf(bag))
	}
	w.layout = index.Layout{Order: b.Order()}
	return w
}

func TestCorpusJoinEqualsBruteForce(t *testing.T) {
	n := 3000
	if torture.Short() {
		n = 1200
	}
	bags := drawn.FromTexts(realtext.Lines(t, "nsf.jsonl.gz", 1)[:n])
	w := worldOf(bags)
	w.layout.Order = orderOf(16, bags[:500]) // as if frozen early
	segments := w.cut(t, 3, nil)
	var found []Pair // sim >= 0.5 by comparing all with all
	for a, x := range bags {
		for b, y := range bags[:a] {
			need := (max(len(x.Set), len(y.Set)) + 1) / 2
			if shared := shingle.Shared(x.Set, y.Set, need); 3*shared >= len(x.Set)+len(y.Set) {
				found = append(found, Pair{uint32(b), uint32(a)})
			}
		}
	}
	slices.SortFunc(found, comparePairs)
	for _, percent := range []uint64{90, 80, 73, 50} {
		at := api.Ratio(percent, 100)
		want := w.verified(found, at)
		got, stats, err := joined(context.Background(), w, segments, at, 64<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.verified(got, at); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("Join at %v: %d pairs, want %d, lost %v", at, len(got), len(want), drawn.Missing(got, want))
		}
		t.Logf("sim >= %v: %d sets, %+v, %d matches", at, len(bags), stats, len(want))
	}
}

// joined is the join of all sets by resemblance.
func joined(ctx context.Context, w *world, segments []index.Stored, at api.Threshold, memory int64) ([]Pair, Stats, error) {
	o := &Sets{Formula: measure.Resemblance, Min: at, Sides: []Side{{w.table.View(), PostedTokens(segments, w.layout)}}}
	g := &gathering{}
	stats, err := o.Pairs(ctx, 2, memory, g.add)
	pairs, err := g.pairs(err)
	return pairs, stats, err
}

func BenchmarkSets(b *testing.B) {
	for _, name := range []string{"linuxdoc.jsonl.gz", "nsf.jsonl.gz"} {
		w := worldOf(drawn.FromTexts(realtext.Lines(b, name, 1)))
		segments := w.cut(b, 1, nil)
		for _, percent := range []uint64{90, 80, 50} {
			b.Run(fmt.Sprintf("%s/%d%%", name, percent), func(b *testing.B) {
				b.ReportAllocs()
				at := api.Ratio(percent, 100)
				var pairs []Pair
				var stats Stats
				for b.Loop() {
					var err error
					if pairs, stats, err = joined(b.Context(), w, segments, at, 256<<20); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(stats.Postings), "postings/op")
				b.ReportMetric(float64(stats.Pairs), "met/op")
				b.ReportMetric(float64(stats.Length), "counted/op")
				b.ReportMetric(float64(len(pairs)), "candidates/op")
				b.ReportMetric(float64(len(w.verified(pairs, at))), "matches/op")
			})
		}
	}
}
