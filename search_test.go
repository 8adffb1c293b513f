package simdb_test

// Options that no search could heed are refused, and say so.

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

// failure is the error that a loop over rows ends with; rows come before no error.
func failure[T any](t *testing.T, rows iter.Seq2[T, error]) (err error) {
	t.Helper()
	for row, e := range rows {
		if err = e; e == nil {
			t.Errorf("a row: %v", row)
		}
	}
	return err
}

// ended is the error that a loop over rows ends with.
func ended[T any](rows iter.Seq2[T, error]) (err error) {
	for _, err = range rows {
	}
	return err
}

// Each option of a search is heeded by each call, or refused.
func TestEveryOptionInEveryCall(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx := t.Context()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four"}, api.Document{ID: "b", Text: "one two three four"},
		api.Document{Collection: "other", ID: "c", Text: "one two three four"}); err != nil {
		t.Fatal(err)
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	one, new := api.ByID("a"), api.Document{ID: "new", Text: "one two three four"}
	calls := map[string]func(opts ...simdb.SearchOption) error{
		"Similar": func(opts ...simdb.SearchOption) error { return ended(db.Similar(ctx, one, opts...)) },
		"SimilarEach": func(opts ...simdb.SearchOption) error {
			_, err := db.SimilarEach(ctx, []api.Target{one}, opts...)
			return err
		},
		"Pairs":    func(opts ...simdb.SearchOption) error { return ended(db.Pairs(ctx, opts...)) },
		"Clusters": func(opts ...simdb.SearchOption) error { return ended(db.Clusters(ctx, opts...)) },
		"Dedupe": func(opts ...simdb.SearchOption) error {
			return ended(db.Dedupe(ctx, api.DedupeOptions{}, opts...))
		},
		"PutUnlessSimilar": func(opts ...simdb.SearchOption) error {
			_, _, err := db.PutUnlessSimilar(ctx, new, opts...)
			return err
		},
		"IsNew": func(opts ...simdb.SearchOption) error {
			_, _, err := db.IsNew(ctx, new, opts...)
			return err
		},
	}
	for _, tt := range []struct {
		what    string
		opts    []simdb.SearchOption
		refused string // by which calls
	}{
		{"In", []simdb.SearchOption{simdb.In("docs")}, "PutUnlessSimilar IsNew"},
		{"Against", []simdb.SearchOption{simdb.Against("other")}, "Similar SimilarEach Clusters Dedupe PutUnlessSimilar IsNew"},
		{"Since", []simdb.SearchOption{simdb.Since(mark)}, "Similar SimilarEach Dedupe PutUnlessSimilar IsNew"},
		{"Limit", []simdb.SearchOption{simdb.Limit(1)}, "Dedupe PutUnlessSimilar IsNew"},
		{"Via", []simdb.SearchOption{simdb.Via(api.AccessScan)}, "PutUnlessSimilar IsNew"},
		{"Where", []simdb.SearchOption{simdb.Where("a.x IS NULL OR b.x IS NULL OR x IS NULL")}, "Dedupe PutUnlessSimilar IsNew"},
		{"WithPassages", []simdb.SearchOption{simdb.WithPassages(&[]api.Passage{})}, "Similar SimilarEach Pairs Clusters Dedupe"},
		{"OfBest", []simdb.SearchOption{simdb.OfBest(api.Ratio(1, 2))}, "SimilarEach Clusters Dedupe PutUnlessSimilar IsNew"},
		{"Directed", []simdb.SearchOption{simdb.Directed()}, "Similar SimilarEach Clusters Dedupe PutUnlessSimilar IsNew"},
		{"WithMeta", []simdb.SearchOption{simdb.WithMeta()}, "Dedupe PutUnlessSimilar IsNew"},
		{"MinSim", []simdb.SearchOption{simdb.MinSim(0.5)}, ""},
		{"Using", []simdb.SearchOption{simdb.Using(api.SimHash)}, ""},
		{"a Limit below 0", []simdb.SearchOption{simdb.Limit(-1)}, all},
		{"a Limit below 0 with Where", []simdb.SearchOption{simdb.Limit(-1), simdb.Where("size >= 0")}, all},
	} {
		for name, call := range calls {
			err := call(tt.opts...)
			var place *api.ParseError // of the fields of Where, which differ from call to call
			if tt.refused == all || slices.Contains(strings.Fields(tt.refused), name) {
				if !errors.Is(err, api.ErrInvalid) {
					t.Errorf("%s with %s: %v, want ErrInvalid", name, tt.what, err)
				}
			} else if errors.Is(err, api.ErrInvalid) && !errors.As(err, &place) {
				t.Errorf("%s with %s: %v", name, tt.what, err)
			}
		}
	}
}

// all stands for all calls.
const all = "all"

