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
	"slices"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
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

// Processes that fill a disk and empty it again are killed. The store opens, and has everything they
// acknowledged: documents, ledger, groups and history are those of the acknowledged operations (durability
// F5-kill).
func TestKilledOnAFullDisk(t *testing.T) {
	t.Setenv(victimFull, "yes")
	tries := torture.Tries(t, "F5-kill")
	dir := filepath.Join(smallDisk(t, 32), "db")
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 5))
	done := fullModel{left: map[int]int{}}
	for try := range tries {
		begun, had := -1, 0 // the batch of the operation in progress
		enginetest.KillWriters(t, dir, try, 1+rng.IntN(3000), func(line string) {
			var word string
			var batch int
			switch fmt.Sscanf(line, "%s %d", &word, &batch); word {
			case "put", "delete":
				begun, had = batch, done.left[batch]
			case "has", "left":
				done.next(batch)
				begun = -1
			}
		})
		db, err := engine.Open(dir, fullVictimOptions())
		if err != nil {
			t.Fatalf("process %d: open: %v", try, err)
		}
		is, err := fullState(db)
		if err != nil {
			t.Fatalf("process %d: %v", try, err)
		}
		if begun >= 0 && is[begun] != had { // not acknowledged, but stored
			done.next(begun)
		}
		if !maps.Equal(is, done.left) {
			t.Errorf("process %d: the documents are not those of the operations", try)
		}
		done.compare(t, db, dir)
		enginetest.CheckClean(t, db, fmt.Sprint("process ", try))
		t.Logf("process %d: %d operations, %d batches, in %d bytes", try, len(done.changes), len(is), storedBytes(t, dir))
		if err := db.Close(); err != nil {
			t.Errorf("process %d: close: %v", try, err)
		}
		if t.Failed() {
			return
		}
	}
	torture.Report(t, "F5-kill", tries)
}

// fullModel is the effect of the operations of fullVictim.
type fullModel struct {
	left    map[int]int // documents that are left of each batch
	changes []string    // of documents, one line per operation
	ledger  []string
}

// next adds the next operation on a batch: a put, the deletion of half, the deletion of the rest.
func (m *fullModel) next(batch int) {
	kind, from, step, left := api.ChangeDelete, 0, 1, 0
	switch m.left[batch] {
	case 0:
		kind, left = api.ChangePut, fullBatch
		m.ledger = append(m.ledger, fmt.Sprintf("%s like %s", fullID(batch, fullBatch), fullID(batch, 0)))
	case fullBatch:
		from, step, left = 1, 2, fullBatch/2
	}
	line := ""
	for i := from; i < fullBatch; i += step {
		line += fmt.Sprintf("%s %s ", kind, fullID(batch, i))
	}
	m.changes = append(m.changes, line)
	if m.left[batch] = left; left == 0 {
		delete(m.left, batch)
	}
}

// compare compares a store with the model. Its history may lack the oldest operations.
func (m *fullModel) compare(t *testing.T, db *engine.DB, dir string) {
	t.Helper()
	var ledger []string
	for _, r := range enginetest.LedgerRows(t, db, api.LedgerQuery{}) {
		ledger = append(ledger, fmt.Sprintf("%s like %s", r.ID, r.Keeper.ID))
	}
	if !slices.Equal(ledger, m.ledger) {
		t.Errorf("the ledger has %d rows, want %d:\n%s", len(ledger), len(m.ledger), testmodel.Difference(ledger, m.ledger))
	}
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	if kept, _ := enginetest.KeptGroups(t, s, fullGrouping.Name); !maps.Equal(kept, enginetest.FoundAnew(t, s, fullGrouping)) {
		t.Error("the groups are not those of the documents")
	}
	var changes []string
	last := uint64(0)
	for c, err := range engine.Tail(context.Background(), dir, api.TailOptions{Oldest: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.ID == "" {
			continue // the creation of the collection
		}
		if c.Seq != last {
			changes, last = append(changes, ""), c.Seq
		}
		changes[len(changes)-1] += fmt.Sprintf("%s %s ", c.Kind, c.ID)
	}
	if len(changes) > len(m.changes) {
		t.Fatalf("the history has %d operations of %d", len(changes), len(m.changes))
	}
	for i, want := range m.changes[len(m.changes)-len(changes):] {
		if changes[i] != want {
			t.Fatalf("operation %d of %d in the history is %q, want %q", i, len(changes), changes[i], want)
		}
	}
	if len(changes) == 0 && len(m.changes) > 0 {
		t.Error("the history is empty")
	}
}
