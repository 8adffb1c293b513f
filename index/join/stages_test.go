package join

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// These tests look at what joins tell of how far they are.

// Each join tells of its reading, and of what it does then.
func TestJoinsTellTheirStages(t *testing.T) {
	w := newWorld(1, 600, 30, "wide", 8, false)
	min := api.Ratio(3, 10) // at which all tokens are read
	nothing := func([]Pair) error { return nil }
	sets := func(length uint32) func(context.Context) (Stats, error) {
		return func(ctx context.Context) (Stats, error) {
			o := &Sets{Formula: measure.Resemblance, Min: min, Sides: []Side{w.side(t, 0, len(w.bags))}, room: 1 << 14, length: length}
			return o.Pairs(ctx, 2, 1<<20, nothing)
		}
	}
	for _, tt := range []struct {
		join func(ctx context.Context) (Stats, error)
		want []string
	}{
		{sets(0), []string{"sets joined", "tokens read"}},
		{sets(100), []string{"sets joined", "tokens read"}},
	} {
		totals := map[string]int64{}
		ctx := progress.With(context.Background(), func(p api.Progress) { totals[p.What] = p.Total })
		stats, err := tt.join(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(totals)); !slices.Equal(got, tt.want) {
			t.Errorf("told of %q, want %q", got, tt.want)
		}
		for what, total := range totals {
			if total <= 0 {
				t.Errorf("%s: %d in all", what, total)
			}
		}
		if n, ok := totals["tokens read"]; ok && n != stats.Postings {
			t.Errorf("told of %d tokens, and read %d", n, stats.Postings)
		}
	}
}
