//go:build unix

package main

// Imports that are killed: what was acknowledged is there, and going on brings the
// rest.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/torture"
)

// oddEvery is the distance of the documents that an import warns of, one in
// each of its batches. It warns once they are stored, so a warning is an
// acknowledgement.
const oddEvery = 256

const killedDocuments = 3000

// writeCorpus writes a JSONL file and returns its documents, in order.
func writeCorpus(t *testing.T, path string) []corpus.Doc {
	t.Helper()
	docs := corpus.Texts(4, killedDocuments)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range docs {
		if i%oddEvery == 0 {
			docs[i].Text = ""
		}
		line := map[string]any{"id": docs[i].ID, "text": docs[i].Text, "kind": docs[i].Kind, "number": i}
		if err := e.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return docs
}

// TestKilledImport kills an import again and again and resumes it each time:
// what it has told to be stored is there, what is there is the beginning of
// the input, and when an import is left to finish, its export is that of one
// that was never killed (durability D2, I5).
func TestKilledImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input := filepath.Join(dir, "in.jsonl")
	docs := writeCorpus(t, input)
	whole := filepath.Join(dir, "whole.simdb")
	simdbOutput(t, "import", "--quiet", whole, input)
	want, _ := simdbOutput(t, "export", whole)
	if got := strings.Count(want, "\n"); got != len(docs) {
		t.Fatalf("the export has %d lines, want %d", got, len(docs))
	}
	rng := rand.New(rand.NewPCG(1, 19))
	tries := torture.Tries(t, "I5")
	for kills, store := tries, 0; kills > 0; store++ {
		db := filepath.Join(dir, strconv.Itoa(store)+".simdb")
		for kills > 0 && killImport(t, db, input, docs, rng.IntN(3)) {
			kills--
		}
		finishImport(t, db, input, want)
	}
	torture.Report(t, "I5", tries)
}

// killImport begins or resumes an import, kills it after so many warnings, and
// examines a copy of the result. It returns false if the import was faster.
func killImport(t *testing.T, db, input string, docs []corpus.Doc, warnings int) (killed bool) {
	t.Helper()
	cmd := exec.Command("simdb", "import", "--resume", db, input)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // should the test give up before
	stored := ""
	said := bufio.NewReader(stderr)
	for n := 0; ; n++ {
		if n == warnings {
			cmd.Process.Kill() // fails if the import was faster
		}
		line, err := said.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(line, "warning: "); ok {
			stored, _, _ = strings.Cut(rest, ":")
		}
	}
	err = cmd.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Exited() {
		t.Fatalf("the import ended by itself: %v", err)
	}
	if err == nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(db, "STATE")); err == nil { // else it was killed before there was a store
		n := storedBeginning(t, db, docs)
		t.Logf("killed after %d warnings, the last of %q: %d documents are there", warnings, stored, n)
		if stored != "" && !holds(docs[:n], stored) {
			t.Errorf("%s was told to be stored, and is not", stored)
		}
	}
	return true
}

func holds(docs []corpus.Doc, id string) bool {
	for _, d := range docs {
		if d.ID == id {
			return true
		}
	}
	return false
}

// storedBeginning opens a copy of a database, so that the next command still
// meets what the killed one left. The documents in it must be the first of the
// input; it returns how many.
func storedBeginning(t *testing.T, path string, docs []corpus.Doc) int {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "copy.simdb")
	if err := os.CopyFS(clone, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	db, err := simdb.Open(clone, &simdb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	ctx := context.Background()
	if report, err := db.Check(ctx, nil); err != nil || report.Found > 0 {
		t.Errorf("check after a kill: %+v, %v", report, err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := map[string]string{}
	for d, err := range s.Documents(ctx, "docs") {
		if errors.Is(err, api.ErrNotFound) {
			return 0 // killed before there was a collection
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[d.ID] = d.Text
	}
	for _, d := range docs[:min(len(texts), len(docs))] {
		if text, ok := texts[d.ID]; !ok || text != d.Text {
			t.Fatalf("of %d stored documents %s is not one, or its text is another", len(texts), d.ID)
		}
	}
	return len(texts)
}

// finishImport resumes an import and leaves it alone.
func finishImport(t *testing.T, db, input, want string) {
	t.Helper()
	simdbOutput(t, "import", "--resume", db, input)
	sameExport(t, db, want, "a resumed import")
	if _, said := simdbOutput(t, "check", db); !strings.Contains(said, "no problems") {
		t.Errorf("check of a resumed import says %q", said)
	}
	if _, said := simdbOutput(t, "import", "--resume", db, input); !strings.Contains(said, "finished before") {
		t.Errorf("resuming a finished import says %q", said)
	}
	sameExport(t, db, want, "an import resumed once more")
}

func sameExport(t *testing.T, db, want, what string) {
	t.Helper()
	got, _ := simdbOutput(t, "export", db)
	if got == want {
		return
	}
	had := map[string]bool{}
	for line := range strings.Lines(want) {
		had[line] = true
	}
	for line := range strings.Lines(got) {
		if !had[line] {
			t.Errorf("%s: not in the whole import: %.80q", what, line)
		}
		delete(had, line)
	}
	t.Errorf("%s: the export has %d bytes, want %d; %d lines are missing", what, len(got), len(want), len(had))
}

// While an import runs, every command that writes is turned away at once, one that reads
// answers, and the import does not mind.
func TestSecondOpener(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, input := filepath.Join(dir, "a.simdb"), filepath.Join(dir, "in.jsonl")
	docs := writeCorpus(t, input)
	text, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd, stdin, stdout, stderr := start(t, "import", db, "-")
	go io.Copy(io.Discard, stdout)
	written := make(chan error, 1)
	go func() { // not closed yet: the import waits for more
		_, err := stdin.Write(text)
		written <- err
	}()
	said := bufio.NewReader(stderr)
	if line, err := said.ReadString('\n'); err != nil || !strings.HasPrefix(line, "warning: "+docs[0].ID) {
		t.Fatalf("first line %q, %v, want the warning of %s", line, err, docs[0].ID)
	}
	for _, args := range [][]string{
		{"import", db, input}, {"import", "--resume", db, input}, {"compact", db},
		{"restore", db, input},
	} {
		second := exec.Command("simdb", args...)
		out, err := second.CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exit.Unavailable || !bytes.Contains(out, []byte("open in another process")) {
			t.Errorf("simdb %s beside an import: %v, want exit code %d\n%s", args[0], err, exit.Unavailable, out)
		}
	}
	for _, args := range [][]string{{"query", db, "SHOW COLLECTIONS"}, {"check", db}, {"export", db}, {"stats", db}, {"backup", db, filepath.Join(dir, "b.simdb")}} {
		if out, err := exec.Command("simdb", args...).CombinedOutput(); err != nil {
			t.Errorf("simdb %s beside an import: %v\n%.1000s", args[0], err, out)
		}
	}
	if err := errors.Join(<-written, stdin.Close()); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(said)
	if err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exit.OK {
		t.Fatalf("the import ends with exit code %d; stderr:\n%s", code, rest)
	}
	out, _ := simdbOutput(t, "export", db)
	if got := strings.Count(out, "\n"); got != len(docs) {
		t.Errorf("the import stored %d documents, want %d", got, len(docs))
	}
}
