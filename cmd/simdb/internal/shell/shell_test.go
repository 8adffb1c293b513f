package shell

// The shell without a terminal: conversation, Tab, keys and history.

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// enteredLines is an editor that returns the given inputs in order.
type enteredLines struct {
	inputs []string
	errs   map[int]error
	n      int
}

func (e *enteredLines) read() (string, error) {
	defer func() { e.n++ }()
	if err := e.errs[e.n]; err != nil {
		return "", err
	}
	if e.n >= len(e.inputs) {
		return "", io.EOF
	}
	return e.inputs[e.n], nil
}

func newTestShell(t *testing.T) (*shell, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	db, err := simdb.Open(filepath.Join(t.TempDir(), "s.simdb"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	sh := &shell{Session: session.New(writingTo(&stdout, &stderr), db, "csv"), path: "s.simdb", stdout: &stdout}
	t.Cleanup(func() {
		if err := sh.end(nil); err != nil {
			t.Error(err)
		}
	})
	return sh, &stdout, &stderr
}

// writingTo is a command that writes to buffers.
func writingTo(stdout, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{}
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return cmd
}

// During writes of another process, a shell shows the database as opened, until .refresh.
func TestRefresh(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a reader excludes a writer")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.simdb")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reader, reads, err := openShell(ctx, path, false, false, 0)
	if err != nil || !reads {
		t.Fatal(reads, err)
	}
	var stdout, stderr bytes.Buffer
	sh := &shell{Session: session.New(writingTo(&stdout, &stderr), reader, "csv"), path: path, reads: reads, stdout: &stdout}
	if err := db.Put(ctx, api.Document{ID: "new", Text: "some text"}); err != nil {
		t.Fatal(err)
	}
	const count = "SELECT count(*) FROM docs"
	if err := errors.Join(sh.Statement(ctx, count), sh.dot(ctx, ".refresh"), sh.Statement(ctx, count), sh.end(nil)); err != nil {
		t.Fatal(err)
	}
	if got, want := stdout.String(), "count\n0\ncount\n1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// In an interactive session, errors and Ctrl-C do not end the shell.
func TestInteractive(t *testing.T) {
	sh, stdout, stderr := newTestShell(t)
	ed := &enteredLines{
		inputs: []string{"SELEKT;\n", "", "INSERT INTO docs (id, text, year)\nVALUES ('a', 'one two three', 2020);\n", ".nosuch\n", "", "SELECT id FROM docs;\n"},
		errs:   map[int]error{1: errInterrupted, 4: errInterrupted},
	}
	if err := sh.interactive(t.Context(), ed); err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); !strings.Contains(got, "inserted,replaced\n1,0\n") || !strings.HasSuffix(got, "id\na\n\n") {
		t.Errorf("stdout:\n%s", got)
	}
	for _, want := range []string{"1:1: ", "SELEKT", "\n  ^\n", ".nosuch"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr lacks %q:\n%s", want, stderr)
		}
	}

	c := completer{sh}
	for _, tt := range []struct {
		before, head, tail string
		wantHead, wantTail string
		wantList           []string
	}{
		{"", "sel", "", "select ", "", nil},
		{"", "SEL", " id", "SELECT ", "id", nil},
		{"SELECT id\n", "FROM docs WHERE (ye", ")", "FROM docs WHERE (year ", ")", nil},
		{"", "SELECT id FROM do", "", "SELECT id FROM docs ", "", nil},
		{"", ".mo", "", ".mode ", "", nil},
		{"", ".mode mark", "", ".mode markdown ", "", nil},
		{"", ".bail o", "", ".bail o", "", []string{"off", "on"}},
		{"", ".schema ", "", ".schema docs ", "", nil},
		{"", "nosuchword", "", "nosuchword", "", nil},
	} {
		head, tail, list := c.tab(tt.before, tt.head, tt.tail)
		if head != tt.wantHead || tail != tt.wantTail || !slices.Equal(list, tt.wantList) {
			t.Errorf("tab(%q, %q, %q) = %q, %q, %q, want %q, %q, %q",
				tt.before, tt.head, tt.tail, head, tail, list, tt.wantHead, tt.wantTail, tt.wantList)
		}
	}
}

func TestEntries(t *testing.T) {
	for text, want := range map[string][]string{
		".help\n":                     {".help"},
		"SELECT id\nFROM docs;\n":     {"SELECT id FROM docs;"},
		"SELECT id -- all\nFROM x;\n": {"SELECT id -- all", "FROM x;"},
		"TEXT 'a\nb';\n":              {"TEXT 'a", "b';"},
	} {
		if got := entries(text); !slices.Equal(got, want) {
			t.Errorf("entries(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	h := openHistory()
	for _, line := range []string{"one", "", "two", "two", " ", "three"} {
		h.Add(line)
	}
	for _, h := range []*history{h, openHistory()} {
		if h.Len() != 3 || h.At(0) != "three" || h.At(2) != "one" {
			t.Errorf("history %q, want one, two, three", h.lines)
		}
	}
	path, err := historyFile()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the history: %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("old\nolder\n", 2*historyLines)), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := openHistory(); h.Len() != historyLines {
		t.Errorf("%d lines kept, want %d", h.Len(), historyLines)
	}
	if h := openHistory(); h.Len() != historyLines || h.At(0) != "older" {
		t.Errorf("after trimming %d lines, the latest %q, want %d and the last", h.Len(), h.At(0), historyLines)
	}
}
