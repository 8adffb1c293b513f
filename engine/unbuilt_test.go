// A builder that fails: it is told, writers do not run away from it, and it goes on
// once it can.

package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

func TestBuilderFails(t *testing.T) {
	ctx := context.Background()
	var broken atomic.Bool
	broken.Store(true)
	cause := errors.New("no room for postings")
	o := testOptions(errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && op.Kind == errorfs.OpCreate && strings.Contains(op.Path, "postings") {
			return cause
		}
		return nil
	})))
	db := openTest(t, o)
	defer db.Close()
	next := 0
	batch := func(collection string) *Batch {
		var b Batch
		for range 8 {
			b.Put(api.Document{Collection: collection, ID: fmt.Sprint(next), Text: fmt.Sprintf("text %d of %d many", next, next*next)})
			next++
		}
		return &b
	}
	limit := int64(maxUnbuilt * 8)
	var err error
	for range 4 * maxUnbuilt {
		if _, err = db.Commit(ctx, batch("bad")); err != nil {
			break
		}
	}
	m := db.Metrics()
	if !errors.Is(err, cause) || m.TailSets <= limit || m.TailSets > limit+8 {
		t.Fatalf("after %d sets without postings Commit = %v, want the cause at %d", m.TailSets, err, limit)
	}
	if m.BuildFailures == 0 || !m.BuildFailing || !strings.Contains(m.BuildError, cause.Error()) || m.BuildFailedAt.IsZero() {
		t.Errorf("the metrics do not tell: %+v", m)
	}
	// A load is refused the same way; other collections and deletions are not.
	err = db.Load(ctx, func(yield func(*Batch, error) bool) { yield(batch("bad"), nil) }, nil)
	if !errors.Is(err, cause) {
		t.Errorf("Load = %v, want the cause", err)
	}
	if _, err := db.Commit(ctx, batch("good")); err != nil {
		t.Errorf("Commit to another collection = %v", err)
	}
	if err := db.Delete(ctx, "bad", "0"); err != nil {
		t.Errorf("Delete = %v", err)
	}
	broken.Store(false)
	testmodel.Within(t, "building again", func() {
		for err = cause; err != nil; {
			_, err = db.Commit(ctx, batch("bad"))
		}
	})
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	if m := db.Metrics(); m.BuildFailing || m.BuildFailures == 0 || m.TailSets > 2*8 {
		t.Errorf("after it went well: %+v", m)
	}
	checkClean(t, db, "built again")
}

// A collection that waits to be tried again keeps no other one waiting, and is itself
// not tried with every commit.
func TestFailingCollectionWaitsAlone(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	put := func(collection string, n int) {
		t.Helper()
		for i := range n {
			if err := db.Put(ctx, api.Document{Collection: collection, ID: fmt.Sprint(i), Text: fmt.Sprintf("text %d of %d some", i, i*i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("bad", 1)
	cause := errors.New("it cannot be built")
	failures := func() int {
		db.mu.Lock()
		defer db.mu.Unlock()
		return db.collections["bad"].unbuilt.row
	}
	testmodel.Within(t, "the builder knowing of the failures", func() {
		for failures() != 40 { // as often as to reach the longest pause
			time.Sleep(time.Millisecond) // so that it rests
			for failures() < 40 {
				db.noteUnbuilt(&db.collections["bad"].unbuilt, cause)
			}
			for range 3 { // a round that the put woke ends, and may say that all went well
				advanced := db.disk.Advancing()
				db.wakeBuilder()
				<-advanced
			}
		}
	})
	put("bad", 8*maxTail)
	put("good", 8*maxTail+8)
	testmodel.Within(t, "building the other collection", func() {
		for {
			db.mu.Lock()
			built := db.collections["good"].postings.Built
			db.mu.Unlock()
			if built >= 8*maxTail {
				return
			}
			runtime.Gosched()
		}
	})
	db.mu.Lock()
	bad := db.collections["bad"]
	if bad.postings.Built != 0 || bad.unbuilt.row != 40 {
		t.Errorf("the other one was tried: %d sets are built, %d failures", bad.postings.Built, bad.unbuilt.row)
	}
	db.mu.Unlock()
	if !db.Metrics().BuildFailing {
		t.Error("the metrics do not tell")
	}
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	if m := db.Metrics(); m.BuildFailing || m.TailSets > 16 {
		t.Errorf("compacted: %+v", m)
	}
}
