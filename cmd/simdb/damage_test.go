package main

// Export of a store with damaged blocks.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/corpus"
)

// Export of a store with a damaged block saves all documents outside of the block.
func TestExportOfRot(t *testing.T) {
	// Texts of a block's size: for each that it fails to read, Pebble tries at
	// length which bit has flipped.
	const documents, parts = 120, 30
	db := filepath.Join(t.TempDir(), "r.simdb")
	var input bytes.Buffer
	texts := map[string]string{}
	for i := range documents {
		var text strings.Builder
		for part := range parts {
			text.WriteString(corpus.At(1, i*parts+part).Text + "\n")
		}
		id := fmt.Sprint(i)
		texts[id] = text.String()
		line, err := json.Marshal(map[string]string{"id": id, "text": texts[id]})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	simdb := func(stdin string, want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(stdin), &out, &errs); code != want {
			t.Fatalf("simdb %v: exit code %d, want %d; stderr:\n%s", args, code, want, errs.String())
		}
		return out.String(), errs.String()
	}
	simdb(input.String(), exit.OK, "import", "--quiet", db, "-")
	rot(t, db)

	stdout, stderr := simdb("", exit.Corrupt, "export", db)
	saved := strings.Count(stdout, "\n")
	if saved < documents/2 || saved >= documents {
		t.Errorf("%d documents saved of %d, want all but those of a block", saved, documents)
	}
	for line := range strings.Lines(stdout) {
		var d struct{ ID, Text string }
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.Text == "" || d.Text != texts[d.ID] {
			t.Fatalf("saved %.200s, %v, want the text as it was", line, err)
		}
	}
	if want := output.Count(int64(documents-saved), "document") + " cannot be read"; !strings.Contains(stderr, want) || !strings.Contains(stderr, "corrupt") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr %q, want one line with %q and why", stderr, want)
	}
	dumped, stderr := simdb("", exit.Corrupt, "dump", db)
	if want := fmt.Sprint(documents-saved, " documents cannot be read"); strings.Count(dumped, `{"id":`) != saved || !strings.Contains(stderr, want) {
		t.Errorf("dump saves %d documents, want %d; stderr %q, want %q", strings.Count(dumped, `{"id":`), saved, stderr, want)
	}
	file := filepath.Join(t.TempDir(), "r.dump.zst")
	simdb("", exit.Corrupt, "dump", "--out", file, db)
	restored := filepath.Join(t.TempDir(), "restored.simdb")
	simdb("", exit.OK, "restore", "--quiet", restored, file)
	if again, _ := simdb("", exit.OK, "export", restored); again != stdout {
		t.Errorf("what is restored from the dump is not what export saves")
	}
	if _, stderr := simdb("", exit.Incomplete, "check", db); !strings.Contains(stderr, "found in 120 documents") {
		t.Errorf("check: stderr %q, want the number of problems", stderr)
	}
}

// rot flips a byte of a text: in the middle of the last table. Texts come behind
// the documents and their sets.
func rot(t *testing.T, db string) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(db, "store", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables in %s: %v", db, err)
	}
	last := tables[len(tables)-1]
	table, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	table[len(table)/2] ^= 1
	if err := os.WriteFile(last, table, 0o644); err != nil {
		t.Fatal(err)
	}
}
