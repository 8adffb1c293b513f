// Stores that are opened for reading only, or lie in memory, and Opens that are given
// up.

package view_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
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

// Any number open a store for reading, and nothing in the directory changes, also where it
// could not.
func TestReadOnly(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "db")
	o := &engine.Options{SegmentSets: 64}
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 1000)
	reader := &engine.Options{ReadOnly: true, SegmentSets: 64}
	if !enginetest.ReadsBeside {
		if _, err := engine.Open(dir, reader); !errors.Is(err, api.ErrLocked) {
			t.Errorf("beside a writer Open = %v, want ErrLocked", err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	q := engine.Search{Min: api.Ratio(1, 2)}
	want := enginetest.PairRows(t, s, q)
	if len(want) == 0 {
		t.Fatal("no pairs")
	}
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	before := enginetest.ImageOf(t, vfs.Default, dir)
	var readers []*engine.DB
	for range 3 {
		r, err := engine.Open(dir, reader)
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	if !enginetest.ReadsBeside {
		if _, err := engine.Open(dir, o); !errors.Is(err, api.ErrLocked) {
			t.Errorf("beside readers Open = %v, want ErrLocked", err)
		}
	}
	for _, r := range readers {
		s, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := enginetest.PairRows(t, s, q); !slices.Equal(got, want) {
			t.Errorf("who only reads sees other pairs:\n%s", testmodel.Difference(got, want))
		}
		if m := r.Metrics(); m.Segments == 0 || m.Documents != 1000 {
			t.Errorf("metrics %+v", m)
		}
		s.Close()
		enginetest.CheckClean(t, r, "read only")
		_, commit := r.Commit(ctx, &engine.Batch{})
		for what, err := range map[string]error{
			"Put": r.Put(ctx, api.Document{ID: "x", Text: "x"}), "Delete": r.Delete(ctx, "", "1"), "Commit": commit,
			"Load":   r.Load(ctx, func(func(*engine.Batch, error) bool) {}, nil),
			"Create": r.CreateCollection(ctx, "c", api.Settings{}), "Drop": r.DropCollection(ctx, api.DefaultCollection),
			"Compact": r.Compact(ctx),
		} {
			if !errors.Is(err, api.ErrReadOnly) {
				t.Errorf("%s = %v, want ErrReadOnly", what, err)
			}
		}
	}
	for _, r := range readers {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if after := enginetest.ImageOf(t, vfs.Default, dir); !maps.Equal(before, after) {
		t.Error("who only read has changed the directory")
	}
	if err := os.Remove(filepath.Join(dir, "LOCK")); err != nil { // as in a copy
		t.Fatal(err)
	}
	r, err := engine.Open(dir, reader)
	if err != nil {
		t.Fatalf("without LOCK: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "LOCK")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LOCK was made: %v", err)
	}
	none := filepath.Join(t.TempDir(), "none")
	if _, err := engine.Open(none, reader); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing = %v", err)
	}
	if _, err := os.Stat(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing has made a directory: %v", err)
	}
}

// Runs of a join that have no room in memory go to files elsewhere, and do not stay.
func TestReadOnlyJoinSpills(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, &engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	for i := range 600 { // each like each other
		b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("all of these texts have nearly all of their many words in common, all but word %d", i)})
	}
	if _, err := db.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := engine.Open(dir, &engine.Options{ReadOnly: true, MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(temp, "none")
	t.Setenv("TMPDIR", nowhere)
	t.Setenv("TMP", nowhere)
	if _, err := s.Pairs(context.Background(), engine.Search{Min: api.Ratio(1, 2)}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("with a TMPDIR that is not there: %v", err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	result, err := s.Pairs(context.Background(), engine.Search{Min: api.Ratio(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if named, err := os.ReadDir(temp); runtime.GOOS != "windows" && (err != nil || len(named) > 0) {
		t.Errorf("a kill would leave %v, %v", named, err)
	}
	if n := len(testmodel.Collect(t, result, nil)); n != 600*599/2 {
		t.Errorf("%d pairs", n)
	}
	s.Close()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A store in memory does what one on disk does, and leaves nothing.
func TestInMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx := context.Background()
	db, err := engine.Open("", &engine.Options{InMemory: true, SegmentSets: 64})
	if err != nil {
		t.Fatal(err)
	}
	other, err := engine.Open("", &engine.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 1000)
	enginetest.Settled(t, db)
	enginetest.CheckClean(t, db, "in memory")
	if m := db.Metrics(); m.Segments == 0 || m.Documents != 1000 {
		t.Errorf("metrics %+v", m)
	}
	if err := db.Compact(ctx); err != nil {
		t.Error(err)
	}
	if err := db.Checkpoint(ctx, "copy"); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Checkpoint = %v, want ErrInvalid", err)
	}
	if n := other.Metrics().Documents; n != 0 {
		t.Errorf("another store in memory has %d documents", n)
	}
	if err := errors.Join(db.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir("."); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	for _, o := range []*engine.Options{{InMemory: true, ReadOnly: true}, {InMemory: true, MustExist: true}, {Convert: "sometimes"}} {
		if _, err := engine.Open("", o); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", o, err)
		}
	}
}

// An Open that is given up, wherever it is, leaves the store as it was.
func TestOpenGivenUp(t *testing.T) {
	defer goleak.VerifyNone(t)
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	*enginetest.Unicode(o) = "1.0"
	db := enginetest.Open(t, o)
	enginetest.FillTexts(t, db, 500)
	if err := enginetest.Disk(db).Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 500) // which the log alone has
	image := disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	*enginetest.FS(o), *enginetest.Unicode(o) = image, "2.0"
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine.OpenContext(cancelled, "db", o); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	for _, step := range []string{api.StepReplay, api.StepReadAgain} {
		ctx, cancel := context.WithCancel(context.Background())
		var at atomic.Int64 // when it was given up
		steps := map[string]int{}
		o.OpenProgress = func(p api.OpenProgress) {
			if steps[p.Step]++; p.Step == step && steps[p.Step] == 50 {
				at.Store(time.Now().UnixNano())
				cancel()
			}
		}
		db, err := engine.OpenContext(ctx, "db", o)
		took := time.Since(time.Unix(0, at.Load()))
		if !errors.Is(err, context.Canceled) || db != nil {
			t.Errorf("%s: OpenContext = %v, %v, steps %v", step, db, err, steps)
		}
		t.Logf("%s: given up within %v, after %v", step, took, steps)
		cancel()
	}
	o.OpenProgress = nil
	ctx, cancel := context.WithCancel(context.Background())
	db, err := engine.OpenContext(ctx, "db", o)
	if err != nil {
		t.Fatal(err)
	}
	cancel() // which is of no consequence any more
	enginetest.CheckClean(t, db, "opened after all")
	if n := db.Metrics().Documents; n != 500 {
		t.Errorf("%d documents", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A store on a disk that takes no byte opens for reading, closed or crashed, and shows what
// was acknowledged.
func TestReadOnlyOnAFullDisk(t *testing.T) {
	ctx := context.Background()
	want := map[string]string{}
	disk := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(disk))
	for i := range 30 {
		id := fmt.Sprint("d", i)
		want[id] = "some words of " + id
		if err := db.Put(ctx, api.Document{ID: id, Text: want[id]}); err != nil {
			t.Fatal(err)
		}
	}
	crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for what, image := range map[string]*vfs.MemFS{"crashed": crashed, "closed": disk} {
		before := enginetest.FilesOf(t, image, "db")
		full := errorfs.Wrap(image, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Path == enginetest.LockPath { // the lock of a disk in memory is no file
				return nil
			}
			return fmt.Errorf("%s: %w", op.Path, syscall.ENOSPC)
		}))
		o := enginetest.Options(full)
		if _, err := engine.Open("db", o); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: Open = %v, want ENOSPC", what, err)
		}
		o.ReadOnly = true
		reader, err := engine.Open("db", o)
		if err != nil {
			t.Errorf("%s: Open for reading = %v", what, err)
			continue
		}
		enginetest.SameDocuments(t, reader, want)
		enginetest.CheckClean(t, reader, what)
		if err := reader.Close(); err != nil {
			t.Errorf("%s: Close = %v", what, err)
		}
		if !maps.EqualFunc(before, enginetest.FilesOf(t, image, "db"), bytes.Equal) {
			t.Errorf("%s: the directory has changed", what)
		}
	}
}

// A mark of a store that is only read outlives a power failure as any mark does: no record
// with other documents takes the number of one that the mark has seen.
func TestMarkOfWhatWasNotSynced(t *testing.T) {
	disk := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(disk))
	if err := db.Put(t.Context(), api.Document{ID: "a", Text: "some words to keep"}); err != nil {
		t.Fatal(err)
	}
	killed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	unsynced := vfs.NewCrashableMem()
	for path, b := range enginetest.FilesOf(t, killed, "db") {
		dir := unsynced.PathDir(path)
		if err := unsynced.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := unsynced.Create(path, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		_, wrong := f.Write(b)
		if dir != enginetest.LogDir {
			wrong = errors.Join(wrong, f.Sync())
		}
		if err := errors.Join(wrong, f.Close()); err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{dir, "db", ""} {
			if err := syncDir(unsynced, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := enginetest.Options(unsynced)
	o.ReadOnly = true
	reader := enginetest.Open(t, o)
	if _, err := reader.Mark(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	after := enginetest.Open(t, enginetest.Options(unsynced.CrashClone(vfs.CrashCloneCfg{})))
	defer after.Close()
	enginetest.SameDocuments(t, after, map[string]string{"a": "some words to keep"})
}

func syncDir(f vfs.FS, dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// A store that lost all its tables is corrupt also for the caller who only reads: it is
// not taken for a directory without a store.
func TestReadOnlyWithoutTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 10)
	if err := errors.Join(db.Close(), os.RemoveAll(filepath.Join(dir, "store"))); err != nil {
		t.Fatal(err)
	}
	r, err := engine.Open(dir, &engine.Options{ReadOnly: true})
	if err == nil {
		r.Close()
	}
	if !errors.Is(err, api.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open = %v, want ErrCorrupt", err)
	}
}
