package realtext

// The outcome of tests that use present, missing or damaged texts.

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ending is a test that records its outcome. It delegates other calls to the enclosing
// test.
type ending struct {
	testing.TB
	how string
}

func (e *ending) end(how, format string, args []any) {
	e.how = how + ": " + fmt.Sprintf(format, args...)
	panic(e) // like the real methods, it does not return
}

func (e *ending) Fatalf(format string, args ...any) { e.end("failed", format, args) }
func (e *ending) Skipf(format string, args ...any)  { e.end("skipped", format, args) }
func (e *ending) Fatal(args ...any)                 { e.end("failed", "%s", []any{fmt.Sprint(args...)}) }
func (e *ending) Skip(args ...any)                  { e.end("skipped", "%s", []any{fmt.Sprint(args...)}) }

// how runs do and returns the outcome of a test: "passed", or the kind with the message.
func how(t *testing.T, do func(testing.TB)) string {
	e := &ending{TB: t, how: "passed"}
	func() {
		defer func() {
			if r := recover(); r != nil && r != e {
				panic(r)
			}
		}()
		do(e)
	}()
	return e.how
}

// Where texts are missing, Lines and Files generate some; in CI they fail.
func TestGenerated(t *testing.T) {
	t.Setenv("SIMDB_CORPORA", filepath.Join(t.TempDir(), "corpora"))
	for ci, want := range map[string]string{"": "passed", "true": "failed"} {
		t.Setenv("CI", ci)
		for _, use := range []func(t testing.TB) []string{
			func(t testing.TB) []string { return Lines(t, "nsf.jsonl.gz", 400) },
			func(t testing.TB) []string { return Files(t, "spdx") },
		} {
			var texts []string
			if got := how(t, func(t testing.TB) { texts = use(t) }); !strings.HasPrefix(got, want) || (want == "passed") != (len(texts) >= 50) {
				t.Errorf("CI=%s: %s with %d texts, want %s", ci, got, len(texts), want)
			}
		}
	}
}

// With a missing file a test is skipped with the reason; in CI it fails.
func TestMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpora")
	t.Setenv("SIMDB_CORPORA", dir)
	uses := map[string]func(testing.TB){
		filepath.Join(dir, "roth"):                      func(t testing.TB) { Path(t, "roth") },
		filepath.Join(dir, "..", "papers", "paper.txt"): func(t testing.TB) { Paper(t, "paper.txt") },
	}
	for ci, want := range map[string]string{"": "skipped", "false": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		for path, use := range uses {
			got := how(t, use)
			if !strings.HasPrefix(got, want) || !strings.Contains(got, filepath.Clean(path)) || !strings.Contains(got, "SIMDB_CORPORA") {
				t.Errorf("CI=%s without %s: %s; want %s, with what is missing and SIMDB_CORPORA", ci, path, got, want)
			}
		}
	}
}

// SIMDB_CORPORA=none takes precedence, in CI too.
func TestNone(t *testing.T) {
	t.Setenv("SIMDB_CORPORA", "none")
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		for _, use := range []func(testing.TB){
			func(t testing.TB) { Path(t, "roth") },
			func(t testing.TB) { Paper(t, "paper.txt") },
		} {
			if got := how(t, use); !strings.HasPrefix(got, "skipped") || !strings.Contains(got, "SIMDB_CORPORA") {
				t.Errorf("CI=%s without texts: %s; want skipped, with SIMDB_CORPORA", ci, got)
			}
		}
	}
}

func TestPresent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpora")
	t.Setenv("SIMDB_CORPORA", dir)
	t.Setenv("CI", "true")
	write(t, filepath.Join(dir, "spdx", "a.txt"), []byte("one"))
	write(t, filepath.Join(dir, "spdx", "more", "b.txt"), []byte("three"))
	write(t, filepath.Join(dir, "..", "papers", "p.txt"), []byte("paper"))
	write(t, filepath.Join(dir, "x.jsonl.gz"), zipped(t, `{"text":"a"}`+"\n"+`{"text":"b"}`+"\n"+`{"text":"c"}`+"\n"))
	if got, want := Paper(t, "p.txt"), filepath.Join(filepath.Dir(dir), "papers", "p.txt"); got != want {
		t.Errorf("Paper = %s, want %s", got, want)
	}
	if got, want := Files(t, "spdx"), []string{"one", "three"}; !slices.Equal(got, want) || Size(got) != 8 {
		t.Errorf("Files = %q of %d bytes, want %q of 8", got, Size(got), want)
	}
	for nth, want := range map[int][]string{1: {"a", "b", "c"}, 2: {"a", "c"}, 5: {"a"}} {
		if got := Lines(t, "x.jsonl.gz", nth); !slices.Equal(got, want) {
			t.Errorf("Lines of every %d. line = %q, want %q", nth, got, want)
		}
	}
	write(t, filepath.Join(dir, "bad.jsonl.gz"), zipped(t, "{"))
	write(t, filepath.Join(dir, "plain.jsonl.gz"), []byte("{}"))
	for _, name := range []string{"bad.jsonl.gz", "plain.jsonl.gz"} {
		if got := how(t, func(t testing.TB) { Lines(t, name, 1) }); !strings.HasPrefix(got, "failed") {
			t.Errorf("Lines of the damaged %s: %s, want a failure", name, got)
		}
	}
}

// Without SIMDB_CORPORA the texts lie next to the project, at any depth of the running
// test.
func TestFolderBesideProject(t *testing.T) {
	t.Setenv("SIMDB_CORPORA", "")
	root := t.TempDir()
	write(t, filepath.Join(root, "project", "go.mod"), []byte("module github.com/simdb/simdb\n"))
	write(t, filepath.Join(root, "project", "bench", "go.mod"), []byte("module github.com/simdb/simdb/bench\n"))
	write(t, filepath.Join(root, "project", "bench", "si", "x"), nil)
	for _, dir := range []string{".", "bench", filepath.Join("bench", "si")} {
		t.Chdir(filepath.Join(root, "project", dir))
		if got := folder(t); !strings.HasSuffix(got, filepath.Join(filepath.Base(root), "shared", "corpora")) {
			t.Errorf("in %s: folder = %s, want shared/corpora in %s", dir, got, root)
		}
	}
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func zipped(t *testing.T, content string) []byte {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(content))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}
