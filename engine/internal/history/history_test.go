// The log as history: every change is told once, from any record on, whoever writes
// meanwhile.

package history_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/torture"
)

// Tail since any record is what was written after it: of an open store, of a closed one,
// after many reopenings and with collections that were dropped and made anew.
func TestTailTellsEveryChangeOnce(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if torture.Short() {
		seeds = 1
	}
	for seed := range seeds {
		fs := vfs.NewMem()
		h := enginetest.NewHistorian(t, seed)
		db := enginetest.Open(t, enginetest.Keeping(fs))
		for range 400 {
			h.Step(db)
			switch h.Rng.IntN(25) {
			case 0:
				h.Must(db.Close())
				db = enginetest.Open(t, enginetest.Keeping(fs))
			case 1:
				enginetest.Settled(t, db)
			case 2:
				h.Check(fs)
			}
		}
		h.Check(fs)
		h.Must(db.Close())
		h.Check(fs)
		if kept, err := fs.List("db/history"); err != nil || len(kept) < 4 {
			t.Errorf("seed %d: the history has the files %v, %v", seed, kept, err)
		}
	}
}

// A follower beside a writer is told everything, once, in order, while segments move.
func TestTailFollowsAWriter(t *testing.T) {
	fs := vfs.NewMem()
	h := enginetest.NewHistorian(t, 9)
	db := enginetest.Open(t, enginetest.Keeping(fs))
	h.Step(db)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var seen atomic.Int64
	got := make(chan []string)
	go func() {
		var out []string
		for c, err := range enginetest.Tail(ctx, fs, "db", api.TailOptions{Oldest: true, Follow: true}) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				break
			}
			out = append(out, enginetest.ChangeString(c))
			seen.Add(1)
		}
		got <- out
	}()
	for i := range 600 {
		h.Step(db)
		if i%97 == 0 {
			h.Must(db.Close())
			db = enginetest.Open(t, enginetest.Keeping(fs))
		}
	}
	testmodel.Within(t, "the follower", func() {
		for seen.Load() < int64(len(h.Told)) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
	})
	stop()
	if got := <-got; !slices.Equal(got, h.Told) {
		t.Errorf("the follower was told:\n%s", testmodel.Difference(got, h.Told))
	}
	h.Must(db.Close())
}

// History beyond its limits goes, and who asks for it is told where it begins.
func TestHistoryKeepsItsLimits(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	fs := vfs.NewMem()
	o := enginetest.Keeping(fs)
	o.KeepLog = &api.KeepLog{Bytes: 256 << 10}
	h := enginetest.NewHistorian(t, 3)
	db := enginetest.Open(t, o)
	for i := range 1500 {
		h.Step(db)
		if i%500 == 0 {
			h.Must(db.Close())
			o.KeepLog = nil // the store remembers it
			db = enginetest.Open(t, o)
		}
	}
	h.Must(db.Close())
	names, err := fs.List("db/history")
	h.Must(err)
	var bytes int64
	for _, n := range names {
		info, err := fs.Stat("db/history/" + n)
		h.Must(err)
		if n != "SETTINGS" {
			bytes += info.Size()
		}
	}
	if bytes > 256<<10 || bytes < 128<<10 {
		t.Errorf("the history has %d bytes, the limit is %d", bytes, 256<<10)
	}
	for _, err = range enginetest.Tail(context.Background(), fs, "db", api.TailOptions{Since: 1}) {
		break
	}
	if !errors.Is(err, api.ErrNotKept) || !strings.Contains(err.Error(), "begins after record") {
		t.Errorf("tail since 1 = %v, want ErrNotKept with where the history begins", err)
	}
	got, _ := enginetest.TailOf(t, fs, api.TailOptions{Oldest: true})
	if len(got) == 0 || !slices.Equal(got, h.Told[len(h.Told)-len(got):]) {
		t.Errorf("%d changes are kept, and they are not the last ones", len(got))
	}

	o.KeepLog = &api.KeepLog{} // none
	h.Must(enginetest.Open(t, o).Close())
	if names, err := fs.List("db/history"); err == nil {
		t.Errorf("nothing is to be kept, and there are %v", names)
	}
	for _, err = range enginetest.Tail(context.Background(), fs, "db", api.TailOptions{}) {
		break
	}
	if !errors.Is(err, api.ErrNotKept) {
		t.Errorf("tail of a store without history = %v, want ErrNotKept", err)
	}
}

