package main

// Containers with little memory: the default of --memory follows their limit, and the commands that
// write and join stay below it.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/torture"
)

// The system ends a process that exceeds the limit of its control group; Go cannot catch that.
func TestContainers(t *testing.T) {
	if torture.Short() {
		t.Skip("the row M1 has an import of 200 MB in each of three containers: SIMDB_TORTURE=ci")
	}
	texts := filepath.Join(t.TempDir(), "texts.jsonl")
	writeTexts(t, texts, 200_000_000)
	containers := 0
	for _, mib := range []int64{64, 128, 256} {
		for _, memory := range []string{"", "--memory=256MiB"} {
			name := fmt.Sprintf("%d MiB %s", mib, memory)
			run, limit := container(t, mib<<20)
			db := filepath.Join(t.TempDir(), "m.simdb")
			for _, args := range [][]string{
				{"import", "--quiet", db, texts},
				{"query", "--format", "csv", db, "SIMILAR PAIRS WHERE sim >= 0.8 RETURNING count(*)"},
				{"query", "--format", "csv", db, "COMPACT"},
			} {
				if memory != "" {
					args = append(args, memory)
				}
				stderr, err := run(args...)
				if err != nil {
					t.Errorf("%s: %s: %v: %s", name, args[0], err, stderr)
				}
				if capped := strings.Contains(stderr, "exceeds the memory"); capped != (memory != "") {
					t.Errorf("%s: %s: %q", name, args[0], stderr)
				}
				t.Logf("%s: %v peaks at %d MiB", name, args[0], limit()>>20)
			}
			containers++
		}
	}
	torture.Report(t, "M1", containers)
}

// writeTexts writes about so many bytes of generated documents.
func writeTexts(t *testing.T, path string, bytes int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	lines := json.NewEncoder(w)
	for i, n := 0, 0; n < bytes; i++ {
		d := corpus.At(1, i)
		n += len(d.Text)
		if err := lines.Encode(map[string]string{"id": d.ID, "text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// container makes a control group with a limit of memory. run runs the command in it, and peak returns
// the most memory that the group has used, files in the cache included.
func container(t *testing.T, limit int64) (run func(args ...string) (stderr string, err error), peak func() int64) {
	t.Helper()
	root, limits, peaks := "/sys/fs/cgroup", "memory.max", "memory.peak" // of version 2
	if controllers, err := os.ReadFile(root + "/cgroup.subtree_control"); err != nil || !strings.Contains(string(controllers), "memory") {
		root, limits, peaks = root+"/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes" // of version 1
	}
	group, err := os.MkdirTemp(root, "simdb-test-")
	if err != nil {
		t.Skipf("this machine lets the test make no control group: %v", err)
	}
	t.Cleanup(func() { os.Remove(group) })
	if err := os.WriteFile(filepath.Join(group, limits), []byte(strconv.FormatInt(limit, 10)), 0o644); err != nil {
		t.Skipf("this machine lets the test limit no memory: %v", err)
	}
	run = func(args ...string) (string, error) {
		var stderr strings.Builder
		cmd := exec.Command("sh", append([]string{"-c", `echo $$ > "$0" && exec simdb "$@"`, filepath.Join(group, "cgroup.procs")}, args...)...)
		cmd.Stderr = &stderr
		err := cmd.Run()
		return stderr.String(), err
	}
	return run, func() int64 {
		b, _ := os.ReadFile(filepath.Join(group, peaks)) // version 2 has it since Linux 5.19
		n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		return n
	}
}
