// Pairs and groups of what a WHERE keeps, since a mark and in several collections.

package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// A group that a WHERE leaves only old documents of is not since the mark, though a document
// that is not kept was written to one of its sets.
func TestClustersSinceOfKeptDocuments(t *testing.T) {
	ctx := context.Background()
	for _, index := range []string{"", "year"} {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: index}); err != nil {
			t.Fatal(err)
		}
		put := func(id, text string, year int) {
			if err := db.Put(ctx, api.Document{ID: id, Text: text, Meta: api.Meta{"year": year}}); err != nil {
				t.Fatal(err)
			}
		}
		put("a", "one two three four five", 1)
		put("b", "one two three four five", 1)
		put("c", "something else is said here", 1)
		put("d", "something else is said here", 1)
		mark, err := db.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		put("e", "one two three four five", 2)
		put("f", "something else is said here", 1)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		q := engine.Search{Min: api.Ratio(1, 2), Since: mark, Where: &engine.Fields{Path: []string{"year"}, Low: 1.0, High: 1.0}}
		q.Keep = func(_ string, d api.DocInfo) (bool, error) { return fmt.Sprint(d.Meta["year"]) == "1", nil }
		want := []string{"c c 3", "c d 3", "c f 3"}
		if got := enginetest.ClusterRows(t, s, q); !slices.Equal(got, want) {
			t.Errorf("index %q: groups since the mark are %v, want %v", index, got, want)
		}
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Documents that a WHERE does not keep tie no others together, whatever the way of the join.
func TestClustersAreNotTiedByOthers(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for _, name := range []string{"x", "y"} {
		if err := db.CreateCollection(ctx, name, api.Settings{Intervals: "1-2,3-5", K: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []api.Document{
		{Collection: "x", ID: "a", Text: "a b c d e f g h 1 2"}, {Collection: "y", ID: "m", Text: "a b c d e f g h 2 3"}, {Collection: "x", ID: "b", Text: "a b c d e f g h 3 4"},
	} {
		if err := db.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, access := range []api.Access{api.AccessAuto, api.AccessScan, api.AccessInterval} {
		q := engine.Search{In: []string{"x", "y"}, Access: access, Min: api.Ratio(4, 5)}
		if got := enginetest.ClusterRows(t, s, q); len(got) != 3 {
			t.Errorf("via %q: %v, want a group of three", access, got)
		}
		q.Keep = func(_ string, d api.DocInfo) (bool, error) { return d.ID != "m", nil }
		if got := enginetest.ClusterRows(t, s, q); len(got) != 0 {
			t.Errorf("via %q: without m there are %v, want none", access, got)
		}
	}
}

// Documents that a WHERE does not keep do not part those whose similarity indexes theirs lies between.
func TestClustersAreNotPartedByOthers(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "x", api.Settings{SI: "m41b k1"}); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"a": "the ship left the harbour at noon", "b": "the ship left the harbour at noon today", "c": "the ship left the harbour at noon today again"}
	for id, text := range texts {
		if err := db.Put(ctx, api.Document{Collection: "x", ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{In: []string{"x"}, Measure: api.SI, Args: api.Args{SI: "m41b k1"}, Min: api.Ratio(1, 10)}
	if got := enginetest.ClusterRows(t, s, q); len(got) != 3 {
		t.Fatalf("%v, want a group of three", got)
	}
	for left := range texts {
		q.Keep = func(_ string, d api.DocInfo) (bool, error) { return d.ID != left, nil }
		if got := enginetest.ClusterRows(t, s, q); len(got) != 2 {
			t.Errorf("without %s there are %v, want a group of two", left, got)
		}
	}
}

// Where two collections are joined since a mark, the sets of each are read from it, also to
// predict what that costs.
func TestPairsSinceWhereInTwoCollections(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for _, name := range []string{"x", "y"} {
		if err := db.CreateCollection(ctx, name, api.Settings{Index: "year"}); err != nil {
			t.Fatal(err)
		}
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	put := func(collection string, i int) {
		d := api.Document{Collection: collection, ID: fmt.Sprint(collection, i), Text: fmt.Sprintf("these are words of text %d", i), Meta: api.Meta{"year": i % 2}}
		if err := db.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		put("x", i)
	}
	for i := range 10 {
		put("y", 2*i)
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	even := &engine.Fields{Path: []string{"year"}, Low: 0.0, High: 0.0} // as all pairs are
	for _, q := range []engine.Search{{In: []string{"x", "y"}}, {In: []string{"x"}, Against: []string{"y"}}, {In: []string{"y"}, Against: []string{"x"}}} {
		q.Min = api.Ratio(4, 5)
		all := enginetest.PairRows(t, s, q)
		q.Where, q.Since = even, mark
		if got := enginetest.PairRows(t, s, q); !slices.Equal(got, all) || len(got) != 10 {
			t.Errorf("%v against %v: %s", q.In, q.Against, testmodel.Difference(got, all))
		}
	}
}
