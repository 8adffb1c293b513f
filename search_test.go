package simdb_test

// Options that no search could heed are refused, and say so.

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/simdb/simdb"
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

func TestSearchOptionErrors(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx := t.Context()
	if err := db.Put(ctx, simdb.Document{ID: "a", Text: "one two three four"}, simdb.Document{ID: "b", Text: "one two three four"},
		simdb.Document{Collection: "other", ID: "c", Text: "one two three four"}); err != nil {
		t.Fatal(err)
	}
	a := simdb.ByID("a")
	each := func(opts ...simdb.SearchOption) error {
		_, err := db.FindSimilarEach(ctx, []simdb.Target{a}, opts...)
		return err
	}
	_, passages := db.Passages(ctx, a, a, simdb.Args{Bits: 3})
	_, sentences := db.Sentences(ctx, a, a, simdb.Args{Min: 3})
	_, compare := db.CompareBy(ctx, a, a, []simdb.Method{{Measure: simdb.Words, Args: simdb.Args{TF: true}}})
	_, threshold := simdb.ParseThreshold("80")
	_, fingerprint := simdb.ParseFingerprint("0101")
	_, noContext := db.Get(nil, "", "a") //lint:ignore SA1012 that is the test
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
		"FindSimilar words":   failure(t, db.FindSimilar(ctx, a, simdb.Using(simdb.Words))),
		"FindSimilar jaccard": failure(t, db.FindSimilar(ctx, a, simdb.Using(simdb.Jaccard))),
		"Each versions":       each(simdb.Using(simdb.Versions)),
		"arguments of others": failure(t, db.Similar(ctx, a, simdb.Using(simdb.Jaccard, simdb.Args{Min: 3}))),
		"too many arguments":  failure(t, db.Similar(ctx, a, simdb.Using(simdb.Words, simdb.Args{IDF: true}, simdb.Args{}))),
		"no measure":          failure(t, db.Similar(ctx, a, simdb.Using(simdb.Measure(99)))),
		"Passages":            passages,
		"Sentences":           sentences,
		"CompareBy":           compare,
		"ParseThreshold":      threshold,
		"ParseFingerprint":    fingerprint,
		"no context":          noContext,
		"no context, rows":    failure(t, db.Similar(nil, a)), //lint:ignore SA1012 that is the test
	} {
		if !errors.Is(err, simdb.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
	if err := failure(t, db.Pairs(ctx, simdb.MinSim(80))); !strings.Contains(err.Error(), "did you mean 0.8?") {
		t.Errorf("MinSim(80): %v", err)
	}
	if err := failure(t, db.Similar(ctx, simdb.ByID("nosuch"))); !errors.Is(err, simdb.ErrNotFound) {
		t.Errorf("Similar to no document: %v, want ErrNotFound", err)
	}
}

// Query reads no files unless it is allowed to.
func TestQueryReadsNoFiles(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx := t.Context()
	if err := db.Put(ctx, simdb.Document{ID: "a", Text: "package simdb_test"}); err != nil {
		t.Fatal(err)
	}
	const statement = "SIMILAR TO FILE 'search_test.go' WHERE sim >= 0"
	if _, err := db.Query(ctx, statement); err == nil || !strings.Contains(err.Error(), "QueryOptions.Files") {
		t.Errorf("Query with FILE = %v, want an error that names the option", err)
	}
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{Files: true}, statement)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	_, err = db.QueryWith(ctx, simdb.QueryOptions{ReadOnly: true}, "DELETE FROM docs WHERE id = 'a'")
	var parse *simdb.ParseError
	if !errors.Is(err, simdb.ErrReadOnly) || !errors.As(err, &parse) {
		t.Errorf("DELETE with ReadOnly = %v, want a *ParseError with ErrReadOnly", err)
	}
	if _, err := db.Get(ctx, "", "a"); err != nil {
		t.Error(err)
	}
}
