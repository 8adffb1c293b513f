package simdb_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
)

// given yields pairs.
func given(pairs ...api.Given) iter.Seq2[api.Given, error] {
	return func(yield func(api.Given, error) bool) {
		for _, p := range pairs {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// The score of each given pair is that of Compare, in the order of the pairs: by every measure of
// shingles, with IGNORING, for equal texts, for a document with itself, and for unknown ids.
func TestScores(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "scores.simdb"))
	ctx := t.Context()
	var ids []string
	for i := range 120 {
		d := corpus.At(1, i)
		if err := db.Put(ctx, api.Document{ID: d.ID, Text: d.Text}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	if err := db.Put(ctx, api.Document{Collection: "heads", ID: "h", Text: corpus.At(1, 0).Text[:400]}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pairs := []api.Given{{A: ids[0], B: ids[0]}, {A: "nosuch", B: ids[1]}, {A: ids[1], B: "nosuch"}, {A: "nosuch", B: "none"}}
	for range 200 {
		pairs = append(pairs, api.Given{A: ids[rng.IntN(len(ids))], B: ids[rng.IntN(len(ids))]})
	}
	for p, err := range db.Pairs(ctx, simdb.MinSim(0.3)) {
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, api.Given{A: p.A, B: p.B}, api.Given{A: p.B, B: p.A}, api.Given{A: p.A, B: p.B})
	}
	for _, test := range []struct {
		measure  api.Measure
		args     api.Args
		ignoring api.Ignoring
	}{
		{measure: api.Jaccard}, {measure: api.ContainmentOfQuery}, {measure: api.Overlap}, {measure: api.Multiset}, {measure: api.Weighted},
		{measure: api.Jaccard, ignoring: api.Ignoring{In: "heads"}}, {measure: api.Overlap, ignoring: api.Ignoring{MoreThan: 3}},
	} {
		opts := []simdb.SearchOption{simdb.Using(test.measure, test.args)}
		if test.ignoring != (api.Ignoring{}) {
			opts = append(opts, simdb.Ignoring(test.ignoring))
		}
		n := 0
		for row, err := range db.Scores(ctx, given(pairs...), opts...) {
			if err != nil {
				t.Fatal(err)
			}
			p := pairs[n]
			n++
			if row.Given != p || row.MissingA != (p.A == "nosuch") || row.MissingB != (p.B == "nosuch" || p.B == "none") {
				t.Fatalf("row %d is %+v, want one of %+v", n, row, p)
			}
			if row.MissingA || row.MissingB {
				continue
			}
			want, err := db.Compare(ctx, api.ByID(p.A), api.ByID(p.B), opts...)
			if err != nil {
				t.Fatal(err)
			}
			if w := want[0]; row.Sim != w.Sim || row.Shared != w.Shared || row.Union != w.Union || row.Of != w.Of || row.Ignored != w.Ignored {
				t.Errorf("%v, ignoring %v, of %v: %+v, want %+v", test.measure, test.ignoring, p, row, w)
			}
			contained := slices.Concat(opts, []simdb.SearchOption{simdb.Using(api.ContainmentOfQuery)})
			for i, q := range []api.Given{p, {A: p.B, B: p.A}} {
				want, err := db.Compare(ctx, api.ByID(q.A), api.ByID(q.B), contained...)
				if err != nil {
					t.Fatal(err)
				}
				if w, size := want[len(want)-1], []uint64{row.SizeA, row.SizeB}[i]; row.Common != w.Shared || size != w.Of {
					t.Errorf("%v, ignoring %v, of %v: %d of %d are common, want %+v", test.measure, test.ignoring, q, row.Common, size, w)
				}
			}
		}
		if n != len(pairs) {
			t.Errorf("%v: %d rows for %d pairs", test.measure, n, len(pairs))
		}
	}
	for _, opts := range [][]simdb.SearchOption{{simdb.Using(api.SimHash)}, {simdb.In("docs", "heads")}, {simdb.MinSim(0.5)}} {
		for _, err := range db.Scores(ctx, given(pairs...), opts...) {
			if !errors.Is(err, api.ErrInvalid) {
				t.Errorf("%v, want ErrInvalid", err)
			}
			break
		}
	}
	broken := fmt.Errorf("the list ends here")
	rows := 0
	for _, err := range db.Scores(ctx, func(yield func(api.Given, error) bool) { yield(api.Given{}, broken) }) {
		if !errors.Is(err, broken) {
			t.Errorf("%v, want the error of the list", err)
		}
		rows++
	}
	if rows != 1 {
		t.Errorf("%d rows of a broken list", rows)
	}
}
