//go:build unix

package main

// Salvages in place that are killed: the damaged store stands there or the new one, and
// nothing that can be read is lost.

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	storekeys "github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// TestKilledSalvage kills simdb salvage --replace of a damaged database at any moment, up to
// three times in a row, and lets it end then. After each kill the damaged database or the new one
// has the name, and in the end the documents are unchanged (durability C3).
func TestKilledSalvage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input, damaged := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "damaged")
	writeCorpus(t, input)
	simdbOutput(t, "import", "--quiet", damaged, input)
	want, _ := simdbOutput(t, "dump", damaged)
	if err := spoil(damaged, byte(storekeys.Set)); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "whole")
	if err := os.CopyFS(whole, os.DirFS(damaged)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	simdbOutput(t, "salvage", "--replace", whole)
	took := time.Since(began)
	stores := torture.Few(2, 3)
	rng := rand.New(rand.NewPCG(1, 31))
	killed, sound := 0, 0
	for n := 0; n < stores || killed == 0 && n < 20; n++ {
		db := filepath.Join(dir, strconv.Itoa(n))
		if err := os.CopyFS(db, os.DirFS(damaged)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if !killSalvage(t, db, time.Duration(rng.Int64N(int64(took)))) {
				took = took/2 + 1 // on a busy machine the first salvage took longer
				break
			}
			killed++
			out, err := exec.Command("simdb", "check", "--read-only", db).CombinedOutput()
			switch {
			case err == nil:
				sound++
			case !strings.Contains(string(out), "run simdb salvage --replace"):
				t.Errorf("after a kill check says %s", out)
			}
		}
		simdbOutput(t, "salvage", "--replace", db)
		if got, _ := simdbOutput(t, "dump", db); got != want {
			t.Error("the dump is not what it was before the damage")
		}
		simdbOutput(t, "check", db)
		if _, err := os.Stat(db + ".partial"); err == nil {
			t.Error("something is left of a salvage that was killed")
		}
	}
	t.Logf("%d salvages were killed, %d of them when the new database was in place", killed, sound)
	if killed == 0 {
		t.Error("no salvage was killed")
	}
}

// killSalvage begins a salvage and kills it after some time. It returns false if the salvage
// was faster.
func killSalvage(t *testing.T, db string, after time.Duration) (killed bool) {
	t.Helper()
	cmd := exec.Command("simdb", "salvage", "--replace", db)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	kill.Stop()
	if err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("the salvage ended by itself: %v\n%s", err, &said)
	}
	return err != nil
}
