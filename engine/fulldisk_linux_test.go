// Stores on disks that are really full: file systems in memory of a fixed size.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// smallDisk mounts a file system of some megabytes, or skips the test.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skipf("a tmpfs of %d MB cannot be mounted here, which needs root: %v", megabytes, err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// storedBytes is what the files of a store take beside its reserve.
func storedBytes(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (d.IsDir() || d.Name() == "RESERVE") {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			n += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return nil // removed in between
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A full disk can be emptied: the store refuses puts, opens again, deletes, compacts, and then has room for
// puts (durability F5).
func TestFullDisk(t *testing.T) {
	tries := torture.Tries(t, "F5")
	for try := range tries {
		megabytes := []int{32, 64, 128, 512}[try%4]
		kind := []string{"delete half", "erase half", "delete a tenth", "drop"}[(try+try/4)%4]
		t.Run(fmt.Sprintf("%d MB, %s", megabytes, kind), func(t *testing.T) { emptyFullDisk(t, megabytes, kind) })
	}
	torture.Report(t, "F5", tries)
}

func emptyFullDisk(t *testing.T, megabytes int, kind string) {
	ctx := context.Background()
	dir := filepath.Join(smallDisk(t, megabytes), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	const dropped = "dropped"
	first := 0
	if kind == "drop" {
		if err := db.CreateCollection(ctx, dropped, api.Settings{}); err != nil {
			t.Fatal(err)
		}
		for ; storedBytes(t, dir) < int64(megabytes)<<19; first++ {
			if err := putBatch(db, dropped, first); err != nil {
				t.Fatal(err)
			}
		}
	}
	begun := time.Now()
	next := fill(t, db, "", first)
	full := storedBytes(t, dir)
	t.Logf("full with %d documents in %d bytes, after %v", next*fullBatch, full, time.Since(begun).Round(time.Millisecond))
	if full < int64(megabytes)<<20*3/4 {
		t.Errorf("%d bytes fill a disk of %d MB", full, megabytes)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("close on a full disk: %v", err)
	}
	begun = time.Now()
	if db, err = engine.Open(dir, nil); err != nil {
		t.Fatalf("open on a full disk: %v", err)
	}
	opened := time.Now()
	want := map[string]string{}
	for batch := first; batch < next; batch++ {
		for i := range fullBatch {
			want[fullID(batch, i)] = fullText(batch, i)
		}
		from, step := 1, 2
		if kind == "drop" {
			continue
		} else if kind == "delete a tenth" {
			from, step = 5, 10
		}
		if err := deleteBatch(db, batch, from, step, kind == "erase half"); err != nil {
			t.Fatalf("%s, batch %d: %v", kind, batch, err)
		}
		for i := from; i < fullBatch; i += step {
			delete(want, fullID(batch, i))
		}
	}
	if kind == "drop" {
		if err := db.DropCollection(ctx, dropped); err != nil {
			t.Fatalf("drop on a full disk: %v", err)
		}
	}
	deleted := time.Now()
	if err := db.Compact(ctx); err != nil {
		t.Fatalf("compact on a full disk: %v", err)
	}
	t.Logf("opened in %v, deleted in %v, compacted in %v to %d bytes", opened.Sub(begun).Round(time.Millisecond),
		deleted.Sub(opened).Round(time.Millisecond), time.Since(deleted).Round(time.Millisecond), storedBytes(t, dir))
	if now := storedBytes(t, dir); now >= full {
		t.Errorf("%d bytes before the deletion, %d after the compaction", full, now)
	}
	if n, err := db.Erasing(ctx); n > 0 || err != nil {
		t.Errorf("%d erasures are pending: %v", n, err)
	}
	for again := next; again < next+5; again++ {
		if err := putBatch(db, "", again); err != nil {
			t.Fatalf("put after the compaction: %v", err)
		}
		for i := range fullBatch {
			want[fullID(again, i)] = fullText(again, i)
		}
	}
	sameAsDefined(t, db, want)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Processes that fill a disk and empty it again are killed. What they acknowledged is there, and the store
// opens (durability F5-kill).
func TestKilledOnAFullDisk(t *testing.T) {
	t.Setenv(victimFull, "yes")
	tries := torture.Tries(t, "F5-kill")
	dir := filepath.Join(smallDisk(t, 32), "db")
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 5))
	state := map[int]int{} // documents that are left of each batch
	for try := range tries {
		begun, had := -1, 0 // the batch of the operation in progress
		enginetest.KillWriters(t, dir, try, 1+rng.IntN(3000), func(line string) {
			var batch, left int
			switch n, _ := fmt.Sscanf(line, "left %d %d", &batch, &left); {
			case n == 2:
				state[batch], begun = left, -1
			default:
				var word string
				if fmt.Sscanf(line, "%s %d", &word, &batch); word == "has" {
					state[batch], begun = fullBatch, -1
				} else if word == "put" || word == "delete" {
					begun, had = batch, state[batch]
				}
			}
		})
		db, err := engine.Open(dir, nil)
		if err != nil {
			t.Fatalf("process %d: open: %v", try, err)
		}
		is, err := fullState(db)
		if err != nil {
			t.Fatalf("process %d: %v", try, err)
		}
		if n := is[begun]; begun >= 0 && n != had && n != map[int]int{0: fullBatch, fullBatch: fullBatch / 2, fullBatch / 2: 0}[had] {
			t.Errorf("process %d: %d documents of batch %d, which had %d, are half of an operation", try, n, begun, had)
		}
		if begun >= 0 {
			state[begun] = is[begun]
		}
		maps.DeleteFunc(state, func(_, n int) bool { return n == 0 })
		if !maps.Equal(is, state) {
			t.Errorf("process %d: acknowledged and stored documents differ", try)
		}
		enginetest.CheckClean(t, db, fmt.Sprint("process ", try))
		t.Logf("process %d: %d batches, in %d bytes", try, len(is), storedBytes(t, dir))
		if err := db.Close(); err != nil {
			t.Errorf("process %d: close: %v", try, err)
		}
		if t.Failed() {
			return
		}
	}
	torture.Report(t, "F5-kill", tries)
}
