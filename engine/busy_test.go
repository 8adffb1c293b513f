// A store that is busy with everything at once: what it answers stays right, and it can be
// closed in the middle.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// Eight write and delete, eight ask snapshots twice, others back up, compact and check. In
// the end the store holds what the writers were told (durability R1).
func TestWritersAndReaders(t *testing.T) {
	defer goleak.VerifyNone(t)
	seconds := torture.Tries(t, "R1")
	ctx := context.Background()
	disk := vfs.NewMem()
	db := enginetest.Open(t, enginetest.Options(disk))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	until := func(do func(i int) error) {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := do(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	want := map[string]string{}
	for w := range 8 { // each writes documents of its own
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(uint64(w), 51))}
		until(func(int) error {
			var b engine.Batch
			mine := map[string]string{}
			for range 1 + g.Rng.IntN(3) {
				id := fmt.Sprintf("w%d-%d", w, g.Rng.IntN(12))
				if g.Rng.IntN(3) == 0 {
					b.Delete("", id)
					mine[id] = deletedText
				} else {
					mine[id] = g.Next()
					b.Put(api.Document{ID: id, Text: mine[id]})
				}
			}
			if _, err := db.Commit(ctx, &b); err != nil {
				return err
			}
			if len(g.Old) > 200 {
				g.Old = g.Old[100:]
			}
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(want, mine)
			return nil
		})
	}
	for range 8 {
		until(func(i int) error {
			s, err := db.Snapshot()
			if err != nil {
				return err
			}
			defer s.Close()
			return repeatable(ctx, s, i)
		})
	}
	until(func(i int) error {
		copied := fmt.Sprint("copy", i%2)
		return errors.Join(disk.RemoveAll(copied), db.Checkpoint(ctx, copied))
	})
	until(func(int) error { return db.Compact(ctx) })
	until(func(int) error {
		if report, err := db.Check(ctx, nil); err != nil || report.Found > 0 {
			return fmt.Errorf("check: %v, %w", report, err)
		}
		return nil
	})
	time.Sleep(time.Duration(seconds) * time.Second)
	close(stop)
	wg.Wait()
	maps.DeleteFunc(want, func(_, text string) bool { return text == deletedText })
	enginetest.SameDocuments(t, db, want)
	enginetest.CheckClean(t, db, "after all")
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	torture.Report(t, "R1", seconds)
}

// deletedText stands for the text of a document that was deleted.
const deletedText = "\x00"

// Close comes while every call is under way, at any view: each ends with its answer or with
// ErrClosed, no goroutine is left, and what was acknowledged is there again (durability R2).
func TestCloseInTheMiddle(t *testing.T) {
	defer goleak.VerifyNone(t)
	tries := torture.Tries(t, "R2")
	ctx := context.Background()
	dir := t.TempDir()
	closed := 0
	for n := range tries {
		rng := rand.New(rand.NewPCG(uint64(n), 52))
		disk := vfs.NewMem()
		o := enginetest.Options(disk)
		db := enginetest.Open(t, o)
		enginetest.FillTexts(t, db, 30)
		calls := append(enginetest.ReadingCalls(api.Settings{}), enginetest.WritingCalls(filepath.Join(dir, fmt.Sprint(n)))...)
		var mu sync.Mutex
		acked := map[string]string{}
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("w%d-%d", w, i)
					err := db.Put(ctx, api.Document{Collection: "acked", ID: id, Text: "some words of " + id})
					if err != nil {
						if !errors.Is(err, api.ErrClosed) {
							t.Errorf("put: %v", err)
						}
						return
					}
					mu.Lock()
					acked[id] = "some words of " + id
					mu.Unlock()
				}
			})
			first := rng.IntN(len(calls))
			wg.Go(func() {
				for i := 0; ; i++ {
					c := calls[(first+i)%len(calls)]
					if c.Name == "metrics" || c.Name == "backup" || c.Name == "linked backup" {
						continue
					}
					_, err := c.Do(ctx, db)
					if errors.Is(err, api.ErrClosed) {
						mu.Lock()
						closed++
						mu.Unlock()
						return
					}
					if err != nil && !errors.Is(err, api.ErrExists) && !errors.Is(err, api.ErrNotFound) {
						t.Errorf("%s: %v, want ErrClosed", c.Name, err)
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(rng.IntN(15000)) * time.Microsecond)
		testmodel.Within(t, "Close", func() {
			if err := db.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
			wg.Wait()
		})
		db = enginetest.Open(t, o)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for d, err := range s.Documents(ctx, "acked") {
			if errors.Is(err, api.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got[d.ID] = d.Text
		}
		for id := range acked {
			if got[id] != acked[id] {
				t.Errorf("%s was acknowledged and is %q", id, got[id])
			}
		}
		s.Close()
		enginetest.CheckClean(t, db, "closed in the middle")
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Fatalf("try %d", n)
		}
	}
	t.Logf("%d calls were told that the store is closed", closed)
	torture.Report(t, "R2", tries)
}
