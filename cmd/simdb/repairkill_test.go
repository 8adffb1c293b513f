//go:build unix

package main

// Repairs that are killed: no document is lost, and the next repair ends what was begun.

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

// TestKilledRepair kills simdb check --repair of a damaged database at any moment, up to
// three times in a row, and lets it end then: the documents are what they were (durability C3).
func TestKilledRepair(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input, damaged := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "damaged")
	writeCorpus(t, input)
	simdbOutput(t, "import", "--quiet", damaged, input)
	want, _ := simdbOutput(t, "dump", damaged)
	if err := spoil(damaged, byte(storekeys.Set)); err != nil {
		t.Fatal(err)
	}
	took := time.Second // of a repair, roughly
	stores := torture.Few(2, 3)
	rng := rand.New(rand.NewPCG(1, 31))
	killed, half := 0, 0
	for n := range stores {
		db := filepath.Join(dir, strconv.Itoa(n))
		if err := os.CopyFS(db, os.DirFS(damaged)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if !killRepair(t, db, time.Duration(rng.Int64N(int64(took)))) {
				break
			}
			killed++
			// Who only reads finds the damage as it was, a whole database, or half a repair.
			out, err := exec.Command("simdb", "check", "--read-only", db).CombinedOutput()
			if err != nil && strings.Contains(string(out), "a repair of the store has not ended") {
				half++
			}
		}
		began := time.Now()
		simdbOutput(t, "check", "--repair", db)
		took = time.Since(began)
		if got, _ := simdbOutput(t, "dump", db); got != want {
			t.Error("the dump is not what it was before the damage")
		}
	}
	t.Logf("%d repairs were killed, %d of them when everything derived was cleared", killed, half)
	if killed == 0 {
		t.Error("no repair was killed")
	}
}

// killRepair begins a repair, or goes on with one, and kills it after some time. It returns
// false if the repair was faster.
func killRepair(t *testing.T, db string, after time.Duration) (killed bool) {
	t.Helper()
	cmd := exec.Command("simdb", "check", "--repair", db)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	kill.Stop()
	if err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("the repair ended by itself: %v\n%s", err, &said)
	}
	return err != nil
}
