//go:build unix

package main

// Pairs by stages over files equal the pairs of one database, on real texts and after kills.

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/torture"
)

// scalePartsOf writes every nth line of a corpus as files of records: two that are
// compressed, two that are not.
func scalePartsOf(t *testing.T, name string, nth int) (parts []string) {
	t.Helper()
	var kept []string
	for i, text := range realtext.Lines(t, name, nth) {
		line, err := json.Marshal(map[string]string{"id": fmt.Sprintf("d%06d", i), "text": text})
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, string(line)+"\n")
	}
	dir := t.TempDir()
	for i := range 4 {
		text := strings.Join(kept[len(kept)*i/4:len(kept)*(i+1)/4], "")
		path := filepath.Join(dir, fmt.Sprintf("part-%d.jsonl", i))
		if i%2 == 1 {
			path += ".gz"
		}
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		var w io.WriteCloser = out
		if i%2 == 1 {
			w, _ = gzip.NewWriterLevel(out, gzip.BestSpeed)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		w.Close()
		out.Close()
		parts = append(parts, path)
	}
	return parts
}

// The rows are, byte for byte, those of one database. Some of the texts are enough where
// characters cost most.
func TestScaleGivesTheRowsOfOneDatabase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		corpus, unit string
		nth          int
		sims         []string
	}{
		{"nsf.jsonl.gz", "word", 1, []string{"0.9", "0.8", "0.5"}},
		{"linuxdoc.jsonl.gz", "word", 1, []string{"0.9", "0.8", "0.5"}},
		{"nsf.jsonl.gz", "char", 2, []string{"0.9", "0.8", "0.5"}},
		{"linuxdoc.jsonl.gz", "char", 8, []string{"0.9", "0.8", "0.5"}},
	} {
		tt.nth *= torture.Few(10, 1) // a tenth of the texts
		parts := scalePartsOf(t, tt.corpus, tt.nth)
		db := filepath.Join(t.TempDir(), "db")
		simdbOutput(t, append([]string{"import", "--quiet", "--with", "unit = '" + tt.unit + "'", db}, parts...)...)
		for _, sim := range tt.sims[torture.Few(2, 0):] {
			want, _ := simdbOutput(t, "query", "--format", "ndjson", db, "SIMILAR PAIRS WHERE sim >= "+sim)
			if want == "" {
				t.Fatalf("%s has no pairs at %s", tt.corpus, sim)
			}
			work := filepath.Join(t.TempDir(), "work")
			simdbOutput(t, append([]string{"scale", "run", "--unit", tt.unit, "--sim", sim, work}, parts...)...)
			got, _ := simdbOutput(t, "scale", "collect", "--format", "ndjson", work)
			if got != want {
				t.Errorf("%s by %s at %s: %d rows, want those of the database, which are %d", tt.corpus, tt.unit, sim, strings.Count(got, "\n"), strings.Count(want, "\n"))
			}
		}
		if tt.unit == "word" {
			want, _ := simdbOutput(t, "query", "--format", "csv", db, "CLUSTERS WHERE sim >= 0.8")
			work := filepath.Join(t.TempDir(), "work")
			simdbOutput(t, "scale", "run", "--sim", "0.8", work, db) // a database as input
			if got, _ := simdbOutput(t, "scale", "collect", "--clusters", "--format", "csv", work); got != want {
				t.Errorf("%s: other groups than those of the database", tt.corpus)
			}
		}
	}
}

// TestScaleKilled kills runs and single tasks half-way, at random moments, and repeats
// them. The rows are those of a run that was left alone.
func TestScaleKilled(t *testing.T) {
	t.Parallel()
	parts := scalePartsOf(t, "nsf.jsonl.gz", 2)
	work := filepath.Join(t.TempDir(), "whole")
	simdbOutput(t, append([]string{"scale", "run", work}, parts...)...)
	want, _ := simdbOutput(t, "scale", "collect", work)

	r := rand.New(rand.NewPCG(1, 19))
	killed := 0
	interrupt := func(args ...string) {
		cmd := exec.Command("simdb", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(r.IntN(300))*time.Millisecond, func() { cmd.Process.Kill() })
		if cmd.Wait() != nil {
			killed++
		}
	}
	work = filepath.Join(t.TempDir(), "run")
	simdbOutput(t, append([]string{"scale", "plan", work}, parts...)...)
	tries := torture.Tries(t, "W2") // a third of runs, the others of tasks
	for range (tries + 2) / 3 {
		interrupt("scale", "run", "--quiet", work)
	}
	simdbOutput(t, "scale", "run", work)
	if got, _ := simdbOutput(t, "scale", "collect", work); got != want {
		t.Error("a run that was killed gives other rows")
	}

	work = filepath.Join(t.TempDir(), "tasks")
	simdbOutput(t, append([]string{"scale", "plan", work}, parts...)...)
	for _, stage := range []string{"analyse", "order", "deal", "join"} {
		for range (tries*2/3 + 3) / 4 {
			interrupt("scale", stage, "--task", "1/2", work)
		}
		for _, share := range []string{"2/2", "1/2"} {
			simdbOutput(t, "scale", stage, "--task", share, work)
		}
	}
	if got, _ := simdbOutput(t, "scale", "collect", work); got != want {
		t.Error("tasks that were killed give other rows")
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	torture.Report(t, "W2", killed)
}

// Parts of a large Parquet file read each row once, in stages and in databases. The file is large by a
// hole before the footer.
func TestScaleDividesParquet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, large, work := filepath.Join(dir, "db"), filepath.Join(dir, "large.parquet"), filepath.Join(dir, "work")
	simdbOutput(t, append([]string{"import", "--quiet", db}, scalePartsOf(t, "nsf.jsonl.gz", 20)...)...)
	want, _ := simdbOutput(t, "query", "--format", "ndjson", db, "SIMILAR PAIRS WHERE sim >= 0.3")
	documents, _ := simdbOutput(t, "query", "--format", "tsv", db, "SELECT count(*) FROM docs")
	table, _ := simdbOutput(t, "export", "--format", "parquet", db)
	footer := len(table) - 8 - int(binary.LittleEndian.Uint32([]byte(table[len(table)-8:])))
	if err := os.WriteFile(large, []byte(table[:footer]), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(large, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(table[footer:]), 130<<20); err != nil {
		t.Fatal(err)
	}
	simdbOutput(t, "scale", "run", "--quiet", "--sim", "0.3", work, large)
	if parts, err := filepath.Glob(filepath.Join(work, "analyse", "*.json")); err != nil || len(parts) != 3 {
		t.Errorf("%d parts, %v, want 3", len(parts), err)
	}
	if got, _ := simdbOutput(t, "scale", "collect", work); got != want || want == "" {
		t.Errorf("%d rows, want the %d of one database", strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
	_, said := simdbOutput(t, "import", "--scale", work, filepath.Join(dir, "shards"))
	if n := strings.Fields(documents)[1]; !strings.HasPrefix(strings.ReplaceAll(said, ",", ""), "imported "+n+" documents into 3 databases") {
		t.Errorf("%s, want %s documents in 3 databases", said, n)
	}
}
