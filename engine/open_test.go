// Opening: what is no store, what has lost something, and who makes it first.

package engine_test

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
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	dir := t.TempDir()
	if _, err := engine.Open(filepath.Join(dir, "none"), &engine.Options{MustExist: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing store = %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused Open left a directory behind")
	}
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(dir, nil); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Open of a directory with other files = %v, want ErrInvalid", err)
	}
}

func TestStateFileIsChecked(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	if err := db.Put(context.Background(), api.Document{ID: "a", Text: "some words to keep"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	st := enginetest.ReadState(t, *enginetest.FS(o))
	if st.Applied < 2 || st.Applied > 3 || st.Documents != 1 { // settings, document, and the builder may have logged a dictionary
		t.Errorf("state = %+v, want 2 or 3 applied, 1 document", st)
	}
	for _, c := range []struct {
		change func(*enginetest.StateFile)
		want   error
	}{
		{func(s *enginetest.StateFile) { s.Applied += 5 }, api.ErrCorrupt}, // the store is older than the file says
		{func(s *enginetest.StateFile) { s.Format++ }, api.ErrFormatTooNew},
		{func(s *enginetest.StateFile) { s.Format-- }, api.ErrFormat},
		{func(s *enginetest.StateFile) {}, nil},
	} {
		changed := st
		c.change(&changed)
		enginetest.WriteState(t, *enginetest.FS(o), changed)
		db, err := engine.Open("db", o)
		if !errors.Is(err, c.want) {
			t.Errorf("Open with state %+v = %v, want %v", changed, err, c.want)
		}
		if err == nil {
			db.Close()
		}
	}
}

// The log of a store that was not closed is missed where it was cut at the end of a
// record, and where an older copy of it took its place.
func TestShortenedLog(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(disk))
	defer db.Close()
	var sizes []int
	var path string
	for i := range 5 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: "some words"}); err != nil {
			t.Fatal(err)
		}
		for p, b := range enginetest.FilesOf(t, disk, enginetest.LogDir) {
			if strings.HasSuffix(p, ".log") {
				path, sizes = p, append(sizes, len(b))
			}
		}
	}
	image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	whole := enginetest.ReadFile(t, image, path)
	for i, size := range sizes {
		reopened, err := engine.Open("db", enginetest.Options(enginetest.Damaged(t, image, path, bytes.Clone(whole[:size]))))
		if err == nil {
			reopened.Close()
		}
		if all := i == len(sizes)-1; all && err != nil || !all && !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("with %d of %d documents in the log: Open = %v", i+1, len(sizes), err)
		}
	}
}

// A store whose log is gone has lost what was acknowledged: Open says so and
// leaves the rest as it is.
func TestLostLog(t *testing.T) {
	ctx := context.Background()
	for what, o := range map[string]*engine.Options{"flushed and closed": enginetest.Options(nil), "flushed, not trimmed": enginetest.Options(nil)} {
		disk := vfs.NewMem()
		*enginetest.FS(o) = disk
		db := enginetest.Open(t, o)
		if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "words to keep"}), enginetest.Disk(db).Flush(ctx)); err != nil {
			t.Fatal(err)
		}
		if what == "flushed, not trimmed" { // as after a crash at this moment
			image := vfs.NewMem()
			if _, err := vfs.Clone(disk, image, "db", "db"); err != nil {
				t.Fatal(err)
			}
			st := enginetest.ReadState(t, image)
			enginetest.WriteState(t, image, enginetest.StateFile{Format: st.Format, UUID: st.UUID})
			disk = image
		}
		if err := errors.Join(db.Close(), disk.RemoveAll(enginetest.LogDir)); err != nil {
			t.Fatal(err)
		}
		before := enginetest.FilesOf(t, disk, enginetest.PebbleDir)
		for range 2 {
			if _, err := engine.Open("db", enginetest.Options(disk)); !errors.Is(err, api.ErrCorrupt) || !strings.Contains(err.Error(), "log") {
				t.Errorf("%s: Open without the log = %v, want ErrCorrupt", what, err)
			}
		}
		if after := enginetest.FilesOf(t, disk, enginetest.PebbleDir); !maps.EqualFunc(before, after, bytes.Equal) {
			t.Errorf("%s: Open changed a store that it refused", what)
		}
	}
}

// slowList lets another make the store between the listing of its directory
// and whatever Open does next.
type slowList struct {
	vfs.FS
	once  sync.Once
	other func()
}

func (s *slowList) List(dir string) ([]string, error) {
	names, err := s.FS.List(dir)
	s.once.Do(s.other)
	return names, err
}

func TestStoreMadeBehindTheListing(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	slow := &slowList{FS: disk}
	var made string
	slow.other = func() {
		db := enginetest.Open(t, enginetest.Options(disk))
		if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "x"}), db.Close()); err != nil {
			t.Error(err)
		}
		made = enginetest.ReadState(t, disk).UUID
	}
	db := enginetest.Open(t, enginetest.Options(slow))
	defer db.Close()
	enginetest.SameDocuments(t, db, map[string]string{"a": "x"})
	if now := enginetest.ReadState(t, disk).UUID; now != made || made == "" {
		t.Error("the state file was written anew over that of a store")
	}
}

// Whichever write fails as a store opens, Open says so, lets everything go and
// loses nothing: after the process has ended the store opens with what it had.
func TestOpenOnAFailingDisk(t *testing.T) {
	ctx := context.Background()
	want := map[string]string{"a": "some words to keep", "b": "and some others"}
	full := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(full))
	for id, text := range want {
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	image := full.CrashClone(vfs.CrashCloneCfg{}) // with a log to be replayed
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	step := int64(1)
	if torture.Short() {
		step = 5
	}
	for what, stored := range map[string]map[string]string{"empty": {}, "crashed": want} {
		refused := 0
		for n := int64(1); ; n += step {
			disk := vfs.NewCrashableMem()
			if what == "crashed" {
				disk = image.CrashClone(vfs.CrashCloneCfg{})
			}
			inj := &enginetest.NthWrite{N: n, Always: true}
			testmodel.Within(t, "Open", func() {
				db, err := engine.Open("db", enginetest.Options(errorfs.Wrap(disk, spareMarkers(inj))))
				openedUnderFault(t, inj, db, err, &refused)
			})
			inj.Off.Store(true) // what Pebble still tries may end
			if inj.Failed.Load() == nil {
				break
			}
			db := enginetest.Open(t, enginetest.Options(disk.CrashClone(vfs.CrashCloneCfg{})))
			if len(stored) > 0 {
				enginetest.SameDocuments(t, db, stored)
			}
			if err := db.Close(); err != nil {
				t.Errorf("%s store, write %d failed: close after that = %v", what, n, err)
			}
		}
		if refused < 4 {
			t.Errorf("%s store: Open said only %d times that a write failed", what, refused)
		}
	}
}

// spareMarkers lets syncs of Pebble's directory pass: where one fails after a file
// there was renamed, Pebble ends the process.
func spareMarkers(inj errorfs.Injector) errorfs.Injector {
	return errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileSync && op.Path == enginetest.PebbleDir {
			return nil
		}
		return inj.MaybeError(op)
	})
}

// openedUnderFault counts an Open that was refused, and closes one that was not.
func openedUnderFault(t *testing.T, inj *enginetest.NthWrite, db *engine.DB, err error, refused *int) {
	t.Helper()
	if err == nil {
		db.Close() // which may fail as a write does
		return
	}
	*refused++
	if !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("write %d failed (%+v): Open = %v, want that", inj.N, inj.Failed.Load(), err)
	}
}
