package ingest

// Databases within the input.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// store creates a directory that looks like a database.
func store(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "STATE"), "simdb 00000000\n{}\n")
	write(t, filepath.Join(dir, "LOCK"), "")
	write(t, filepath.Join(dir, "log", "0.txt"), "not read")
}

// Databases below a folder or a glob are skipped. A folder with another file called STATE is a
// folder.
func TestStoresArePassedOver(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "x")
	write(t, filepath.Join(dir, "census", "STATE"), "Ohio")
	write(t, filepath.Join(dir, "fifo", "STATE", "y"), "y")
	store(t, filepath.Join(dir, "db"))
	store(t, filepath.Join(dir, "deep", "db"))
	const want = "a.txt=\"x\"\ncensus/STATE=\"Ohio\"\nfifo/STATE/y=\"y\"\n"
	for _, path := range []string{"", "**", "{**/*,*}"} {
		if got := readAll(t, Options{Progress: func(int64, int64) {}}, filepath.Join(dir, path)).summary(dir); got != want {
			t.Errorf("Read(%q) =\n%swant\n%s", path, got, want)
		}
	}
}

// Naming a database, or a path inside one, is an error with advice.
func TestNamedStore(t *testing.T) {
	dir := t.TempDir()
	store(t, filepath.Join(dir, "db"))
	if err := os.Symlink("db/LOCK", filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, path := range []string{"db", "db/LOCK", "db/log", "db/log/0.txt", "db/*", "db/log/*.txt", "link"} {
		if err := Check(t.Context(), []string{filepath.Join(dir, path)}); err == nil || !strings.Contains(err.Error(), "simdb export") {
			t.Errorf("Check(%s) = %v, want an error that says what to do", path, err)
		}
	}
}

func TestStoreAround(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	store(t, "db")
	write(t, "other/a.txt", "x")
	for link, target := range map[string]string{"in": "db/log", "out": "other"} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	inside, err := filepath.EvalSymlinks(filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		in   bool
	}{
		{"db", true}, {"db/", true}, {"db/new", true}, {"db/new/newer", true}, {"in", true}, {"in/new", true}, {"in/../new", true},
		{"./other/../db/new", true}, {filepath.Join(dir, "db", "x"), true},
		{"new", false}, {"out/new", false}, {"db2", false}, {"db/../new", false}, {"", false}, {"/", false},
	} {
		want := ""
		if test.in {
			want = inside
		}
		if got, err := StoreAround(test.path); got != want || err != nil {
			t.Errorf("StoreAround(%q) = %q, %v, want %q", test.path, got, err, want)
		}
	}
}