// A store that has learned phrases before its log is kept tells what it writes then with
// them.
func TestHistorySwitchedOnLater(t *testing.T) {
	fs := vfs.NewMem()
	h := enginetest.NewHistorian(t, 6)
	o := enginetest.Keeping(fs)
	o.KeepLog = nil
	db := enginetest.Open(t, o)
	for range 300 {
		h.Step(db)
	}
	enginetest.Settled(t, db)
	if !slices.ContainsFunc(enginetest.Views(t, db), func(v *view.View) bool { return v.Dictionaries != nil }) {
		t.Error("no phrases were learned, so nothing is tested")
	}
	h.Must(db.Close())
	before := len(h.Told)
	db = enginetest.Open(t, enginetest.Keeping(fs))
	for range 100 {
		h.Step(db)
	}
	h.Must(db.Close())
	got, _ := enginetest.TailOf(t, fs, api.TailOptions{Oldest: true})
	if len(got) < len(h.Told)-before || !slices.Equal(got, h.Told[len(h.Told)-len(got):]) {
		t.Errorf("kept:\n%s", testmodel.Difference(got, h.Told[before:]))
	}
}

// Damage is told with its place: no byte of a kept segment can change, and no segment can
// be missing, without an error, or the same changes.
func TestDamagedHistoryIsTold(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	fs := vfs.NewMem()
	h := enginetest.NewHistorian(t, 5)
	db := enginetest.Open(t, enginetest.Keeping(fs))
	for i := range 200 {
		h.Step(db)
		if i%40 == 0 {
			h.Must(db.Close())
			db = enginetest.Open(t, enginetest.Keeping(fs))
		}
	}
	h.Must(db.Close())
	dir := filepath.Join(t.TempDir(), "db")
	copyOut(t, fs, "db", dir)
	names, err := filepath.Glob(dir + "/history/*")
	h.Must(err)
	slices.Sort(names)
	look := func(what string, mayPass bool) {
		t.Helper()
		var got []string
		for c, err := range engine.Tail(context.Background(), dir, api.TailOptions{}) {
			if err != nil {
				if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrNotKept) {
					t.Errorf("%s: %v, want ErrCorrupt or ErrNotKept", what, err)
				}
				if !slices.Equal(got, h.Told[:len(got)]) {
					t.Errorf("%s: before the error other changes were told", what)
				}
				return
			}
			got = append(got, enginetest.ChangeString(c))
		}
		if !mayPass || !slices.Equal(got, h.Told) {
			t.Errorf("%s: no error, and %d of %d changes", what, len(got), len(h.Told))
		}
	}
	look("whole", true)
	for _, name := range names {
		whole, err := os.ReadFile(name)
		h.Must(err)
		h.Must(os.Remove(name))
		look("without "+name, false)
		for range torture.Few(4, 20) {
			spoilt := slices.Clone(whole)
			spoilt[h.Rng.IntN(len(spoilt))] ^= 1 << h.Rng.IntN(8)
			h.Must(os.WriteFile(name, spoilt, 0o644))
			look("a bit of "+name, true)
			h.Must(os.WriteFile(name, whole[:h.Rng.IntN(len(whole))], 0o644))
			look("cut "+name, false)
		}
		h.Must(os.WriteFile(name, whole, 0o644))
	}
}

// copyOut copies a directory out of a file system in memory.
func copyOut(t *testing.T, fs vfs.FS, from, to string) {
	t.Helper()
	if ok, err := vfs.Clone(fs, vfs.Default, from, to); err != nil || !ok {
		t.Fatalf("copy %s: %v, %v", from, ok, err)
	}
}
