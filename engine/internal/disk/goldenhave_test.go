package disk_test

// What the golden stores have: a setting, an operation or a key space that comes later has to
// come into them too.

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// Each field of Settings has at least two values in the dumps.
func TestGoldenHasEverySetting(t *testing.T) {
	values := map[string]map[any]bool{}
	dumps, err := filepath.Glob(goldenNext + "/*.ndjson")
	if err != nil || len(dumps) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	for _, path := range dumps {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var c struct{ Settings *api.Settings }
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if c.Settings == nil {
				continue
			}
			for field, v := range reflect.ValueOf(*c.Settings).Fields() {
				if values[field.Name] == nil {
					values[field.Name] = map[any]bool{}
				}
				values[field.Name][v.Interface()] = true
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for field := range reflect.TypeFor[api.Settings]().Fields() {
		if len(values[field.Name]) < 2 {
			t.Errorf("the golden stores have %v of the setting %s alone; %s", slices.Collect(maps.Keys(values[field.Name])), field.Name, goldenHint)
		}
	}
}

// The log of the store that was not closed has operations of every kind, and texts of every
// codec.
func TestGoldenHasEveryOperation(t *testing.T) {
	dir := t.TempDir()
	unpack(t, goldenNext+"/unclosed.tar.gz", dir)
	files, err := wal.Files(vfs.Default, filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	kinds, codecs := map[int]bool{}, map[byte]bool{}
	for _, f := range files {
		r, err := wal.OpenFile(vfs.Default, f)
		if err != nil {
			t.Fatal(err)
		}
		for {
			_, payload, err := r.Next()
			if err != nil { // the end
				break
			}
			_, ops, err := record.DecodeOperations(payload)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range ops {
				kinds[int(o.Kind)] = true
				if o.Kind == record.OpPut {
					codecs[o.Text[0]] = true
				}
			}
		}
		r.Close()
	}
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, want) || len(codecs) != 3 {
		t.Errorf("the log has operations of kinds %v and codecs %v, want %v and 3; %s", got, codecs, want, goldenHint)
	}
}

// Each key space is in one of the stores, and there are posting segments.
func TestGoldenHasEveryKeySpace(t *testing.T) {
	have := map[keys.Space]bool{}
	for name := range goldenStores {
		dir := t.TempDir()
		unpack(t, goldenNext+"/"+name+".tar.gz", dir)
		p, err := pebble.Open(filepath.Join(dir, "store"), &pebble.Options{ReadOnly: true, Logger: quietLogger{}})
		if err != nil {
			t.Fatal(err)
		}
		it, err := p.NewIter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for ok := it.First(); ok; ok = it.Next() {
			have[keys.Space(it.Key()[0])] = true
		}
		it.Close()
		p.Close()
		if segments, err := filepath.Glob(dir + "/postings/*.seg"); strings.Contains("units options measures books", name) && (err != nil || len(segments) == 0) {
			t.Errorf("%s has no posting segment: %v", name, err)
		}
	}
	for _, s := range append(slices.Clone(keys.PerCollection), keys.Applied, keys.Note, keys.Retired) {
		if !have[s] {
			t.Errorf("no golden store has a key of space %#x; %s", byte(s), goldenHint)
		}
	}
}
