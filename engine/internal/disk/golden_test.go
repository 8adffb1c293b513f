package disk_test

// Golden stores: testdata/golden has a folder for each release, and one for what the next
// release will write. Each store there is packed in an archive, with a script of statements and
// the answers that every later version must give, and where it opens with its dump
// (docs/decisions/0049).

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/load"
)

var remake = flag.Bool("golden", false, "make the golden stores of the next release anew, with their dumps and answers")

const (
	goldenDir  = "testdata/golden"
	goldenNext = goldenDir + "/next"
	goldenHint = "the golden stores of the next release are made anew, if the format was changed on purpose, by: go test ./engine/internal/disk -run '^TestGolden$' -golden"
)

func TestGolden(t *testing.T) {
	if *remake {
		remakeGolden(t)
	}
	scripts, err := filepath.Glob(goldenDir + "/*/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no golden stores: %v", err)
	}
	for i, script := range scripts {
		name := strings.TrimSuffix(script, ".txt")
		t.Run(strings.TrimPrefix(filepath.ToSlash(name), goldenDir+"/"), func(t *testing.T) {
			t.Parallel()
			modes := []bool{i%2 == 0, i%2 != 0}[:torture.Few(1, 2)] // one of both is enough by default
			if *remake {
				modes = []bool{false, true} // the dumps are written where nothing is read-only
			}
			for _, readOnly := range modes {
				runGolden(t, name, readOnly)
			}
			if t.Failed() && filepath.Dir(name) == filepath.FromSlash(goldenNext) {
				t.Log(goldenHint)
			}
		})
	}
}

// runGolden runs the script of a store on a copy of it: commands, a line of dashes, what
// they answer, and an empty line.
func runGolden(t *testing.T, name string, readOnly bool) {
	t.Helper()
	content, err := os.ReadFile(name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	g := golden{t: t, name: name, readOnly: readOnly}
	defer g.close()
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(content)), "\n\n") {
		command, want, ok := strings.Cut(strings.TrimLeft(block, "\n"), "\n----")
		if !ok {
			t.Fatalf("%s.txt: no answer to %q", name, block)
		}
		want = strings.TrimPrefix(want, "\n")
		got := want
		if only, ok := strings.CutPrefix(command, "written: "); !ok || !readOnly {
			got = strings.TrimRight(g.run(only), "\n")
		}
		if got != want && !*remake {
			t.Errorf("%s.txt, read-only %v:\n%s\ngot\n%s\nwant\n%s", name, readOnly, command, got, want)
		}
		out.WriteString(strings.TrimRight(command+"\n----\n"+got, "\n") + "\n\n")
	}
	if *remake && !readOnly {
		write(t, name+".txt", []byte(strings.TrimRight(out.String(), "\n")+"\n"))
	}
}

// golden is a copy of a golden store, opened by the first command that needs it.
type golden struct {
	t        *testing.T
	name     string
	readOnly bool
	dir      string
	db       *simdb.DB
}

func (g *golden) close() {
	if g.db != nil {
		if err := g.db.Close(); err != nil {
			g.t.Error(err)
		}
		g.db = nil
	}
}

// run answers a command. Its errors are part of the answer, by the names that callers test
// for.
func (g *golden) run(command string) string {
	if g.dir == "" {
		g.dir = filepath.Join(g.t.TempDir(), "store")
		unpack(g.t, g.name+".tar.gz", g.dir)
	}
	out, err := g.answer(command)
	if err != nil {
		out += g.kindOf(err) + "\n"
	}
	return out
}

func (g *golden) answer(command string) (string, error) {
	ctx := context.Background()
	word, rest, _ := strings.Cut(command, " ")
	switch word { // what needs no open store
	case "tail":
		return tailOf(ctx, g.dir)
	case "salvage":
		from, to := filepath.Join(g.t.TempDir(), "store"), filepath.Join(g.t.TempDir(), "new")
		unpack(g.t, g.name+".tar.gz", from) // as it was found
		out, err := salvageOf(ctx, from, to)
		if rest != "dump" || err != nil {
			return out, err
		}
		salvaged := golden{t: g.t, name: g.name, readOnly: true, dir: to}
		defer salvaged.close()
		dumped, err := salvaged.answer("dump")
		return out + dumped, err
	case "restore":
		return restoreOf(ctx, g.dir, filepath.Join(g.t.TempDir(), "new"), rest)
	}
	if g.db == nil {
		db, err := simdb.Open(g.dir, &simdb.Options{MustExist: true, ReadOnly: g.readOnly})
		if err != nil {
			return "", err
		}
		g.db = db
	}
	switch word {
	case "open":
		return "", nil
	case "dump":
		return g.dump(ctx)
	case "check":
		report, err := g.db.Check(ctx, nil)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d documents, %d sets, sound %v", report.Documents, report.Sets, report.Found == 0), nil
	case "note":
		value, err := g.db.Note(rest)
		return strconv.Quote(string(value)), err
	}
	rows, err := g.db.Query(ctx, command)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	out := strings.Join(rows.Columns, "\t") + "\n"
	for row, err := range rows.All() {
		if err != nil {
			return out, err
		}
		for i, v := range row {
			out += strings.Repeat("\t", min(i, 1)) + strings.ToValidUTF8(fmt.Sprint(v), "\\xff")
		}
		out += "\n"
	}
	return out, nil
}

