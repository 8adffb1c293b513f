// Backups that grow, and stores of any moment of them.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/torture"
)

// contents is all that is stored, as lines.
func contents(t *testing.T, db *DB) (out []string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range s.Collections() {
		out = append(out, fmt.Sprintf("%s %+v", c.Name, c.Settings))
		for info, err := range s.Infos(context.Background(), c.Name) {
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Get(c.Name, info.ID)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%s/%s %v %q %q", c.Name, d.ID, d.Meta, d.Text, d.Tokens))
		}
	}
	return out
}

// past is a moment of the store as it was met.
type past struct {
	seq  uint64
	at   time.Time
	rows []string
}

// pastOf is the moment once the store rests: no dictionary is learned between the number and the
// moment, and none waits for its sync, which nobody waits for.
func pastOf(t *testing.T, db *DB) past {
	t.Helper()
	settled(t, db)
	if err := db.disk.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	seq, _ := db.counted()
	return past{seq, time.Now(), contents(t, db)}
}

// A backup that is extended again and again, with interruptions, restores every record
// and every moment since it was made as the store was then.
func TestRestoreToAnyMoment(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seeds := uint64(3)
	if torture.Short() {
		seeds = 1
	}
	for seed := range seeds {
		fsys := vfs.NewMem()
		h := newHistorian(t, 100+seed)
		db := openTest(t, keeping(fsys))
		for range 50 {
			h.step(db)
		}
		h.must(db.Checkpoint(ctx, "copy"))
		var pasts []past
		for range 200 {
			h.step(db)
			switch h.rng.IntN(15) {
			case 0:
				pasts = append(pasts, pastOf(t, db))
				time.Sleep(time.Millisecond) // so that the next record is later
			case 1:
				h.must(db.Close())
				db = openTest(t, keeping(fsys))
			case 2:
				_, err := extendBackup(ctx, fsys, "db", "copy")
				h.must(err)
			case 3:
				h.extendBroken(fsys)
			}
		}
		last := pastOf(t, db)
		seq := last.seq
		pasts = append(pasts, last)
		e, err := extendBackup(ctx, fsys, "db", "copy")
		if h.must(err); e.To != seq {
			t.Errorf("the backup was extended to record %d, the store has %d", e.To, seq)
		}
		h.must(db.Close())
		for i, p := range pasts {
			to := api.Moment{Seq: p.seq}
			if i%2 == 1 {
				to = api.Moment{Time: p.at}
			}
			h.restored(fsys, fmt.Sprint("back", i), to, p)
		}
		_, err = RestoreTo(ctx, "copy", "early", api.Moment{Seq: 1}, keeping(fsys))
		if !errors.Is(err, api.ErrNotKept) {
			t.Errorf("restore to record 1 = %v, want ErrNotKept", err)
		}
		_, err = RestoreTo(ctx, "copy", "early", api.Moment{Time: time.Unix(1, 0)}, keeping(fsys))
		if !errors.Is(err, api.ErrNotKept) {
			t.Errorf("restore to 1970 = %v, want ErrNotKept", err)
		}
		_, err = RestoreTo(ctx, "copy", "late", api.Moment{Seq: seq + 1}, keeping(fsys))
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("restore to a record to come = %v, want ErrInvalid", err)
		}
		for _, name := range []string{"early", "early.partial", "late", "late.partial"} {
			if _, err := fsys.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a restore that failed has left %s", name)
			}
		}
	}
}

// extendBroken extends the backup with a disk that fails from some write on.
func (h *historian) extendBroken(fsys vfs.FS) {
	left := h.rng.IntN(12)
	failing := errorfs.Wrap(fsys, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			if left--; left < 0 {
				return errorfs.ErrInjected
			}
		}
		return nil
	}))
	if _, err := extendBackup(context.Background(), failing, "db", "copy"); err != nil && !errors.Is(err, errorfs.ErrInjected) {
		h.t.Errorf("extend on a disk that fails = %v", err)
	}
}

func (h *historian) restored(fsys vfs.FS, name string, to api.Moment, want past) {
	h.t.Helper()
	seq, err := RestoreTo(context.Background(), "copy", name, to, keeping(fsys))
	h.must(err)
	db, err := Open(name, keeping(fsys))
	h.must(err)
	if got := contents(h.t, db); seq != want.seq || !slices.Equal(got, want.rows) {
		h.t.Errorf("restored to %v it ends with record %d, want %d:\n%s", to, seq, want.seq, difference(got, want.rows))
	}
	checkClean(h.t, db, name)
	h.must(db.Close())
}

// Only a backup of the store itself can be extended, as long as nobody else wrote to it
// and the store still has what comes next.
func TestExtendOnlyItsOwnBackup(t *testing.T) {
	ctx := context.Background()
	fsys := vfs.NewMem()
	h := newHistorian(t, 7)
	db := openTest(t, keeping(fsys))
	for range 20 {
		h.step(db)
	}
	h.must(db.Checkpoint(ctx, "opened"))
	h.must(db.Checkpoint(ctx, "old"))
	opened, err := Open("opened", testOptions(fsys))
	h.must(err)
	h.must(opened.Close())
	other, err := Open("other", testOptions(fsys))
	h.must(err)
	h.must(other.Checkpoint(ctx, "stranger"))
	h.must(other.Close())
	for _, dir := range []string{"opened", "stranger"} {
		if _, err := extendBackup(ctx, fsys, "db", dir); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("extend %s = %v, want ErrInvalid", dir, err)
		}
	}
	if _, err := extendBackup(ctx, fsys, "db", "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("extend no backup = %v, want fs.ErrNotExist", err)
	}
	h.step(db) // is in no backup
	h.must(db.Close())
	o := keeping(fsys)
	o.KeepLog = &api.KeepLog{} // forgets it
	h.must(openTest(t, o).Close())
	h.must(openTest(t, keeping(fsys)).Close())
	if _, err := extendBackup(ctx, fsys, "db", "old"); !errors.Is(err, api.ErrNotKept) {
		t.Errorf("extend after a hole = %v, want ErrNotKept", err)
	}
}

// After a crash at any point, with any part of what was not synced, the history has no
// hole and no double: it tells what the store has.
func TestHistoryAfterCrashes(t *testing.T) {
	t.Parallel()
	points := 60
	if torture.Short() {
		points = 20
	}
	for seed := range uint64(points) {
		rng := rand.New(rand.NewPCG(seed, 77))
		crashable := vfs.NewCrashableMem()
		h := newHistorian(t, 500+seed)
		db := openTest(t, keeping(crashable))
		for range rng.IntN(120) {
			h.step(db)
			if rng.IntN(40) == 0 {
				h.must(db.Close())
				db = openTest(t, keeping(crashable))
			}
		}
		acked := len(h.told)
		image := crashable.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		h.must(db.Close())
		again := openTest(t, keeping(image))
		got, _ := tailOf(t, image, api.TailOptions{Oldest: true})
		if len(got) < acked || !slices.Equal(got[:acked], h.told) {
			t.Fatalf("seed %d: after a crash\n%s", seed, difference(got, h.told))
		}
		h.must(again.Close())
		after, _ := tailOf(t, image, api.TailOptions{Oldest: true})
		if !slices.Equal(got, after) {
			t.Fatalf("seed %d: after Close the history tells something else", seed)
		}
	}
}
