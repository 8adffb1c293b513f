//go:build unix

package main

// Databases of the parts of a work directory answer as one database, on real texts, after kills.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/internal/torture"
)

// The last part repeats documents of the first, so some have to go from there.
func TestImportScaleKilled(t *testing.T) {
	t.Parallel()
	parts := scalePartsOf(t, "nsf.jsonl.gz", 6)
	first, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(first), "\n")
	again := filepath.Join(t.TempDir(), "again.jsonl")
	if err := os.WriteFile(again, []byte(strings.Join(lines[:100], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	parts = append(parts, again)
	db, work, shards := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "work"), filepath.Join(t.TempDir(), "shards")
	simdbOutput(t, append([]string{"import", "--quiet", db}, parts...)...)
	simdbOutput(t, append([]string{"scale", "plan", work}, parts...)...)

	r := rand.New(rand.NewPCG(62, 1))
	killed := 0
	for range torture.Few(3, 6) {
		cmd := exec.Command("simdb", "import", "--quiet", "--resume", "--scale", work, shards)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(20+r.IntN(600))*time.Millisecond, func() { cmd.Process.Kill() })
		if cmd.Wait() != nil {
			killed++
		}
	}
	simdbOutput(t, "import", "--resume", "--scale", work, shards)
	if killed == 0 {
		t.Error("nothing was killed")
	}
	stores, err := filepath.Glob(filepath.Join(shards, "shard-*.simdb"))
	if err != nil || len(stores) != len(parts) {
		t.Fatalf("databases %q, %v, want %d", stores, err, len(parts))
	}
	all, _ := simdbOutput(t, "query", "--format", "ndjson", db, "SELECT id FROM docs")
	ids := strings.Split(strings.TrimSpace(all), "\n")
	have := 0
	for _, s := range stores {
		out, _ := simdbOutput(t, "query", "--format", "ndjson", s, "SELECT id FROM docs")
		have += strings.Count(out, "\n")
	}
	if have != len(ids) {
		t.Errorf("%d documents in %d databases, want %d", have, len(stores), len(ids))
	}
	var script strings.Builder
	asked := torture.Few(10, 40)
	for range asked {
		id := strings.TrimSuffix(strings.TrimPrefix(ids[r.IntN(len(ids))], `{"id":"`), `"}`)
		fmt.Fprintf(&script, "SIMILAR TO '%s' WHERE sim >= 0.3 RETURNING id, sim, shared, union; SIMILAR TO '%s' NEAREST 7 RETURNING id, sim, shared, union;", id, id)
	}
	want, _ := simdbOutput(t, "query", "--format", "ndjson", db, script.String())
	got, _ := simdbOutput(t, append(append([]string{"query", "--format", "ndjson"}, stores...), script.String())...)
	if got != want || strings.Count(want, "\n") < asked*7 {
		t.Errorf("several databases give %d rows, one gives %d", strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
}
