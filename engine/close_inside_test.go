// Close and Shutdown where loops over rows and loads are under way, and loops that
// panic.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// loops are all ways to loop over rows; each calls body for its first row.
func loops(db *engine.DB) map[string]func(body func()) error {
	ctx := context.Background()
	q := engine.Search{Min: api.Ratio(1, 10)}
	out := map[string]func(body func()) error{}
	on := func(name string, call func(s *engine.Snapshot, body func()) error) {
		out[name] = func(body func()) error {
			s, err := db.Snapshot()
			if err != nil {
				return err
			}
			defer s.Close()
			return call(s, body)
		}
	}
	on("infos", func(s *engine.Snapshot, body func()) error { return looped(s.Infos(ctx, ""), nil, body) })
	on("ids", func(s *engine.Snapshot, body func()) error { return looped(s.IDs(ctx, "", ""), nil, body) })
	on("documents", func(s *engine.Snapshot, body func()) error { return looped(s.Documents(ctx, ""), nil, body) })
	on("similar", func(s *engine.Snapshot, body func()) error {
		r, err := s.Similar(ctx, api.ByID("1"), q)
		return loopedOver(r, err, body)
	})
	on("pairs", func(s *engine.Snapshot, body func()) error {
		r, err := s.Pairs(ctx, q)
		return loopedOver(r, err, body)
	})
	on("clusters", func(s *engine.Snapshot, body func()) error {
		r, err := s.Clusters(ctx, q)
		return loopedOver(r, err, body)
	})
	return out
}

func loopedOver[T any](r *engine.Result[T], err error, body func()) error {
	if err != nil {
		return err
	}
	return looped(r.All, nil, body)
}

func looped[T any](rows iter.Seq2[T, error], err error, body func()) error {
	if err != nil {
		return err
	}
	n := 0
	for _, err := range rows {
		if err != nil {
			return err
		}
		body()
		n++
	}
	if n == 0 {
		return errors.New("the loop has no rows")
	}
	return nil
}

func storeOfFew(t *testing.T) *engine.DB {
	t.Helper()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	for i := range 20 {
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("a text that is much like all of the others, number %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	return db
}

// A panic that the caller recovers from leaves nothing open: no snapshot, no
// iterator, and Close does not wait.
func TestPanicInALoop(t *testing.T) {
	defer goleak.VerifyNone(t)
	db := storeOfFew(t)
	for name, loop := range loops(db) {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic was lost", name)
				}
			}()
			err := loop(func() { panic("the caller's own") })
			t.Errorf("%s: the loop ended: %v", name, err)
		}()
		if n := db.Metrics().OpenSnapshots; n != 0 {
			t.Errorf("%s: %d snapshots are open", name, n)
		}
	}
	testmodel.Within(t, "Close", func() {
		if err := db.Close(); err != nil { // Pebble reports what was left open
			t.Errorf("Close = %v", err)
		}
	})
}

// Close in a loop over rows would wait for itself: it says so, and the store goes on.
func TestCloseInALoop(t *testing.T) {
	db := storeOfFew(t)
	ctx := context.Background()
	for name, loop := range loops(db) {
		testmodel.Within(t, name, func() {
			err := loop(func() {
				for what, err := range map[string]error{"Close": db.Close(), "Shutdown": db.Shutdown(ctx)} {
					if !errors.Is(err, api.ErrInvalid) {
						t.Errorf("%s in %s = %v, want ErrInvalid", what, name, err)
					}
				}
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	testmodel.Within(t, "load", func() {
		var b engine.Batch
		b.Put(api.Document{ID: "x", Text: "one more"})
		err := db.Load(ctx, func(yield func(*engine.Batch, error) bool) { yield(&b, nil) }, func(*engine.Batch, api.BatchStats) {
			if err := db.Close(); !errors.Is(err, api.ErrInvalid) {
				t.Errorf("Close in acked = %v, want ErrInvalid", err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
	// Another store may be closed there.
	other, err := engine.Open("other", enginetest.Options(vfs.NewMem()))
	if err != nil {
		t.Fatal(err)
	}
	first := true
	err = loops(db)["infos"](func() {
		if first {
			if err := other.Close(); err != nil {
				t.Errorf("Close of another store = %v", err)
			}
		}
		first = false
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Shutdown waits for a loop no longer than its context, and then the store closes
// after the loop.
func TestShutdownBesideALoop(t *testing.T) {
	db := storeOfFew(t)
	inside, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		ended <- loops(db)["infos"](func() {
			if first {
				close(inside)
				<-goOn
			}
			first = false
		})
	}()
	<-inside
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := db.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown = %v, want the end of the context", err)
	}
	if _, err := db.Snapshot(); !errors.Is(err, api.ErrClosed) {
		t.Errorf("Snapshot = %v, want ErrClosed", err)
	}
	close(goOn)
	if err := <-ended; !errors.Is(err, api.ErrClosed) {
		t.Errorf("the loop ended with %v, want ErrClosed", err)
	}
	if err := db.Shutdown(context.Background()); err != nil && !errors.Is(err, api.ErrClosed) {
		t.Errorf("Shutdown again = %v", err)
	}
	if err := db.Shutdown(context.Background()); !errors.Is(err, api.ErrClosed) {
		t.Errorf("Shutdown of a closed store = %v, want ErrClosed", err)
	}
}

// What is nil is refused, or left out.
func TestNilArguments(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	batches := func(yield func(*engine.Batch, error) bool) {
		var b engine.Batch
		b.Put(api.Document{ID: "a", Text: "stored without anyone being told"})
		yield(&b, nil)
	}
	if err := db.Load(ctx, batches, nil); err != nil {
		t.Errorf("Load without acked = %v", err)
	}
	if n := db.Metrics().Documents; n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
	_, commit := db.Commit(ctx, nil)
	_, noContext := db.Commit(nil, &engine.Batch{}) //lint:ignore SA1012 that is the test
	for what, err := range map[string]error{
		"Load of nothing":          db.Load(ctx, nil, nil),
		"Load of a nil batch":      db.Load(ctx, func(yield func(*engine.Batch, error) bool) { yield(nil, nil) }, nil),
		"Commit of nil":            commit,
		"Commit without a context": noContext,
	} {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s = %v, want ErrInvalid", what, err)
		}
	}
}
