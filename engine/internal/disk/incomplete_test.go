package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// A store whose files a copy left out opens with ErrCorrupt, which names them. Damage to a file that
// is there names none.
func TestIncompleteStore(t *testing.T) {
	damage := func(path string) error { return os.WriteFile(path, []byte("something else"), 0o644) }
	empty := func(path string) error { return os.WriteFile(path, nil, 0o644) }
	for _, c := range []struct {
		files string
		do    func(path string) error
		want  string // "" if none is missing
	}{
		{"STATE", os.Remove, "STATE*"},
		{"STATE", empty, "STATE"},
		{"STATE", damage, ""},
		{"log", os.RemoveAll, "log/*.log"},
		{"log/*.log", os.Remove, "log/*.log"},
		{"store", os.RemoveAll, "store/MANIFEST-*"},
		{"store/*.sst", os.Remove, "store/000004.sst"},
		{"store/*.sst", empty, "store/000004.sst"},
		{"store/*.sst", damage, ""},
		{"store/MANIFEST-*", os.Remove, "store/MANIFEST-*"},
		{"store/MANIFEST-*", empty, "store/MANIFEST-000001"},
		{"store/MANIFEST-*", damage, ""},
		{"store/marker.manifest.*", os.Remove, "store/marker.manifest.*"},
		{"store/marker.format-version.*", os.Remove, "store/marker.format-version.*"},
	} {
		for _, readOnly := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "db")
			db, err := engine.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Put(t.Context(), api.Document{ID: "a", Text: "a text"}), db.Close()); err != nil {
				t.Fatal(err)
			}
			paths, err := filepath.Glob(filepath.Join(dir, c.files))
			if err != nil || len(paths) != 1 {
				t.Fatalf("%s is %q, %v", c.files, paths, err)
			}
			if err := c.do(paths[0]); err != nil {
				t.Fatal(err)
			}
			db, err = engine.Open(dir, &engine.Options{MustExist: true, ReadOnly: readOnly})
			if err == nil {
				db.Close()
			}
			names := strings.Contains(err.Error(), "missing or empty: "+filepath.Join(dir, c.want))
			if !errors.Is(err, api.ErrCorrupt) || names != (c.want != "") {
				t.Errorf("%s, read-only %v: Open = %v, want the missing %q", c.files, readOnly, err, c.want)
			}
		}
	}
}
