package main

// The memory of an import and of all pairs stays within --memory.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/simdb/simdb/internal/corpus"
)

// A command takes no more than --memory and 64 MiB, mapped files aside.
func TestMemory(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("pages of memory are larger on other machines")
	}
	dir := t.TempDir()
	texts := filepath.Join(dir, "texts.jsonl")
	file, err := os.Create(texts)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	lines := json.NewEncoder(w)
	for i := range 30_000 {
		d := corpus.At(1, i)
		if err := lines.Encode(map[string]string{"id": d.ID, "text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	const setting, beside = 32, 64 // MiB
	db := filepath.Join(dir, "m.simdb")
	for _, args := range [][]string{
		{"import", "--quiet", db, texts},
		{"query", "--format", "csv", db, "EXPLAIN ANALYZE SIMILAR PAIRS WHERE sim >= 0.8"},
	} {
		if peak := peakOf(t, append(args, fmt.Sprintf("--memory=%dMiB", setting))...); peak > setting+beside {
			t.Errorf("%s took %d MiB at --memory %dMiB, want %d at most", args[0], peak, setting, setting+beside)
		}
	}
}

// peakOf runs the command, and looks 200 times a second at how much memory of its own it
// has, in MiB.
func peakOf(t *testing.T, args ...string) (peak int64) {
	t.Helper()
	cmd := exec.Command("simdb", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for looks := 0; ; looks++ {
		select {
		case err := <-ended:
			if err != nil || looks == 0 {
				t.Fatalf("%v after %d looks\n%s", err, looks, out.Bytes())
			}
			return peak >> 10
		case <-time.After(5 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if _, line, ok := bytes.Cut(status, []byte("RssAnon:")); ok {
			kilobytes, err := strconv.ParseInt(string(bytes.Fields(line)[0]), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			peak = max(peak, kilobytes)
		}
	}
}
