package simdb_test

// Nearest, Mutual and Weights, and what refuses them.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// With Where the nearest are the first of all that satisfy it, and Limit counts what is
// left of them.
func TestNearestWhere(t *testing.T) {
	ctx := context.Background()
	plain, indexed := openWhere(t)
	probe := api.ByText("one two three four five six seven eight nine ten")
	ids := func(db *simdb.DB, opts ...simdb.SearchOption) (out []string) {
		for m, err := range db.Similar(ctx, probe, opts...) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m.ID)
		}
		return out
	}
	pairs := func(db *simdb.DB, opts ...simdb.SearchOption) (out []string) {
		for m, err := range db.Pairs(ctx, opts...) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(m.A, " ", m.B, " ", m.Sim))
		}
		return out
	}
	for _, where := range []string{"year > 1900", "year = 2003", "year = 2003 AND tags HAS 't2'", "sim < 0.5", "year = 1900"} {
		all := ids(plain, simdb.MinSim(0), simdb.Where(where))
		for _, n := range []int{1, 4, 30, 1000} {
			want := all[:min(n, len(all))]
			for _, db := range []*simdb.DB{plain, indexed} {
				if got := ids(db, simdb.Nearest(n), simdb.Where(where)); !slices.Equal(got, want) {
					t.Errorf("%d nearest where %s: %v, want %v", n, where, got, want)
				}
				if got := ids(db, simdb.Nearest(n), simdb.Limit(3), simdb.Where(where)); !slices.Equal(got, want[:min(3, len(want))]) {
					t.Errorf("%d nearest where %s, limit 3: %v, want the first of %v", n, where, got, want)
				}
			}
		}
	}
	if got, all := ids(plain, simdb.MinSim(0.5), simdb.Nearest(100)), ids(plain, simdb.MinSim(0.5)); !slices.Equal(got, all[:min(100, len(all))]) || len(all) == 0 {
		t.Errorf("100 nearest from 0.5 on: %d, of %d", len(got), len(all))
	}
	by := []simdb.SearchOption{simdb.Nearest(1), simdb.Where("a.year = 2003 AND b.year > 2003")}
	if got, want := pairs(plain, by...), pairs(indexed, by...); !slices.Equal(got, want) || len(got) < 10 {
		t.Errorf("nearest pairs of a collection: %d, and of one with an index: %d", len(got), len(want))
	}
	few := pairs(plain, append(by, simdb.Limit(3))...)
	if all := pairs(plain, by...); !slices.Equal(few, all[:3]) {
		t.Errorf("the first three of the nearest pairs: %v, want %v", few, all[:3])
	}
}

func TestNearestRefused(t *testing.T) {
	db, _ := openWhere(t)
	ctx := t.Context()
	by := api.ByID("d1")
	two := []simdb.SearchOption{simdb.Nearest(2)}
	_, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: "x", Text: "x"}, two...)
	got := map[string]error{"a put": err}
	for what, opts := range map[string][]simdb.SearchOption{
		"0": {simdb.Nearest(0)}, "-1": {simdb.Nearest(-1)}, "mutual alone": {simdb.Mutual()}, "ties alone": {simdb.WithTies()}, "of none": {simdb.OfBest(api.Threshold{})}, "above the best": {simdb.OfBest(api.Ratio(3, 2))}, "below 0": {simdb.OfBest(api.Ratio(1, 2)), simdb.Limit(-1)}, "mutual of one": {simdb.Nearest(1), simdb.Mutual()},
		"a negative limit": {simdb.Limit(-1)}, "negative weight": {simdb.Using(api.Tversky, api.Weights(-1, 1))},
		"fine weight": {simdb.Using(api.Tversky, api.Weights(1, 0.0001))}, "no weight": {simdb.Using(api.Tversky, api.Weights(0, 0))},
		"weights of another": {simdb.Using(api.Jaccard, api.Weights(1, 1))},
	} {
		for _, err := range db.Similar(ctx, by, opts...) {
			got[what] = err
		}
	}
	for _, err := range db.Clusters(ctx, two...) {
		got["clusters"] = err
	}
	for _, err := range db.Dedupe(ctx, api.DedupeOptions{}, two...) {
		got["dedupe"] = err
	}
	for _, err := range db.Pairs(ctx, simdb.Mutual()) {
		got["mutual pairs alone"] = err
	}
	for what, err := range got {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
	if len(got) != 17 {
		t.Errorf("%d answers, want 17: %v", len(got), got)
	}
	if _, err := api.ParseWeight("x"); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("ParseWeight(x) = %v", err)
	}
	rows, err := db.SimilarEach(ctx, []api.Target{by, api.ByID("d2")}, simdb.Nearest(3))
	if err != nil || len(rows[0]) != 3 || len(rows[1]) != 3 {
		t.Errorf("SimilarEach of 3: %v, %v", rows, err)
	}
}
