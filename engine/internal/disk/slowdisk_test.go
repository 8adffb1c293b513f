// Contexts on a slow disk: a call that is given up reads little more.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// readsAfter is how many reads a call may still do, in each goroutine that reads for it,
// once its context has ended: what one seek of Pebble reads, which knows no contexts, where it
// opens a table (five for its parts, the index once more, and a block). At 20 ms for each that
// makes 140 ms.
const readsAfter = 7

// endAtRead ends a context at the nth read, and counts reads while it is on.
type endAtRead struct {
	n    int64 // none if it is 0
	on   atomic.Bool
	seen atomic.Int64
	end  context.CancelFunc
}

func (e *endAtRead) String() string { return "endAtRead" }

func (e *endAtRead) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsRead || !e.on.Load() {
		return nil
	}
	if seen := e.seen.Add(1); seen == e.n {
		e.end()
	} else if e.n == 0 || seen < e.n {
		return nil
	}
	time.Sleep(2 * time.Millisecond) // so that the end gets around
	return nil
}

// Wherever the context of an Open or a call ends, the call is back after so few reads that
// a disk which takes 20 ms for each holds it up no longer than 140 ms.
func TestContextsOnASlowDisk(t *testing.T) {
	t.Parallel()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	documents, points := torture.Few(150, 1000), int64(torture.Few(1, 3))
	o.SegmentSets = uint32(documents)
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 8)), Prose: true}, 0, documents)
	enginetest.Settled(t, db)
	if err := enginetest.Disk(db).Pebble().Flush(); err != nil { // the image has the segments
		t.Fatal(err)
	}
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 9)), Prose: true}, documents, 20) // and a log
	image := disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	most := int64(readsAfter * host.Workers())
	// at does a call whose context ends at a read, and returns how many reads it did.
	at := func(n int64, name string, call func(ctx context.Context, fs vfs.FS, on *atomic.Bool) error) int64 {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e := &endAtRead{n: n, end: cancel}
		err := call(ctx, errorfs.Wrap(image.CrashClone(vfs.CrashCloneCfg{}), e), &e.on)
		seen := e.seen.Load()
		switch {
		case n == 0 || seen < n:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil && !errors.Is(err, context.Canceled):
			t.Errorf("%s, given up: %v, want context.Canceled", name, err)
		case seen-n > most:
			t.Errorf("%s: %d reads of %d after it was given up at read %d", name, seen-n, seen, n)
		}
		return seen
	}
	try := func(name string, call func(ctx context.Context, fs vfs.FS, on *atomic.Bool) error) {
		all := at(0, name, call)
		for i := range min(points, all) {
			at(1+i*all/points, name, call)
		}
	}
	for _, readOnly := range []bool{false, true} {
		try(fmt.Sprintf("open, read only %v", readOnly), func(ctx context.Context, fs vfs.FS, on *atomic.Bool) error {
			o := *o
			*enginetest.FS(&o), o.ReadOnly = fs, readOnly
			on.Store(true)
			db, err := engine.OpenContext(ctx, "db", &o)
			on.Store(false)
			if err == nil {
				err = db.Close()
			}
			return err
		})
	}
	for _, c := range enginetest.ReadingCalls(testmodel.KeepsAll) {
		try(c.Name, func(ctx context.Context, fs vfs.FS, on *atomic.Bool) error {
			o := *o
			*enginetest.FS(&o), o.ReadOnly = fs, true // so that nobody else reads
			db, err := engine.Open("db", &o)
			if err != nil {
				return err
			}
			on.Store(true)
			_, err = c.Do(ctx, db)
			on.Store(false)
			return errors.Join(err, db.Close())
		})
	}
}
