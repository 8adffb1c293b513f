// Stories of a store, told in testdata: a command on each line, a line of
// dashes, what the commands answer, and an empty line. A store lies on a disk in
// memory that can crash and fail. With -update the answers are written anew.

package engine_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

var update = flag.Bool("update", false, "write the answers of testdata anew")

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("the scripts are %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runFile(t, file) })
	}
}

func runFile(t *testing.T, file string) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := newScript()
	defer s.end()
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(content)), "\n\n") {
		input, want, ok := strings.Cut(strings.TrimLeft(block, "\n"), "\n----")
		if !ok {
			t.Fatalf("%s: no answer to %q", file, block)
		}
		got := ""
		for line := range strings.SplitSeq(input, "\n") {
			testmodel.Within(t, line, func() { got += s.run(line) })
		}
		got, want = strings.TrimRight(got, "\n"), strings.TrimPrefix(want, "\n")
		if !*update && got != want {
			t.Errorf("%s:\n%s\ngot\n%s\nwant\n%s", file, input, got, want)
		}
		out.WriteString(strings.TrimRight(input+"\n----\n"+got, "\n") + "\n\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// script is the store of a story.
type script struct {
	disk      *vfs.MemFS
	failing   atomic.Pointer[string] // writes below this path fail; none if it is nil
	db        *engine.DB             // nil while it is closed
	snapshots map[string]*engine.Snapshot
}

func newScript() *script {
	return &script{disk: vfs.NewCrashableMem(), snapshots: map[string]*engine.Snapshot{}}
}

func (s *script) end() {
	if s.db != nil {
		s.db.Close()
	}
}

// run answers one line. What begins with # is a remark.
func (s *script) run(line string) string {
	name, rest, _ := strings.Cut(line, " ")
	if name == "#" {
		return ""
	}
	if command, ok := diskCommands[name]; ok {
		return answer(command(s, rest))
	}
	if s.db == nil {
		return "the store is closed\n"
	}
	if command, ok := storeCommands[name]; ok {
		return answer(command(s, rest))
	}
	from := ""
	if strings.HasPrefix(name, "@") {
		from = name[1:]
		name, rest, _ = strings.Cut(rest, " ")
	}
	command, ok := readCommands[name]
	if !ok {
		return fmt.Sprintf("no command %q\n", name)
	}
	snapshot := s.snapshots[from]
	if snapshot == nil {
		var err error
		if snapshot, err = s.db.Snapshot(); err != nil {
			return answer("", err)
		}
		defer snapshot.Close()
	}
	return answer(command(snapshot, rest))
}

func answer(out string, err error) string {
	if err != nil {
		out += "error: " + err.Error()
	}
	if out == "" || strings.HasSuffix(out, "\n") {
		return out
	}
	return out + "\n"
}

// diskCommands do not need an open store.
var diskCommands = map[string]func(s *script, rest string) (string, error){
	"open": func(s *script, dir string) (_ string, err error) {
		faults := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if path := s.failing.Load(); path != nil && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.HasPrefix(op.Path, *path) {
				return errorfs.ErrInjected
			}
			return nil
		})
		s.db, err = engine.Open(cmp.Or(dir, "db"), enginetest.Options(errorfs.Wrap(s.disk, faults)))
		return "", err
	},
	"close": func(s *script, _ string) (string, error) {
		if s.db == nil {
			return "the store is closed", nil
		}
		err := s.db.Close()
		s.db = nil
		return "", err
	},
	"crash": func(s *script, _ string) (string, error) { // nothing is left that was not synced
		image := s.disk.CrashClone(vfs.CrashCloneCfg{})
		s.failing.Store(nil)
		s.end()
		s.disk, s.db = image, nil
		return "", nil
	},
	"list": func(s *script, dir string) (string, error) {
		names, err := s.disk.List(dir)
		slices.Sort(names)
		return strings.Join(names, " "), err
	},
	"remove": func(s *script, path string) (string, error) { return "", s.disk.RemoveAll(path) },
	"fail":   func(s *script, path string) (string, error) { s.failing.Store(&path); return "", nil },
	"mend":   func(s *script, _ string) (string, error) { s.failing.Store(nil); return "", nil },
}

