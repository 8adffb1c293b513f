//go:build unix

package main

// Dumps and kills: a restore that is killed leaves nothing that passes for whole, and
// the result of a killed import can be dumped.

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/torture"
)

// A restore is killed after it was given so many lines. Every other command refuses
// what it has left, or finds no documents there; restored again it is whole.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input, whole, file := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "whole.simdb"), filepath.Join(dir, "whole.dump")
	writeCorpus(t, input)
	simdbOutput(t, "import", "--quiet", whole, input)
	simdbOutput(t, "import", "--quiet", "--in", "second", whole, input)
	simdbOutput(t, "dump", "--out", file, whole)
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(want, []byte("\n"))
	rng := rand.New(rand.NewPCG(2, 19))
	db := filepath.Join(dir, "restored.simdb")
	parts := 0
	tries := torture.Tries(t, "D2-restore")
	for range tries {
		cmd, stdin, _, stderr := start(t, "restore", db, "-")
		go io.Copy(io.Discard, stderr)
		n := rng.IntN(len(lines))
		if _, err := stdin.Write(bytes.Join(lines[:n], nil)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if _, err := os.Stat(filepath.Join(db, "STATE")); err != nil {
			continue // killed before there was a store
		}
		out, err := exec.Command("simdb", "export", db).CombinedOutput()
		var ended *exec.ExitError
		switch {
		case err == nil && len(out) == 0: // killed before the note was durable
		case errors.As(err, &ended) && ended.ExitCode() == exit.Corrupt && bytes.Contains(out, []byte("run simdb restore again")):
			parts++
		default:
			t.Fatalf("export after a killed restore of %d lines: %v\n%.500s", n, err, out)
		}
	}
	if parts == 0 {
		t.Error("no kill left a part")
	}
	simdbOutput(t, "restore", db, file)
	sameDump(t, db, string(want))
	torture.Report(t, "D2-restore", tries)
}

// The result of a killed import survives a dump and a restore.
func TestDumpAfterKilledImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input := filepath.Join(dir, "in.jsonl")
	docs := writeCorpus(t, input)
	db := filepath.Join(dir, "i.simdb")
	for kill := range torture.Few(1, 3) {
		if !killImport(t, db, input, docs, 1) {
			break // it was faster
		}
		stored := storedBeginning(t, db, docs)
		want, _ := simdbOutput(t, "dump", db)
		if got := strings.Count(want, `{"id":`); got != stored {
			t.Errorf("kill %d: the dump has %d documents, want %d", kill, got, stored)
		}
		restored := filepath.Join(dir, "r", string(rune('a'+kill)))
		restore := exec.Command("simdb", "restore", restored, "-")
		restore.Stdin = strings.NewReader(want)
		if out, err := restore.CombinedOutput(); err != nil {
			t.Fatalf("restore: %v\n%s", err, out)
		}
		sameDump(t, restored, want)
	}
}

func sameDump(t *testing.T, db, want string) {
	t.Helper()
	if got, _ := simdbOutput(t, "dump", db); got != want {
		t.Errorf("the dump of %s has %d bytes and differs, want the same %d", db, len(got), len(want))
	}
}
