// Snapshots: closed under their users, and left by a context that ends.

package view_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Whoever uses a snapshot while another closes it gets his answer or
// ErrClosed. Run with -race.
func TestSnapshotIsClosedUnderItsUsers(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	var b engine.Batch
	for i := range 50 {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("some words and the number %d of them", i)})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := 0; ; n++ {
					if i == 0 && n == 3 {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}
					docs := 0
					for _, err := range s.Documents(ctx, "") {
						if errors.Is(err, api.ErrClosed) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						docs++
					}
					if docs != 50 {
						t.Errorf("%d documents, want 50 or ErrClosed", docs)
					}
					if _, err := s.Similar(ctx, api.ByID("7"), engine.Search{}); err != nil && !errors.Is(err, api.ErrClosed) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	noSnapshots(t, db)
}

// noSnapshots waits until none is open; the builder may have one for a moment.
func noSnapshots(t *testing.T, db *engine.DB) {
	t.Helper()
	for range 2000 {
		if db.Metrics().OpenSnapshots == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d snapshots are open, want none", db.Metrics().OpenSnapshots)
}

// A loop over rows may close its snapshot and goes on to its end.
func TestSnapshotIsClosedInItsLoop(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for i := range 5 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: "the same few words"}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range s.Documents(ctx, "") {
		if err := errors.Join(err, s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows != 5 {
		t.Errorf("%d rows, want 5", rows)
	}
	if _, err := s.Get("", "1"); !errors.Is(err, api.ErrClosed) {
		t.Errorf("Get after Close = %v, want ErrClosed", err)
	}
	noSnapshots(t, db)
}

// Going through a collection for its fields ends with the caller's context.
func TestFieldsHeedTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "x", Meta: api.Meta{"year": 1999}}); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if got, err := s.Fields(ctx, "", 0); err != nil || len(got) != 1 || got[0] != "year" {
		t.Errorf("Fields = %v, %v, want year", got, err)
	}
	for i := range 30 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: "x", Meta: api.Meta{fmt.Sprintf("f%d", i): i}}); err != nil {
			t.Fatal(err)
		}
	}
	many, _ := db.Snapshot()
	defer many.Close()
	if got, err := many.Fields(ctx, "", 4); err != nil || len(got) != 5 {
		t.Errorf("Fields with at most 4 = %v, %v, want to end at the fifth", got, err)
	}
	cancel()
	if got, err := s.Fields(ctx, "", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Fields with an ended context = %v, %v", got, err)
	}
}

func TestContextEndsSearches(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 200 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("some words and the number %d of them", i%50)}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	r, err := s.Pairs(ctx, engine.Search{Min: api.Ratio(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range r.All {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel: %v", err)
			}
			break
		}
		if rows++; rows == 10 {
			cancel()
		}
	}
	if rows > 11 {
		t.Errorf("%d rows after the context ended at 10", rows)
	}
	if _, err := s.Pairs(ctx, engine.Search{Measure: api.Multiset, Min: api.Ratio(1, 2)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Pairs with an ended context = %v", err)
	}
}
