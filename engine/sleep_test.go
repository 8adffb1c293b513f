// Stores of many that sleep until they are called.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// get reads a document of docs.
func get(db *engine.DB, id string) (api.Document, error) {
	s, err := db.Snapshot()
	if err != nil {
		return api.Document{}, err
	}
	defer s.Close()
	return s.Get("", id)
}

// Stores that share sleep and wake as they are called, by many at once, and what was put
// into each is there, awake or reopened. No more are awake than may be.
func TestStoresSleep(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx := context.Background()
	const stores, most, callers, calls = 8, 3, 4, 60
	shared := &engine.Shared{Awake: most}
	disks, dbs := make([]vfs.FS, stores), make([]*engine.DB, stores)
	open := func(i int) *engine.DB {
		o := enginetest.Options(disks[i])
		o.Shared = shared
		return enginetest.Open(t, o)
	}
	for i := range dbs {
		disks[i] = vfs.NewMem()
		dbs[i] = open(i)
	}
	var wg sync.WaitGroup
	for w := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 3))
			g := &testmodel.Texts{Rng: rng}
			last := map[string]string{} // by store and id; each caller has ids of its own
			for range calls {
				i := rng.IntN(stores)
				id := fmt.Sprintf("%d-%d", w, rng.IntN(5))
				key := fmt.Sprint(i, id)
				if rng.IntN(2) == 0 {
					last[key] = g.Next()
					if err := dbs[i].Put(ctx, api.Document{ID: id, Text: last[key]}); err != nil {
						t.Error(err)
					}
				}
				d, err := get(dbs[i], id)
				if want, ok := last[key]; ok != (err == nil) || d.Text != want || !ok && !errors.Is(err, api.ErrNotFound) {
					t.Errorf("store %d has %q for %q, %v; want %q", i, d.Text, id, err, want)
				}
			}
		})
	}
	wg.Wait()
	testmodel.Within(t, "falling asleep", func() {
		for { // builders may still be at work
			if awake, _ := engine.AwakeOf(shared); awake <= most {
				return
			}
		}
	})
	for i, db := range dbs {
		want := db.Metrics().Documents
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		db = open(i)
		if got := db.Metrics().Documents; got != want {
			t.Errorf("store %d has %d documents when it is opened again, want %d", i, got, want)
		}
		r, err := db.Check(ctx, nil)
		if err != nil || len(r.Problems) > 0 {
			t.Errorf("store %d: %v, %v", i, r.Problems, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if awake, resting := engine.AwakeOf(shared); awake != 0 || resting != 0 {
		t.Errorf("when all are closed, %d are awake and %d rest", awake, resting)
	}
}

// A snapshot keeps its store awake, and shows what it showed.
func TestSnapshotKeepsAwake(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Sleepy(enginetest.Options(vfs.NewMem())))
	enginetest.FillTexts(t, db, 20)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Delete(ctx, "", "d3"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("", "d3"); err != nil {
		t.Errorf("the snapshot has lost a document: %v", err)
	}
	if engine.Asleep(db) {
		t.Error("the store sleeps, though a snapshot is open")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	testmodel.Within(t, "falling asleep", func() {
		for !engine.Asleep(db) {
		}
	})
	if _, err := get(db, "d3"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("Get = %v, want api.ErrNotFound", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Whichever write fails while stores fall asleep and wake up: no process dies, the caller is
// told, and nothing that was acknowledged is lost.
func TestSleepersUnderFaults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := enginetest.NewWorkload(rand.New(rand.NewPCG(1, 19)), 8, testmodel.KeepsAll)
	write := func(disk vfs.FS) (acked int, err error) {
		db, err := engine.Open("db", enginetest.Sleepy(enginetest.FaultyOptions(disk)))
		if err != nil {
			return 0, err
		}
		err = db.CreateCollection(ctx, api.DefaultCollection, w.Settings)
		for i, b := range w.Batches {
			if err == nil {
				if _, err = db.Commit(ctx, b); err == nil {
					acked = i + 1
				}
			}
		}
		return acked, errors.Join(err, db.Close())
	}
	all := &enginetest.NthWrite{N: 1 << 40}
	if acked, err := write(errorfs.Wrap(vfs.NewMem(), all)); err != nil || acked != len(w.Batches) {
		t.Fatalf("without a fault %d batches are acknowledged, then %v", acked, err)
	}
	points := all.Seen.Load() / int64(torture.Few(20, 4))
	for i := range points {
		inj := &enginetest.NthWrite{N: 1 + i*all.Seen.Load()/points, Always: i%2 == 0}
		disk := vfs.NewCrashableMem()
		var acked int
		var err error
		testmodel.Within(t, "a store under faults", func() { acked, err = write(errorfs.Wrap(disk, inj)) })
		if err != nil && (!errors.Is(err, errorfs.ErrInjected) || errors.Is(err, api.ErrCorrupt)) {
			t.Errorf("write %d failed (%+v): the store says %v, want the fault and no more", inj.N, inj.Failed.Load(), err)
		}
		enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk.CrashClone(vfs.CrashCloneCfg{}), acked)
		enginetest.OpenImage(t, w, enginetest.FaultyOptions(nil), disk, acked)
	}
}

// Another process may open a store that sleeps. Calls return ErrLocked meanwhile, and see its
// changes afterwards.
func TestSleepersReleaseTheirLock(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	o := enginetest.Options(mem)
	o.Shared = &engine.Shared{Awake: -1}
	db := enginetest.Open(t, o)
	if err := db.Put(ctx, api.Document{ID: "a", Text: "the text of the first"}); err != nil {
		t.Fatal(err)
	}
	asleep := func() {
		testmodel.Within(t, "falling asleep", func() {
			for !engine.Asleep(db) {
				runtime.Gosched()
			}
		})
	}
	asleep()
	other := enginetest.Open(t, enginetest.Options(mem))
	if _, err := get(db, "a"); !errors.Is(err, api.ErrLocked) {
		t.Errorf("while another has the store open, Get = %v, want ErrLocked", err)
	}
	err := errors.Join(other.Delete(ctx, "", "a"), other.Put(ctx, api.Document{ID: "b", Text: "another text"}),
		other.CreateCollection(ctx, "more", api.Settings{}), other.Close())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := get(db, "a"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("Get of what the other deleted = %v, want ErrNotFound", err)
	}
	if d, err := get(db, "b"); err != nil || d.Text != "another text" {
		t.Errorf("Get of what the other put = %q, %v", d.Text, err)
	}
	if err := db.Put(ctx, api.Document{Collection: "more", ID: "c", Text: "a third text"}); err != nil {
		t.Error(err)
	}
	asleep()
	if err := mem.RemoveAll("db"); err != nil {
		t.Fatal(err)
	}
	if _, err := get(db, "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its directory, Get = %v, want fs.ErrNotExist", err)
	}
	if err := enginetest.Open(t, enginetest.Options(mem)).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := get(db, "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with another store in its place, Get = %v, want fs.ErrNotExist", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// A store that gets few texts, one at a time, has few files after each, whether it was closed
// or slept in between.
func TestSmallStoresHaveFewFiles(t *testing.T) {
	ctx := context.Background()
	for _, sleeps := range []bool{false, true} {
		mem := vfs.NewMem()
		var db *engine.DB
		for i := range 20 {
			if db == nil {
				o := enginetest.Options(mem)
				*enginetest.MemTableBytes(o) = 16 << 20 // the default
				if sleeps {
					enginetest.Sleepy(o)
				}
				db = enginetest.Open(t, o)
			}
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("the text of document %d, of %d", i, 3*i)}); err != nil {
				t.Fatal(err)
			}
			if sleeps {
				testmodel.Within(t, "falling asleep", func() {
					for !engine.Asleep(db) {
						runtime.Gosched()
					}
				})
			} else {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = nil
			}
			files := 0
			for _, dir := range []string{"db", "db/log", "db/store", "db/postings"} {
				names, err := mem.List(dir)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				for _, n := range names {
					if info, err := mem.Stat(dir + "/" + n); err == nil && !info.IsDir() {
						files++
					}
				}
			}
			if files > 12 {
				t.Errorf("sleeping %v: %d files after %d texts, want at most 12", sleeps, files, i+1)
			}
		}
		if db != nil {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
