// Writes that fail and disks that are full: a call says so, and the next Open recovers.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// faultyBatches is how many batches a store under faults is given.
const faultyBatches = 40

// Whichever write fails, once or for good: a call says so or succeeds, the
// process lives, reads go on and are right, later writes are refused, and a
// store opened on the same disk has all that was acknowledged, also if the
// disk has forgotten what was not synced (durability F1). Builds and
// compactions run beside the commits, so the nth operation is not the same
// each time.
func TestWriteFaults(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorkload(rand.New(rand.NewPCG(1, 17)), faultyBatches, testmodel.KeepsAll)
	all := &enginetest.NthWrite{N: 1 << 40}
	if r := runUnderFaults(t, errorfs.Wrap(vfs.NewMem(), all), w); r.err != nil || r.acked != faultyBatches {
		t.Fatalf("without a fault %d batches are acknowledged, then %v", r.acked, r.err)
	}
	points := min(all.Seen.Load(), int64(torture.Tries(t, "F1")+1)/2)
	fired, told := 0, 0
	for i := range points {
		for _, always := range []bool{false, true} {
			inj := &enginetest.NthWrite{N: 1 + i*all.Seen.Load()/points, Always: always}
			disk := vfs.NewCrashableMem()
			r := runUnderFaults(t, errorfs.Wrap(disk, inj), w)
			op := inj.Failed.Load()
			what := fmt.Sprintf("write %d of %d failed (%+v, always: %v)", inj.N, all.Seen.Load(), op, always)
			if op != nil {
				fired++
			}
			if r.err != nil {
				told++
			}
			for _, err := range []error{r.err, r.compact} {
				if err != nil && (!errors.Is(err, errorfs.ErrInjected) || errors.Is(err, api.ErrCorrupt)) {
					t.Errorf("%s: the store says %v, want the fault and no more", what, err)
				}
			}
			if always && op != nil && r.err == nil {
				t.Errorf("%s: neither a commit nor Close says so", what)
			}
			enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk.CrashClone(vfs.CrashCloneCfg{}), r.acked)
			enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk, r.acked)
		}
	}
	t.Logf("%d faults, %d of them told", fired, told)
	torture.Report(t, "F1", fired)
	if fired < int(points) {
		t.Errorf("of %d faults only %d came about", 2*points, fired)
	}
}

// underFaults is how far a store came.
type underFaults struct {
	acked   int
	err     error // the first of Open, a commit or Close
	compact error // of compactions; they need not spoil the store
}

// runUnderFaults writes a workload, compacts now and then, and closes the
// store. After the first error it looks whether reads go on and writes do not.
func runUnderFaults(t *testing.T, disk vfs.FS, w *enginetest.Workload) (r underFaults) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testmodel.Patience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r = writeUnderFaults(ctx, t, disk, w)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		debug.SetTraceback("all") // shows where
		panic("a store under faults hangs")
	}
	return r
}

func writeUnderFaults(ctx context.Context, t *testing.T, disk vfs.FS, w *enginetest.Workload) (r underFaults) {
	db, err := engine.Open("db", enginetest.FaultyOptions(disk))
	if err != nil {
		return underFaults{err: err}
	}
	r.err = db.CreateCollection(ctx, api.DefaultCollection, w.Settings)
	for i, b := range w.Batches {
		if r.err != nil {
			break
		}
		if _, r.err = db.Commit(ctx, b); r.err != nil {
			break
		}
		if r.acked = i + 1; r.acked%16 == 0 {
			r.compact = errors.Join(r.compact, db.Compact(ctx))
		}
	}
	readUnderFaults(t, db, w, r.acked)
	if r.err != nil {
		if err := db.Put(ctx, api.Document{ID: "late", Text: "too late to be stored"}); !errors.Is(err, api.ErrPoisoned) {
			t.Errorf("put after %v = %v, want ErrPoisoned", r.err, err)
		}
		if _, err := db.Commit(ctx, w.Batches[0]); !errors.Is(err, api.ErrPoisoned) {
			t.Errorf("commit after %v = %v, want ErrPoisoned", r.err, err)
		}
	}
	err = db.Close()
	if r.err != nil && !errors.Is(err, api.ErrPoisoned) {
		t.Errorf("close after %v = %v, want ErrPoisoned", r.err, err)
	}
	if r.err == nil {
		r.err = err
	}
	return r
}

