// Stores on disks that are really full: file systems in memory of a fixed size.

package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

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
		kind := fullKinds[(try+try/4)%len(fullKinds)]
		t.Run(fmt.Sprintf("%d MB, %s", megabytes, kind), func(t *testing.T) {
			dir := filepath.Join(smallDisk(t, megabytes), "db")
			emptyFullDisk(t, dir, nil, kind, int64(megabytes)<<20, func() int64 { return storedBytes(t, dir) })
		})
	}
	torture.Report(t, "F5", tries)
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
