package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// A store that rests has two goroutines, both of Pebble: for the log that it does not use,
// and for files that it removes.
const restingGoroutines = 2

// Stores that rest have no goroutines of ours, however many there are, and once they are
// closed none is left of what they shared.
func TestStoresRest(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx := context.Background()
	const stores = 20
	before := runtime.NumGoroutine()
	shared := &engine.Shared{}
	var dbs []*engine.DB
	for i := range stores {
		o := enginetest.Options(vfs.NewMem())
		o.Shared = shared
		db := enginetest.Open(t, o)
		dbs = append(dbs, db)
		for j := range 3 * i { // some have segments
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(j), Text: fmt.Sprintf("document %d of the store %d and %d words", j, i, i*j)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := before + restingGoroutines*stores + runtime.GOMAXPROCS(0)
	testmodel.Within(t, "coming to rest", func() {
		for runtime.NumGoroutine() > want+1 { // this one
			runtime.Gosched()
		}
	})
	for _, db := range dbs {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Sets of equal numbers in stores that share a cache are not taken for each other.
func TestSharedCacheTellsStoresApart(t *testing.T) {
	ctx := context.Background()
	shared := &engine.Shared{}
	texts := []string{"one two three four five six seven", "seven six five four three two one and more of it"}
	var dbs []*engine.DB
	for _, text := range texts {
		o := enginetest.Options(vfs.NewMem())
		o.Shared = shared
		db := enginetest.Open(t, o)
		if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: text}), db.Close()); err != nil {
			t.Fatal(err)
		}
		db = enginetest.Open(t, o) // it has no bags in memory now
		defer db.Close()
		dbs = append(dbs, db)
	}
	for range 500 { // again from the cache, once it has taken what it was given
		if hits, _ := engine.MemoryOf(shared).BagLookups(); hits > 0 {
			break
		}
		for i, db := range dbs {
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			rows := enginetest.SimilarRows(t, s, api.ByText(texts[i]+" and that"), engine.Search{Min: api.Ratio(1, 2)})
			if len(rows) != 1 {
				t.Errorf("store %d finds %v for nearly its own text, want one row", i, rows)
			}
			s.Close()
		}
	}
	if hits, _ := engine.MemoryOf(shared).BagLookups(); hits == 0 {
		t.Error("nothing came from the cache")
	}
}

// A store that nothing was written to since it was opened is closed without a write.
func TestCloseOfUnchangedWritesNothing(t *testing.T) {
	mem := vfs.NewMem()
	db := enginetest.Open(t, enginetest.Options(mem))
	enginetest.FillTexts(t, db, 30)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var closing atomic.Bool
	counted := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if closing.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose {
			t.Errorf("%s was written or synced: %v", op.Path, op.Kind)
		}
		return nil
	}))
	db = enginetest.Open(t, enginetest.Options(counted))
	if got := db.Metrics().Documents; got != 30 {
		t.Fatalf("%d documents, want 30", got)
	}
	enginetest.Settled(t, db)
	noOptions := func(name string) bool { return !strings.HasPrefix(name, "OPTIONS") }
	testmodel.Within(t, "removing the options of the opening before", func() { // Pebble does it when it likes
		names, err := mem.List(enginetest.Disk(db).File("store"))
		for err == nil && len(slices.DeleteFunc(names, noOptions)) > 1 {
			time.Sleep(time.Millisecond)
			names, err = mem.List(enginetest.Disk(db).File("store"))
		}
		if err != nil {
			t.Error(err)
		}
	})
	closing.Store(true)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
