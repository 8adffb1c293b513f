// Closing a store that is in use.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Readers, writers, builds and Close at once: run with -race.
func TestConcurrentUse(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(uint64(w), 0))}
			for i := range 100 {
				err := db.Put(ctx, api.Document{ID: fmt.Sprintf("w%d-%d", w, i%30), Text: g.Next()})
				if err != nil && !errors.Is(err, api.ErrClosed) {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	for r := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				s, err := db.Snapshot()
				if err != nil {
					if !errors.Is(err, api.ErrClosed) {
						t.Errorf("snapshot: %v", err)
					}
					return
				}
				if err := repeatable(ctx, s, i+r); err != nil && !errors.Is(err, api.ErrClosed) && !errors.Is(err, api.ErrNotFound) {
					t.Errorf("reader: %v", err)
				}
				s.Close()
			}
		})
	}
	wg.Go(func() {
		for db.Compact(ctx) == nil {
		}
	})
	for db.Metrics().Documents < 60 {
		if err := db.Put(ctx, api.Document{ID: "own", Text: "until the others have written enough"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	wg.Wait()
	if err := db.Close(); !errors.Is(err, api.ErrClosed) {
		t.Errorf("second close = %v, want ErrClosed", err)
	}
}

// repeatable asks a snapshot twice and wants the same answer.
func repeatable(ctx context.Context, s *engine.Snapshot, n int) error {
	q := engine.Search{Min: api.Ratio(1, 2)}
	if n%3 == 0 {
		q.Measure = api.SimHash
	}
	ask := func() (out string, err error) {
		r, err := s.Pairs(ctx, q)
		if err != nil {
			return "", err
		}
		for m, err := range r.All {
			if err != nil {
				return "", err
			}
			out += fmt.Sprintln(m.A, m.B, m.Sim)
		}
		return out, nil
	}
	first, err := ask()
	if err != nil {
		return err
	}
	second, err := ask()
	if err == nil && first != second {
		err = fmt.Errorf("the same snapshot answered %q, then %q", first, second)
	}
	return err
}

// Close does not wait for an import whose source is silent.
func TestCloseBesideASilentSource(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	acked, more, loaded := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	source := func(yield func(*engine.Batch, error) bool) {
		for i := range 3 {
			var b engine.Batch
			b.Put(api.Document{ID: fmt.Sprint(i), Text: "x"})
			if !yield(&b, nil) {
				return
			}
			if i == 0 {
				<-more
			}
		}
	}
	go func() {
		loaded <- db.Load(context.Background(), source, func(*engine.Batch, api.BatchStats) { close(acked) })
	}()
	<-acked
	testmodel.Within(t, "Close", func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	close(more)
	if err := <-loaded; !errors.Is(err, api.ErrClosed) {
		t.Errorf("Load = %v, want ErrClosed", err)
	}
}
