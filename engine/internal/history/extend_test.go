// Backups that grow, and stores of any moment of them.

package history_test

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

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

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
		h := enginetest.NewHistorian(t, 100+seed)
		db := enginetest.Open(t, enginetest.Keeping(fsys))
		for range 50 {
			h.Step(db)
		}
		h.Must(db.Checkpoint(ctx, "copy"))
		var pasts []enginetest.Past
		for range 200 {
			h.Step(db)
			switch h.Rng.IntN(15) {
			case 0:
				pasts = append(pasts, enginetest.PastOf(t, db))
				time.Sleep(time.Millisecond) // so that the next record is later
			case 1:
				h.Must(db.Close())
				db = enginetest.Open(t, enginetest.Keeping(fsys))
			case 2:
				_, err := enginetest.ExtendBackup(ctx, fsys, "db", "copy")
				h.Must(err)
			case 3:
				h.ExtendBroken(fsys)
			}
		}
		last := enginetest.PastOf(t, db)
		seq := last.Seq
		pasts = append(pasts, last)
		e, err := enginetest.ExtendBackup(ctx, fsys, "db", "copy")
		if h.Must(err); e.To != seq {
			t.Errorf("the backup was extended to record %d, the store has %d", e.To, seq)
		}
		h.Must(db.Close())
		for i, p := range pasts {
			to := api.Moment{Seq: p.Seq}
			if i%2 == 1 {
				to = api.Moment{Time: p.At}
			}
			h.Restored(fsys, fmt.Sprint("back", i), to, p)
		}
		_, err = engine.RestoreTo(ctx, "copy", "early", api.Moment{Seq: 1}, enginetest.Keeping(fsys))
		if !errors.Is(err, api.ErrNotKept) {
			t.Errorf("restore to record 1 = %v, want ErrNotKept", err)
		}
		_, err = engine.RestoreTo(ctx, "copy", "early", api.Moment{Time: time.Unix(1, 0)}, enginetest.Keeping(fsys))
		if !errors.Is(err, api.ErrNotKept) {
			t.Errorf("restore to 1970 = %v, want ErrNotKept", err)
		}
		_, err = engine.RestoreTo(ctx, "copy", "late", api.Moment{Seq: seq + 1}, enginetest.Keeping(fsys))
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

// Only a backup of the store itself can be extended, as long as nobody else wrote to it
// and the store still has what comes next.
func TestExtendOnlyItsOwnBackup(t *testing.T) {
	ctx := context.Background()
	fsys := vfs.NewMem()
	h := enginetest.NewHistorian(t, 7)
	db := enginetest.Open(t, enginetest.Keeping(fsys))
	for range 20 {
		h.Step(db)
	}
	h.Must(db.Checkpoint(ctx, "opened"))
	h.Must(db.Checkpoint(ctx, "old"))
	opened, err := engine.Open("opened", enginetest.Options(fsys))
	h.Must(err)
	h.Must(opened.Close())
	other, err := engine.Open("other", enginetest.Options(fsys))
	h.Must(err)
	h.Must(other.Checkpoint(ctx, "stranger"))
	h.Must(other.Close())
	for _, dir := range []string{"opened", "stranger"} {
		if _, err := enginetest.ExtendBackup(ctx, fsys, "db", dir); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("extend %s = %v, want ErrInvalid", dir, err)
		}
	}
	if _, err := enginetest.ExtendBackup(ctx, fsys, "db", "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("extend no backup = %v, want fs.ErrNotExist", err)
	}
	h.Step(db) // is in no backup
	h.Must(db.Close())
	o := enginetest.Keeping(fsys)
	o.KeepLog = &api.KeepLog{} // forgets it
	h.Must(enginetest.Open(t, o).Close())
	h.Must(enginetest.Open(t, enginetest.Keeping(fsys)).Close())
	if _, err := enginetest.ExtendBackup(ctx, fsys, "db", "old"); !errors.Is(err, api.ErrNotKept) {
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
		h := enginetest.NewHistorian(t, 500+seed)
		db := enginetest.Open(t, enginetest.Keeping(crashable))
		for range rng.IntN(120) {
			h.Step(db)
			if rng.IntN(40) == 0 {
				h.Must(db.Close())
				db = enginetest.Open(t, enginetest.Keeping(crashable))
			}
		}
		acked := len(h.Told)
		image := crashable.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		h.Must(db.Close())
		again := enginetest.Open(t, enginetest.Keeping(image))
		got, _ := enginetest.TailOf(t, image, api.TailOptions{Oldest: true})
		if len(got) < acked || !slices.Equal(got[:acked], h.Told) {
			t.Fatalf("seed %d: after a crash\n%s", seed, testmodel.Difference(got, h.Told))
		}
		h.Must(again.Close())
		after, _ := enginetest.TailOf(t, image, api.TailOptions{Oldest: true})
		if !slices.Equal(got, after) {
			t.Fatalf("seed %d: after Close the history tells something else", seed)
		}
	}
}
