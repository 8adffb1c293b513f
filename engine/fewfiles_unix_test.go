//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/torture"
)

// A process that may open 256 files keeps 1,000 stores, 16 of them awake, through writes, reads and
// openings of all of them.
func TestManyStoresFewFiles(t *testing.T) {
	if dir := os.Getenv("SIMDB_FEW_FILES"); dir != "" {
		stores, _ := strconv.Atoi(os.Getenv("SIMDB_FEW_FILES_STORES"))
		manyStores(t, dir, stores)
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stores := torture.Few(100, 1000)
	cmd := exec.Command("sh", "-c", `ulimit -n 256 && exec "$0" -test.run '^TestManyStoresFewFiles$'`, self)
	cmd.Env = append(os.Environ(), "SIMDB_FEW_FILES="+t.TempDir(), fmt.Sprint("SIMDB_FEW_FILES_STORES=", stores))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%d stores: %v: %s", stores, err, out)
	}
}

// manyStores opens stores that share their caches, writes to each, reads each, and repeats this after
// all were closed.
func manyStores(t *testing.T, dir string, stores int) {
	ctx := context.Background()
	for round := range 2 {
		o := &engine.Options{Shared: &engine.Shared{Awake: 16}}
		var dbs []*engine.DB
		for i := range stores {
			db, err := engine.Open(filepath.Join(dir, fmt.Sprint(i)), o)
			if err != nil {
				t.Fatalf("store %d: %v", i, err)
			}
			dbs = append(dbs, db)
		}
		for i, db := range dbs {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(round), Text: fmt.Sprint("the text of the store ", i, " in the round ", round)}); err != nil {
				t.Fatalf("store %d: %v", i, err)
			}
		}
		for i, db := range dbs {
			s, err := db.Snapshot()
			if err != nil {
				t.Fatalf("store %d: %v", i, err)
			}
			for r := range round + 1 {
				d, err := s.Get("docs", fmt.Sprint(r))
				if want := fmt.Sprint("the text of the store ", i, " in the round ", r); err != nil || d.Text != want {
					t.Errorf("store %d: %q, %v, want %q", i, d.Text, err, want)
				}
			}
			s.Close()
		}
		for i, db := range dbs {
			if err := db.Close(); err != nil {
				t.Fatalf("store %d: %v", i, err)
			}
		}
	}
}
