package query

// Several stores: what they refuse, and that errors name the store. What they find is tested
// against one store, in the root package.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/shards"
)

// threeStores have the documents of fill, one a store in turn.
func threeStores(t *testing.T) (stores []shards.Store) {
	t.Helper()
	all := openStore(t)
	fill(t, all)
	for _, name := range []string{"first", "second", "third"} {
		db, err := engine.Open(filepath.Join(t.TempDir(), name), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Shutdown(context.Background()) }) // waits also for one that a test has begun
		stores = append(stores, shards.Store{Name: name, DB: db})
	}
	s, err := all.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	i := 0
	for d, err := range s.Documents(t.Context(), "docs") {
		if err != nil {
			t.Fatal(err)
		}
		var b engine.Batch
		b.Put(d)
		if _, err := stores[i%3].DB.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		i++
	}
	return stores
}

func runShards(t *testing.T, stores []shards.Store, opts Options, src string) (rows [][]any, plan *api.Plan, err error) {
	r, err := RunShards(t.Context(), stores, opts, src)
	if err != nil {
		return nil, nil, err
	}
	for row, err := range r.All() {
		if err != nil {
			return rows, r.Plan(), errors.Join(err, r.Close())
		}
		rows = append(rows, row)
	}
	return rows, r.Plan(), r.Close()
}

// Every statement but SIMILAR TO and SOURCES OF is refused at its place, with what to do instead, and changes
// nothing.
func TestShardsRefuseOtherStatements(t *testing.T) {
	stores := threeStores(t)
	for typ, examples := range everyStatement {
		for _, src := range slices.Concat(examples, []string{"EXPLAIN SIMILAR TO a", "EXPLAIN ANALYZE SIMILAR TO a"}) {
			_, _, err := runShards(t, stores, Options{}, src)
			if strings.Contains(src, "SIMILAR TO") || typ == "Sources" {
				if err != nil {
					t.Errorf("%s: %v", src, err)
				}
				continue
			}
			word, _, _ := strings.Cut(src, " ")
			hint, want := "query one store at a time", api.ErrInvalid
			switch {
			case slices.Contains(changing, word):
				hint, want = "open the one that is to change", api.ErrReadOnly
			case typ == "Pairs" || typ == "Clusters" || typ == "Duplicates" || typ == "View" || typ == "Explain":
				hint = "simdb scale run"
			}
			if typ == "Explain" && !strings.Contains(src, "PAIRS") && !strings.Contains(src, "CLUSTERS") { // of a statement that changes
				hint, want = "open the one that is to change", api.ErrReadOnly
			}
			var place *api.ParseError
			if !errors.Is(err, want) || !errors.As(err, &place) || !strings.Contains(place.Suggestion, hint) {
				t.Errorf("%s over several stores: %v, want %v with %q", src, err, want, hint)
			}
		}
	}
	if _, _, err := runShards(t, nil, Options{}, "SIMILAR TO a"); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("no stores: %v, want ErrInvalid", err)
	}
}

func TestShardsExplain(t *testing.T) {
	stores := threeStores(t)
	rows, plan, err := runShards(t, stores, Options{}, "SIMILAR TO TEXT 'one two three four' WHERE sim >= 0.1")
	if err != nil || plan == nil {
		t.Fatal(plan, err)
	}
	if plan.Matches != int64(len(rows)) || plan.Verified < plan.Matches || !strings.HasPrefix(plan.Why, "3 stores; of the first: ") {
		t.Errorf("plan of %d rows: %+v", len(rows), plan)
	}
	before := *plan
	if rows, plan, err = runShards(t, stores, Options{}, "EXPLAIN ANALYZE SIMILAR TO TEXT 'one two three four' WHERE sim >= 0.1"); err != nil {
		t.Fatal(err)
	}
	if plan.Candidates != before.Candidates || plan.Verified != before.Verified || plan.Matches != before.Matches {
		t.Errorf("EXPLAIN ANALYZE counts %+v, the search %+v: %v", plan, before, rows)
	}
}

// With MaxRows there are so many rows and an error.
func TestShardsMaxRows(t *testing.T) {
	rows, _, err := runShards(t, threeStores(t), Options{MaxRows: 2}, "SIMILAR TO TEXT 'one two three four' WHERE sim >= 0")
	if len(rows) != 2 || !errors.Is(err, api.ErrTooLarge) {
		t.Errorf("%d rows and %v, want 2 and ErrTooLarge", len(rows), err)
	}
}

