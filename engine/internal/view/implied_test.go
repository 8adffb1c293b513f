// docs before its first document.

package view_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// A new store answers with no rows, whatever is asked.
func TestEmptyStoreAnswers(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	empty := func(when string) {
		t.Helper()
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, m := range enginetest.Compared() {
			q := engine.Search{Measure: m}
			switch m {
			case api.SI:
				q.Args.SI = "m3a k4"
			}
			if rows := enginetest.SimilarRows(t, s, api.ByText("nothing is like this text"), q); len(rows) > 0 {
				t.Errorf("%s: SIMILAR by %s = %v", when, m, rows)
			}
			if m.OfTexts() { // pairs need what docs does not keep, with documents or without
				continue
			}
			if rows := append(enginetest.PairRows(t, s, q), enginetest.ClusterRows(t, s, q)...); len(rows) > 0 {
				t.Errorf("%s: pairs and clusters by %s = %v", when, m, rows)
			}
			if _, err := enginetest.PairsPlan(ctx, s, q); err != nil {
				t.Errorf("%s: explain = %v", when, err)
			}
		}
		for d, err := range s.Documents(ctx, "") {
			t.Errorf("%s: a document %v, %v", when, d, err)
		}
		if fields, err := s.Fields(ctx, "", 0); err != nil || len(fields) > 0 {
			t.Errorf("%s: fields = %v, %v", when, fields, err)
		}
		if info, err := s.Collection(""); err != nil || info.Documents > 0 || !info.Implied {
			t.Errorf("%s: Collection = %+v, %v", when, info, err)
		}
		if all := s.Collections(); len(all) > 0 {
			t.Errorf("%s: Collections = %v", when, all)
		}
		if _, err := s.CompareBy(ctx, api.ByText("one text of few"), api.ByText("one text of many"), nil, nil, api.Ignoring{}); err != nil {
			t.Errorf("%s: Compare = %v", when, err)
		}
		if _, err := s.Get("", "x"); !errors.Is(err, api.ErrNotFound) || errors.Is(err, api.ErrNoCollection) {
			t.Errorf("%s: Get = %v, want ErrNotFound of the document", when, err)
		}
		_, err = s.Collection("other")
		if !errors.Is(err, api.ErrNoCollection) || !errors.Is(err, api.ErrNotFound) {
			t.Errorf("%s: another collection = %v, want ErrNoCollection", when, err)
		}
		if err := db.Delete(ctx, "", "x"); err != nil {
			t.Errorf("%s: Delete = %v", when, err)
		}
		var b engine.Batch
		b.Delete("", "x")
		if st, err := db.Commit(ctx, &b); err != nil || st != (api.BatchStats{}) {
			t.Errorf("%s: a batch that deletes nothing = %+v, %v", when, st, err)
		}
		enginetest.CheckClean(t, db, when)
	}
	empty("new")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	empty("opened again")
	// It is made with settings, or by its first document, and dropped.
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{K: 2}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); !errors.Is(err, api.ErrExists) {
		t.Errorf("made twice: %v, want ErrExists", err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := s.Collection(""); err != nil || info.Implied || info.Settings.K != 2 {
		t.Errorf("made: %+v, %v", info, err)
	}
	s.Close()
	if err := db.DropCollection(ctx, api.DefaultCollection); err != nil {
		t.Fatal(err)
	}
	empty("dropped")
	if err := db.DropCollection(ctx, api.DefaultCollection); !errors.Is(err, api.ErrNoCollection) {
		t.Errorf("dropped twice: %v, want ErrNoCollection", err)
	}
	var b engine.Batch
	b.Delete("", "x")
	b.Put(api.Document{ID: "y", Text: "the first document makes the collection"})
	if st, err := db.Commit(ctx, &b); err != nil || st.Inserted != 1 {
		t.Errorf("the first document: %+v, %v", st, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