// readUnderFaults compares the answers of a store with those of a model. A
// batch that was refused may have been applied or not.
func readUnderFaults(t *testing.T, db *engine.DB, w *enginetest.Workload, acked int) {
	note, err := db.Note("batch")
	if err != nil {
		t.Errorf("note: %v", err)
		return
	}
	n, _ := strconv.Atoi(string(note))
	if n != acked && n != acked+1 {
		t.Errorf("%d batches are acknowledged, %d are seen", acked, n)
		return
	}
	if n == 0 {
		return // there may be no collection
	}
	enginetest.SameDocuments(t, db, w.States[n])
	s, err := db.Snapshot()
	if err != nil {
		t.Errorf("snapshot: %v", err)
		return
	}
	defer s.Close()
	q := engine.Search{Min: api.Ratio(1, 2)}
	r, err := s.Pairs(context.Background(), q)
	if err != nil {
		t.Errorf("pairs: %v", err)
		return
	}
	got := []string{}
	for p, err := range r.All {
		if err != nil {
			t.Errorf("pairs: %v", err)
			return
		}
		got = append(got, testmodel.RowString(q, p.A, p.B, p.Sim, p.Shared, p.Union))
	}
	if want := enginetest.ModelOf(w.Settings, w.States[n]).Pairs(q); !slices.Equal(got, want) {
		t.Errorf("pairs after %d batches:\n%s", n, testmodel.Difference(got, want))
	}
}

// fullDisk takes so many bytes and then no more.
type fullDisk struct {
	vfs.FS
	left *atomic.Int64
}

type fullFile struct {
	vfs.File
	left *atomic.Int64
}

func (d fullDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	return fullFile{f, d.left}, nil
}

// Write stores what there is room for, as a disk does.
func (f fullFile) Write(p []byte) (int, error) {
	room := f.left.Add(-int64(len(p)))
	if room >= 0 {
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:max(0, int64(len(p))+room)])
	if err == nil {
		err = &fs.PathError{Op: "write", Err: syscall.ENOSPC}
	}
	return n, err
}

// Wherever the disk is full, a call says so, reads go on, and once there is
// room the store opens with all that was acknowledged (durability F3).
func TestDiskFull(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "F3")
	for seed := range uint64(2) {
		testDiskFull(t, enginetest.NewWorkload(rand.New(rand.NewPCG(2, 17)), faultyBatches, enginetest.EverySecond(seed)), int64(tries+1)/2)
	}
	torture.Report(t, "F3", tries)
}

func testDiskFull(t *testing.T, w *enginetest.Workload, budgets int64) {
	const plenty = 1 << 40
	left := new(atomic.Int64)
	left.Store(plenty)
	if r := runUnderFaults(t, fullDisk{vfs.NewMem(), left}, w); r.err != nil {
		t.Fatal(r.err)
	}
	need := plenty - left.Load()
	for i := range budgets {
		left := new(atomic.Int64)
		left.Store(i * need / budgets)
		disk := vfs.NewCrashableMem()
		r := runUnderFaults(t, fullDisk{disk, left}, w)
		if left.Load() < 0 && !errors.Is(r.err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: %d batches, then %v, want ENOSPC", i*need/budgets, need, r.acked, r.err)
		}
		enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk.CrashClone(vfs.CrashCloneCfg{}), r.acked)
		enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk, r.acked)
		if t.Failed() {
			t.Fatalf("room for %d of %d bytes", i*need/budgets, need)
		}
	}
}