func TestSearchOptionErrors(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx := t.Context()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four"}, api.Document{ID: "b", Text: "one two three four"},
		api.Document{Collection: "other", ID: "c", Text: "one two three four"}); err != nil {
		t.Fatal(err)
	}
	a := api.ByID("a")
	each := func(opts ...simdb.SearchOption) error {
		_, err := db.SimilarEach(ctx, []api.Target{a}, opts...)
		return err
	}
	_, passages := db.Passages(ctx, a, a, simdb.Using(api.Patricia, api.Args{Bits: 3}))
	_, sentences := db.Sentences(ctx, a, a, simdb.Using(api.Versions, api.Args{Min: 3}))
	_, compare := db.Compare(ctx, a, a, simdb.Using(api.Words, api.Args{TF: true}))
	_, threshold := api.ParseThreshold("80")
	_, fingerprint := api.ParseFingerprint("0101")
	var none context.Context
	_, noContext := db.Get(none, "", "a")
	_, noContextMark := db.Mark(none)
	_, _, noContextIsNew := db.IsNew(none, api.Document{Text: "one"})
	for what, err := range map[string]error{
		"MinSim(80)":          failure(t, db.Pairs(ctx, simdb.MinSim(80))),
		"MinSim(1.5)":         failure(t, db.Similar(ctx, a, simdb.MinSim(1.5))),
		"MinSim(-0.1)":        failure(t, db.Clusters(ctx, simdb.MinSim(-0.1))),
		"the first of two":    failure(t, db.Pairs(ctx, simdb.MinSim(80), simdb.MinSim(0.8))),
		"Similar Against":     failure(t, db.Similar(ctx, a, simdb.Against("other"))),
		"Clusters Against":    failure(t, db.Clusters(ctx, simdb.Against("other"))),
		"Each Against":        each(simdb.Against("other")),
		"Similar Limit":       failure(t, db.Similar(ctx, a, simdb.Limit(-1))),
		"Pairs Limit":         failure(t, db.Pairs(ctx, simdb.Limit(-1))),
		"Clusters Limit":      failure(t, db.Clusters(ctx, simdb.Limit(-1))),
		"Each Limit":          each(simdb.Limit(-1)),
		"Using twice":         failure(t, db.Similar(ctx, a, simdb.Using(api.Words), simdb.Using(api.Jaccard))),
		"Rules":               failure(t, db.Similar(ctx, a, simdb.Rules(api.DefaultRules()...))),
		"Related Where":       failure(t, db.Related(ctx, a, simdb.Where("year > 1"))),
		"Each versions":       each(simdb.Using(api.Versions)),
		"arguments of others": failure(t, db.Similar(ctx, a, simdb.Using(api.Jaccard, api.Args{Min: 3}))),
		"too many arguments":  failure(t, db.Similar(ctx, a, simdb.Using(api.Words, api.Args{IDF: true}, api.Args{}))),
		"no measure":          failure(t, db.Similar(ctx, a, simdb.Using(api.Measure(99)))),
		"Passages":            passages,
		"Sentences":           sentences,
		"Compare":             compare,
		"ParseThreshold":      threshold,
		"ParseFingerprint":    fingerprint,
		"no context":          noContext,
		"no context, rows":    failure(t, db.Similar(none, a)),
		"no context, Mark":    noContextMark,
		"no context, IsNew":   noContextIsNew,
		"no context, Dump":    load.Dump(none, db, io.Discard),
	} {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
	for sim, says := range map[float64]string{80: "1; did you mean 0.8?", 55.1: "1; did you mean 0.551?", 1.1: `"1.1" is above 1`, 101: `"101" is above 1`} {
		if err := failure(t, db.Pairs(ctx, simdb.MinSim(sim))); !errors.Is(err, api.ErrInvalid) || !strings.HasSuffix(err.Error(), says) {
			t.Errorf("MinSim(%v): %v, want ErrInvalid that ends with %s", sim, err, says)
		}
	}
	over := api.Ratio(2, 1)
	isNew := func(opts ...simdb.SearchOption) error {
		_, _, err := db.IsNew(ctx, api.Document{ID: "new", Text: "one two three"}, opts...)
		return err
	}
	_, imported := load.Import(ctx, db, []string{"search_test.go"}, api.ImportOptions{UnlessSimilar: over})
	for what, err := range map[string]error{
		"Similar": failure(t, db.Similar(ctx, a, simdb.Min(over))), "Similar 1/0": failure(t, db.Similar(ctx, a, simdb.Min(api.Ratio(1, 0)))),
		"Pairs": failure(t, db.Pairs(ctx, simdb.Min(over))), "Clusters": failure(t, db.Clusters(ctx, simdb.Min(over))),
		"Dedupe": failure(t, db.Dedupe(ctx, api.DedupeOptions{}, simdb.Min(over))), "Each": each(simdb.Min(over)), "IsNew": isNew(simdb.Min(over)),
		"Related": failure(t, db.Related(ctx, a, simdb.Rules(api.Rule{Kind: api.KindCopy, Min: over}))),
		"Import":  imported,
	} {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s with a ratio that there is not: %v, want ErrInvalid", what, err)
		}
	}
	if api.Fingerprint(1).IsSimilar(1, over) {
		t.Error("a fingerprint is similar by a ratio that there is not")
	}
	if err := failure(t, db.Similar(ctx, api.ByID("nosuch"))); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("Similar to no document: %v, want ErrNotFound", err)
	}
}

// Query reads no files unless it is allowed to.
func TestQueryReadsNoFiles(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx := t.Context()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "package simdb_test"}); err != nil {
		t.Fatal(err)
	}
	const statement = "SIMILAR TO FILE 'search_test.go' WHERE sim >= 0"
	if _, err := db.Query(ctx, statement); err == nil || !strings.Contains(err.Error(), "this caller may not read files") {
		t.Errorf("Query with FILE = %v, want an error that names the option", err)
	}
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{Files: true}, statement)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	_, err = db.QueryWith(ctx, simdb.QueryOptions{ReadOnly: true}, "DELETE FROM docs WHERE id = 'a'")
	var parse *api.ParseError
	if !errors.Is(err, api.ErrReadOnly) || !errors.As(err, &parse) {
		t.Errorf("DELETE with ReadOnly = %v, want a *ParseError with ErrReadOnly", err)
	}
	if _, err := db.Get(ctx, "", "a"); err != nil {
		t.Error(err)
	}
}