func TestShardsNameTheStoreThatIsClosed(t *testing.T) {
	stores := threeStores(t)
	s, err := shards.Take(stores)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := stores[1].DB.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Find(t.Context(), api.ByText("one two three four"), engine.Search{})
	if !errors.Is(err, api.ErrClosed) || !strings.Contains(err.Error(), "store second: ") {
		t.Errorf("a search: %v, want ErrClosed of the store second", err)
	}
	for _, src := range []string{"SIMILAR TO a", "SIMILAR TO TEXT 'a'", "EXPLAIN SIMILAR TO a"} {
		if _, _, err := runShards(t, stores, Options{}, src); !errors.Is(err, api.ErrClosed) || !strings.Contains(err.Error(), "store second: ") {
			t.Errorf("%s: %v, want ErrClosed of the store second", src, err)
		}
	}
}

// A store that is closed while rows are read ends them with its name.
func TestShardsNameTheStoreThatIsClosedMeanwhile(t *testing.T) {
	stores := threeStores(t)
	for i, of := range stores {
		var b engine.Batch
		for n := range 5 {
			b.Put(api.Document{ID: fmt.Sprint(i, n), Text: "one two three four"})
		}
		if _, err := of.DB.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	s, err := shards.Take(stores)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := s.Find(t.Context(), api.ByText("one two three four"), engine.Search{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	n, last := 0, error(nil)
	for m, err := range rows {
		if last = err; err != nil {
			break
		}
		if n++; n == 1 {
			for _, of := range stores {
				if err := of.DB.Shutdown(ended); !errors.Is(err, context.Canceled) && err != nil {
					t.Fatal(m, err)
				}
			}
		}
	}
	if n == 0 || !errors.Is(last, api.ErrClosed) || !strings.Contains(last.Error(), "store ") {
		t.Errorf("%d rows and %v, want ErrClosed of a store", n, last)
	}
}

func TestShardsHeedTheContext(t *testing.T) {
	stores := threeStores(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RunShards(ended, stores, Options{}, "SIMILAR TO TEXT 'one two'"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v, want Canceled", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := RunShards(ctx, stores, Options{}, "SIMILAR TO TEXT 'one two three four' WHERE sim >= 0")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var last error
	n := 0
	for _, err := range rows.All() {
		if last = err; err == nil {
			n++
		}
		cancel()
	}
	if n == 0 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d rows and %v, want some and Canceled", n, last)
	}
}

// Stores that read texts in other ways are refused with what differs.
func TestShardsMustReadAlike(t *testing.T) {
	stores := threeStores(t)
	for i, settings := range []api.Settings{{Unit: "word", K: 2}, {Unit: "char"}, {SI: "m43b k40"}, {Gazetteer: "oak hill"}, {Synonyms: "a, b"}} {
		db := openStore(t)
		if err := db.CreateCollection(t.Context(), "docs", settings); err != nil {
			t.Fatal(err)
		}
		with := append(slices.Clone(stores), shards.Store{Name: "other", DB: db})
		if _, _, err := runShards(t, with, Options{}, "SIMILAR TO TEXT 'one two'"); err != nil {
			t.Errorf("%d, an empty collection: %v", i, err)
		}
		var b engine.Batch
		b.Put(api.Document{ID: "x", Text: "one two three"})
		if _, err := db.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		_, _, err := runShards(t, with, Options{}, "SIMILAR TO TEXT 'one two'")
		if !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), "store other has "+FormatSettings(settingsOfStore(t, db))) {
			t.Errorf("%d: %v, want ErrInvalid with the settings", i, err)
		}
	}
	_, _, err := runShards(t, stores, Options{}, "SIMILAR TO TEXT 'one two' USING words(idf='on')")
	var place *api.ParseError
	if !errors.Is(err, api.ErrInvalid) || !errors.As(err, &place) || !strings.Contains(err.Error(), "idf") {
		t.Errorf("idf: %v, want ErrInvalid at its place", err)
	}
	if _, _, err := runShards(t, stores, Options{}, "SIMILAR TO a IN dosc"); !errors.Is(err, api.ErrNotFound) || !strings.Contains(err.Error(), "did you mean docs?") {
		t.Errorf("a collection that no store has: %v", err)
	}
}

func settingsOfStore(t *testing.T, db *engine.DB) api.Settings {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Collection("docs")
	if err != nil {
		t.Fatal(err)
	}
	return info.Settings
}

// Equal ids of several collections come as the statement names these, in whichever store they are.
func TestShardsOrderOfCollections(t *testing.T) {
	stores := threeStores(t)
	for i, c := range []string{"zz", "aa", "mm"} {
		var b engine.Batch
		b.Put(api.Document{Collection: c, ID: "x", Text: "one two three four five six"})
		if _, err := stores[i].DB.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []string{"zz, aa, mm", "mm, zz, aa"} {
		rows, _, err := runShards(t, stores, Options{}, "SIMILAR TO TEXT 'one two three four five six' IN "+in+" RETURNING collection")
		var got []string
		for _, r := range rows {
			got = append(got, r[0].(string))
		}
		if err != nil || strings.Join(got, ", ") != in {
			t.Errorf("IN %s: %v, %v", in, got, err)
		}
	}
}