// storeCommands change the store or tell of it.
var storeCommands = map[string]func(s *script, rest string) (string, error){
	"create": func(s *script, name string) (string, error) {
		return "", s.db.CreateCollection(context.Background(), name, api.Settings{})
	},
	"drop": func(s *script, name string) (string, error) {
		return "", s.db.DropCollection(context.Background(), name)
	},
	"put": func(s *script, rest string) (string, error) {
		where, text, _ := strings.Cut(rest, " ")
		collection, id := documentAt(where)
		return "", s.db.Put(context.Background(), api.Document{Collection: collection, ID: id, Text: text})
	},
	"delete": func(s *script, where string) (string, error) {
		collection, id := documentAt(where)
		return "", s.db.Delete(context.Background(), collection, id)
	},
	"flush": func(s *script, _ string) (string, error) {
		return "", enginetest.Disk(s.db).Flush(context.Background())
	},
	"settle": func(s *script, _ string) (string, error) {
		return "", enginetest.Inside(s.db).Maintain(context.Background())
	},
	"compact": func(s *script, _ string) (string, error) { return "", s.db.Compact(context.Background()) },
	"backup":  func(s *script, dir string) (string, error) { return "", s.db.Checkpoint(context.Background(), dir) },
	"check": func(s *script, _ string) (string, error) {
		report, err := s.db.Check(context.Background(), nil)
		if err != nil || report.Found == 0 {
			return "clean", err
		}
		return fmt.Sprintf("%d problems, the first %s", report.Found, report.Problems[0].What), nil
	},
	"snapshot": func(s *script, name string) (_ string, err error) {
		s.snapshots[name], err = s.db.Snapshot()
		return "", err
	},
	"release": func(s *script, name string) (string, error) { return "", s.snapshots[name].Close() },
	"stats": func(s *script, _ string) (string, error) {
		m := s.db.Metrics()
		return fmt.Sprintf("%d documents, %d sets, %d segments, %d sets in the tail", m.Documents, m.Sets, m.Segments, m.TailSets), nil
	},
	"log": func(s *script, _ string) (string, error) {
		return fmt.Sprintf("%d bytes", s.db.Metrics().LogBytes), nil
	},
}

// readCommands ask a snapshot: one of now or, as "@name command", an older one.
var readCommands = map[string]func(s *engine.Snapshot, rest string) (string, error){
	"collections": func(s *engine.Snapshot, _ string) (out string, err error) {
		for _, c := range s.Collections() {
			out += fmt.Sprintf("%s: %d documents, %d sets\n", c.Name, c.Documents, c.Sets)
		}
		return out, nil
	},
	"get": func(s *engine.Snapshot, where string) (string, error) {
		collection, id := documentAt(where)
		d, err := s.Get(collection, id)
		return d.Text, err
	},
	"similar": func(s *engine.Snapshot, where string) (string, error) {
		collection, id := documentAt(where)
		r, err := s.Similar(context.Background(), api.ByID(id), engine.Search{In: []string{collection}, Min: api.Ratio(1, 2)})
		return rows(r, err, func(m api.Match) string { return fmt.Sprintf("%s %d/%d", m.ID, m.Shared, m.Union) })
	},
	"pairs": func(s *engine.Snapshot, collections string) (string, error) {
		r, err := s.Pairs(context.Background(), engine.Search{In: strings.Fields(collections), Min: api.Ratio(1, 2)})
		return rows(r, err, func(m api.PairMatch) string { return fmt.Sprintf("%s %s %d/%d", m.A, m.B, m.Shared, m.Union) })
	},
}

// documentAt reads "collection/id", or an id in docs.
func documentAt(s string) (collection, id string) {
	if collection, id, ok := strings.Cut(s, "/"); ok {
		return collection, id
	}
	return api.DefaultCollection, s
}

func rows[T any](r *engine.Result[T], err error, row func(T) string) (out string, _ error) {
	if err != nil {
		return "", err
	}
	for x, err := range r.All {
		if err != nil {
			return out, err
		}
		out += row(x) + "\n"
	}
	if out == "" {
		out = "none"
	}
	return out, nil
}
