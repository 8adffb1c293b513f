//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// withFewFiles runs a test in a process that may open a number of files.
func withFewFiles(t *testing.T, files int, run func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv("SIMDB_FEW_FILES"); dir != "" {
		run(t, dir)
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" -test.run '^%s$'`, files, t.Name()), self)
	cmd.Env = append(os.Environ(), "SIMDB_FEW_FILES="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A process that may open 256 files keeps 1,000 stores through writes, reads and openings of all of
// them.
func TestManyStoresFewFiles(t *testing.T) {
	withFewFiles(t, 256, func(t *testing.T, dir string) { manyStores(t, dir, torture.Few(100, 1000)) })
}

// A process that may open 256 files reads a store of more tables.
func TestManyTablesFewFiles(t *testing.T) {
	withFewFiles(t, 256, func(t *testing.T, dir string) {
		db, err := engine.Open(filepath.Join(dir, "db"), enginetest.WithHooks(&engine.Options{}, nil, 16<<10))
		if err != nil {
			t.Fatal(err)
		}
		const batches = 200
		for batch := range batches {
			if err := putBatch(db, "", batch); err != nil {
				t.Fatal(err)
			}
		}
		tables, err := filepath.Glob(filepath.Join(dir, "db", "store", "*.sst"))
		if err != nil || len(tables) <= 256 {
			t.Fatalf("%d tables, %v", len(tables), err)
		}
		state, err := fullState(db)
		if err != nil || len(state) != batches {
			t.Errorf("%d batches, %v", len(state), err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// manyStores opens stores that share their caches, writes to each, reads each, and repeats this after
// all were closed.
func manyStores(t *testing.T, dir string, stores int) {
	ctx := context.Background()
	for round := range 2 {
		o := &engine.Options{Shared: &engine.Shared{}}
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
