// Every call of a store under faults of files and disk: it ends with an error or the right
// answer, soon, and the process lives.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// answersOf asks all calls, which must succeed.
func answersOf(t *testing.T, db *engine.DB, calls []enginetest.FaultyCall) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range calls {
		answer, err := c.Do(context.Background(), db)
		if err != nil {
			t.Fatalf("without a fault %s: %v", c.Name, err)
		}
		out[c.Name] = answer
	}
	return out
}

// Segments that somebody cuts off while they are mapped: each call ends with an error or
// answers right, from memory or another file, and the process goes on. What is left of the
// store opens again.
func TestSegmentsCutOffWhileOpen(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	if runtime.GOOS == "windows" {
		t.Skip("windows does not cut off files that are mapped")
	}
	sets := torture.Few(64, 256) // by some measures each is read with each, three times
	for _, settings := range []api.Settings{testmodel.KeepsAll, {}} {
		for _, cut := range []struct {
			name string
			to   func(size int64) int64
		}{{"to nothing", func(int64) int64 { return 0 }}, {"to half", func(n int64) int64 { return n / 2 &^ int64(os.Getpagesize()-1) }}} {
			t.Run(fmt.Sprintf("%v %s", settings.Words, cut.name), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "db")
				o := &engine.Options{SegmentSets: uint32(sets)}
				db, err := engine.Open(dir, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := db.CreateCollection(context.Background(), api.DefaultCollection, settings); err != nil {
					t.Fatal(err)
				}
				enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8)), Prose: true}, 0, sets+sets/16)
				if err := enginetest.Inside(db).RebuildAll(context.Background()); err != nil {
					t.Fatal(err)
				}
				calls := enginetest.ReadingCalls(settings)
				want := answersOf(t, db, calls)
				for _, seg := range enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments {
					path := enginetest.Inside(db).Files.Path(seg.Number)
					info, err := os.Stat(path)
					if err == nil {
						err = os.Truncate(path, cut.to(info.Size()))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				failed := 0
				after := append(calls, enginetest.WritingCalls(dir)...)
				for _, c := range after {
					testmodel.Within(t, c.Name, func() {
						answer, err := c.Do(context.Background(), db)
						switch {
						case err != nil:
							failed++
							if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrPoisoned) {
								t.Errorf("%s: %v, want ErrCorrupt", c.Name, err)
							}
						case want[c.Name] != "" && answer != want[c.Name]:
							t.Errorf("%s answers wrong", c.Name)
						}
					})
				}
				t.Logf("%d of %d calls failed", failed, len(after))
				if failed == 0 {
					t.Error("no call has noticed")
				}
				if err := db.Close(); err != nil && !errors.Is(err, api.ErrPoisoned) {
					t.Errorf("close: %v", err)
				}
				if db, err = engine.Open(dir, o); err != nil {
					t.Fatalf("open again: %v", err)
				}
				enginetest.Settled(t, db)
				for _, c := range calls {
					if answer, err := c.Do(context.Background(), db); err != nil || answer != want[c.Name] {
						t.Errorf("opened again, %s: %v, or a wrong answer", c.Name, err)
					}
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// readFault fails the nth read, and with always all later ones, or waits with each.
type readFault struct {
	n      int64
	always bool
	wait   time.Duration
	seen   atomic.Int64
	op     atomic.Pointer[errorfs.Op]
}

func (f *readFault) String() string { return "readFault" }

func (f *readFault) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsRead {
		return nil
	}
	time.Sleep(f.wait)
	if n := f.seen.Add(1); n < f.n || n > f.n && !f.always {
		return nil
	}
	f.op.Store(&op)
	return errorfs.ErrInjected
}

// smallImage is a small store as a crash leaves it: segments, tables, and a log.
func smallImage(t *testing.T, settings api.Settings) *vfs.MemFS {
	t.Helper()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	db := enginetest.Open(t, o)
	defer db.Close()
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 8)), Prose: true}
	enginetest.PutMany(t, db, g, 0, 40)
	enginetest.Settled(t, db)
	if err := enginetest.Disk(db).Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	enginetest.PutMany(t, db, g, 40, 4)
	return disk.CrashClone(vfs.CrashCloneCfg{})
}

// Whichever single read fails, of Open, of each call or of Close: an error or the right
// answer, and no hang. What was open opens again, and is what it was (durability F2).
func TestReadFaults(t *testing.T) {
	t.Parallel()
	calls := append(enginetest.ReadingCalls(testmodel.KeepsAll), enginetest.WritingCalls("db")...)
	image := smallImage(t, testmodel.KeepsAll)
	run := func(f *readFault, each func(name, answer string, err error)) {
		disk := image.CrashClone(vfs.CrashCloneCfg{})
		db, err := engine.Open("db", enginetest.Options(errorfs.Wrap(disk, f)))
		each("open", "", err)
		if err == nil {
			for _, c := range calls {
				answer, err := c.Do(context.Background(), db)
				each(c.Name, answer, err)
			}
			each("close", "", db.Close())
		}
		db, err = engine.Open("db", enginetest.Options(disk))
		if err != nil {
			each("open again", "", fmt.Errorf("%w: %w", errOpenAgain, err))
			return
		}
		defer db.Close()
		enginetest.Settled(t, db)
		enginetest.CheckClean(t, db, "after a read that failed")
	}
	want := map[string]string{}
	all := &readFault{}
	run(all, func(name, answer string, err error) {
		if err != nil {
			t.Fatalf("without a fault %s: %v", name, err)
		}
		want[name] = answer
	})
	points := min(all.seen.Load(), int64(torture.Tries(t, "F2")))
	told := 0
	for i := range points {
		f := &readFault{n: 1 + i*all.seen.Load()/points}
		testmodel.Within(t, fmt.Sprintf("read %d of %d", f.n, all.seen.Load()), func() {
			errs := 0
			run(f, func(name, answer string, err error) {
				switch {
				case errors.Is(err, errOpenAgain):
					t.Errorf("read %d failed (%+v), then %v", f.n, f.op.Load(), err)
				case err != nil:
					errs++
				case answer != want[name]:
					t.Errorf("read %d failed (%+v), and %s answers wrong:\n%s\nwant\n%s", f.n, f.op.Load(), name, answer, want[name])
				}
			})
			if errs > 0 {
				told++
			}
		})
	}
	t.Logf("%d of %d reads failed, %d of them told", points, all.seen.Load(), told)
	torture.Report(t, "F2", int(points))
}

var errOpenAgain = errors.New("it does not open again")
