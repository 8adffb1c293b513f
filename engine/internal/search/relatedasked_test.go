package search_test

// RELATED TO: how much of it is done for few rows, and what of it documents with own tokens
// have.

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Who reads few rows does not pay for the weaker kinds.
func TestRelatedIsLazy(t *testing.T) {
	db := relatedStore(t, enginetest.Options(vfs.NewMem()), "store", []string{"one two three four five", "one two three four five", "one two three four six", "seven eight nine ten"})
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct{ rows, searches int }{{0, 1}, {1, 1}, {2, 10}} {
		res, err := s.Related(context.Background(), api.ByID("d000"), engine.Relations{In: []string{"all"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Plan.Related.Parts) > 0 {
			t.Errorf("searched before a row was asked for: %v", res.Plan.Related.Parts)
		}
		left := tt.rows
		for _, err := range res.All {
			if err != nil {
				t.Fatal(err)
			}
			if left--; left <= 0 {
				break
			}
		}
		if got := len(res.Plan.Related.Parts); got != tt.searches {
			t.Errorf("%d rows took %d searches, want %d", tt.rows, got, tt.searches)
		}
	}
	find, err := s.Evidence(api.ByID("d000"), []string{"all"}, api.Ignoring{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := find(context.Background(), api.Relation{Match: api.Match{Collection: "all", ID: "d001"}, Method: api.Method{Measure: api.Words}}); !errors.Is(err, api.ErrClosed) {
		t.Errorf("evidence of a closed snapshot: %v", err)
	}
}

// Documents with own tokens are related by these, and by their texts only where asked.
func TestRelatedOwnTokens(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "code", api.Settings{Unit: "token", K: 2, Words: true}); err != nil {
		t.Fatal(err)
	}
	a, b := strings.Fields("a b c d e f g h i j k"), strings.Fields("a b c d e f g h i j l")
	if err := db.Put(ctx, api.Document{Collection: "code", ID: "a", Tokens: a, Text: "ship"}, api.Document{Collection: "code", ID: "b", Tokens: b, Text: "harbour"},
		api.Document{Collection: "code", ID: "c", Tokens: strings.Fields("x y z"), Text: "ship"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		target api.Target
		want   string
	}{
		{api.ByID("a"), "code/b version by jaccard 9/11; code/c same topic by words 1000000000/1000000000; "},
		{api.ByTokens(a), "code/a copy by jaccard 10/10; code/b version by jaccard 9/11; "},
	} {
		q := engine.Relations{In: []string{"code"}}
		if got := relatedText(relatedRows(t, s, tt.target, q)); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.target, got, tt.want)
		}
		q.PlanOnly = true
		res, err := s.Related(ctx, tt.target, q)
		if err != nil {
			t.Fatal(err)
		}
		if plan := res.Plan; len(plan.Related.LeftOut) != 1 || !strings.Contains(plan.Related.LeftOut[0], "version by versions (needs") {
			t.Errorf("%v leaves out %q", tt.target, plan.Related.LeftOut)
		}
	}
}

// The target is the document of the first collection that has it, for the kinds that are not
// looked for there, too.
func TestRelatedTargetWhereNotLookedFor(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "kept", api.Settings{Words: true}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "a", Text: "ship harbour dawn"}, api.Document{ID: "b", Text: "gulls"},
		api.Document{Collection: "kept", ID: "b", Text: "at dawn the ship left the harbour"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Relations{In: []string{"docs", "kept"}}
	if got, want := relatedText(relatedRows(t, s, api.ByID("a"), q)), "kept/b same topic by words 866025403/1000000000; "; got != want {
		t.Errorf("a document of docs alone: %s, want %s", got, want)
	}
	if got := relatedText(relatedRows(t, s, api.ByID("b"), q)); got != "" {
		t.Errorf("a document of docs whose id kept has, too: %s, want none", got)
	}
	q.PlanOnly = true
	if res, err := s.Related(ctx, api.ByID("a"), q); err != nil || len(res.Plan.Related.Parts) == 0 {
		t.Errorf("EXPLAIN: %v, %v", res, err)
	}
}