// dump compares the dump with the one beside the store.
func (g *golden) dump(ctx context.Context) (string, error) {
	var b bytes.Buffer
	err := load.Dump(ctx, g.db, &b)
	if *remake && !g.readOnly && err == nil {
		write(g.t, g.name+".ndjson", b.Bytes())
	}
	want, readErr := os.ReadFile(g.name + ".ndjson")
	switch {
	case errors.Is(readErr, fs.ErrNotExist):
	case readErr != nil:
		g.t.Fatal(readErr)
	case err == nil && !bytes.Equal(b.Bytes(), want):
		g.t.Errorf("%s: the dump is not %s.ndjson", g.name, g.name)
	}
	return fmt.Sprintf("%d lines\n", bytes.Count(b.Bytes(), []byte("\n"))), err
}

// kindOf is an error by what callers test for. No script has any other.
func (g *golden) kindOf(err error) string {
	for _, k := range []struct {
		is   error
		name string
	}{
		{api.ErrFormatTooNew, "ErrFormatTooNew"}, {api.ErrFormat, "ErrFormat"}, {api.ErrCorrupt, "ErrCorrupt"},
		{api.ErrNotKept, "ErrNotKept"}, {api.ErrInvalid, "ErrInvalid"},
	} {
		if errors.Is(err, k.is) {
			return k.name
		}
	}
	g.t.Error(g.name, err)
	return err.Error()
}

// tailOf tells every change that a store keeps, without times.
func tailOf(ctx context.Context, dir string) (out string, err error) {
	for c, err := range simdb.Tail(ctx, dir, api.TailOptions{Oldest: true}) {
		if err != nil {
			return out, err
		}
		meta, err := json.Marshal(c.Meta)
		if err != nil {
			return out, err
		}
		out += fmt.Sprintf("%d %d/%d %s %s %q %d bytes %q %s\n", c.Seq, c.Place, c.Of, c.Kind, c.Collection, c.ID, len(c.Text), c.Tokens, meta)
	}
	return out, nil
}

func salvageOf(ctx context.Context, from, to string) (string, error) {
	done, err := engine.Salvage(ctx, from, to, nil, func(string) {})
	return fmt.Sprintf("%d collections, %d documents, %d notes, lost something %v\n", done.Collections, done.Documents, done.Notes, done.Lost > 0), err
}

// restoreOf restores a backup to a moment and tells which documents it has.
func restoreOf(ctx context.Context, backup, to, seq string) (string, error) {
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return "", err
	}
	if _, err := simdb.RestoreTo(ctx, backup, to, api.Moment{Seq: n}, nil); err != nil {
		return "", err
	}
	restored := golden{dir: to}
	out, err := restored.answer("SELECT id FROM docs ORDER BY id")
	return out, errors.Join(err, restored.db.Close())
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pack writes the files of a store to an archive that depends on nothing else.
func pack(t *testing.T, dir, archive string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: path, Size: int64(len(content)), Mode: 0o644}); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, archive, b.Bytes())
}

func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
	}
}

// Together the golden stores of the next release are small, and each store has a script.
func TestGoldenIsSmall(t *testing.T) {
	paths, err := filepath.Glob(goldenNext + "/*")
	if err != nil {
		t.Fatal(err)
	}
	var bytes int64
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
		if name, ok := strings.CutSuffix(path, ".tar.gz"); ok && !slices.Contains(paths, name+".txt") {
			t.Errorf("%s has no script %s.txt", path, name)
		}
	}
	if bytes > 1<<20 {
		t.Errorf("the golden stores of a release have %d bytes, want at most a megabyte", bytes)
	}
}
