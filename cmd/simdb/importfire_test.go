//go:build unix

package main

// Imports under fire: a disk that fills, and one bad record among very many.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/torture"
)

// No file can grow beyond so many blocks, as on a disk that is full. The import says so and
// ends. Once there is room, it goes on: its export is that of an import that never failed
// (durability F3).
func TestImportOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input, whole := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "whole.simdb")
	docs := writeCorpus(t, input)
	simdbOutput(t, "import", "--quiet", whole, input)
	want, _ := simdbOutput(t, "export", whole)
	info, err := os.Stat(input)
	if err != nil {
		t.Fatal(err)
	}
	most := int(info.Size() / 1024) // half of the input
	tries := torture.Tries(t, "F3-import")
	rng := rand.New(rand.NewPCG(3, 61))
	failed := 0
	for n := range tries {
		db := filepath.Join(dir, strconv.Itoa(n)+".simdb")
		for range 1 + rng.IntN(2) { // it may meet the full disk again
			blocks := 1 + rng.IntN(most)
			cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -f %d; exec simdb import --resume "$0" "$1"`, blocks), db, input)
			said, err := cmd.CombinedOutput()
			if err == nil {
				continue // there was room for everything
			}
			failed++
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != exit.Rejected || !bytes.Contains(said, []byte("file too large")) {
				t.Fatalf("with room for %d blocks: %v\n%s", blocks, err, said)
			}
		}
		if _, err := os.Stat(filepath.Join(db, "STATE")); err == nil {
			storedBeginning(t, db, docs)
		}
		finishImport(t, db, input, want)
		if t.Failed() {
			t.Fatalf("try %d", n)
		}
		os.RemoveAll(db)
	}
	t.Logf("%d imports, %d times there was no room", tries, failed)
	if failed == 0 {
		t.Error("there was always room")
	}
	torture.Report(t, "F3-import", tries)
}

// One record among many is bad: all others are stored, and the reject contains its line.
func TestOneBadRecord(t *testing.T) {
	const kinds = 4
	dir := t.TempDir()
	records := torture.Tries(t, "I5-bad")
	for kind, bad := range []string{`{"id":"bad","text":"no end`, `{"id":"bad"}`, "\x00\x01\x02", `{"id":"bad","text":7}`} {
		n := records / kinds
		line := 1 + rand.New(rand.NewPCG(uint64(kind), 62)).IntN(n)
		input, rejects, db := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "rejects"), filepath.Join(dir, fmt.Sprint(kind))
		f, err := os.Create(input)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		for i := 1; i <= n; i++ {
			if i == line {
				fmt.Fprintln(w, bad)
				continue
			}
			fmt.Fprintf(w, `{"id":"%d","text":"record %d of %d"}`+"\n", i, i, i%97)
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		if code := run([]string{"import", "--quiet", "--rejects", rejects, db, input}, strings.NewReader(""), &out, &said); code != exit.Incomplete {
			t.Fatalf("%q: exit code %d, want %d\n%s", bad, code, exit.Incomplete, &said)
		}
		told, err := os.ReadFile(rejects)
		if err != nil || bytes.Count(told, []byte("\n")) != 1 || !bytes.Contains(told, fmt.Appendf(nil, `"line":%d,`, line)) {
			t.Errorf("%q in line %d: the rejects are %s, %v", bad, line, told, err)
		}
		everyNumber(t, db, n, line)
		os.RemoveAll(db)
	}
	torture.Report(t, "I5-bad", records)
}

// everyNumber checks that the documents are the numbers up to n, without one.
func everyNumber(t *testing.T, path string, n, but int) {
	t.Helper()
	db, err := simdb.Open(path, &simdb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	there := make([]bool, n+1)
	count := 0
	for d, err := range s.Documents(context.Background(), "docs") {
		if err != nil {
			t.Fatal(err)
		}
		i, err := strconv.Atoi(d.ID)
		if err != nil || i < 1 || i > n || there[i] || d.Text != fmt.Sprintf("record %d of %d", i, i%97) {
			t.Fatalf("document %q with text %q", d.ID, d.Text)
		}
		there[i] = true
		count++
	}
	if count != n-1 || there[but] {
		t.Errorf("%d documents of %d are stored", count, n-1)
	}
}
