package main

// Imports around a database that is open.

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb"
)

// An import of the folder in which the database lies reads nothing of it, and
// leaves it locked: closing a locked file would unlock it.
func TestImportAroundDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{dir, filepath.Join(dir, "**")} {
		stats, err := db.Import(t.Context(), []string{from}, simdb.ImportOptions{})
		if err != nil || stats.Imported+stats.Replaced != 1 || stats.Rejected != 0 {
			t.Errorf("Import(%s) = %+v, %v, want a.txt and no rejects", from, stats, err)
		}
	}
	for _, from := range []string{path, filepath.Join(path, "LOCK"), filepath.Join(path, "*")} {
		if stats, err := db.Import(t.Context(), []string{from}, simdb.ImportOptions{}); err == nil {
			t.Errorf("Import(%s) = %+v, want an error", from, stats)
		}
	}
	other := exec.Command("simdb", "query", path, "SHOW COLLECTIONS")
	if out, _ := other.CombinedOutput(); other.ProcessState.ExitCode() != exitUnavailable {
		t.Errorf("another process opens the database: exit code %d, want %d\n%s", other.ProcessState.ExitCode(), exitUnavailable, out)
	}
}
