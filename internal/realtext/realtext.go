// Package realtext finds the real texts that tests and benchmarks read: the
// folder SIMDB_CORPORA, or shared/corpora beside the project. Only tests import
// it. Where the texts are missing a test is skipped, in CI it fails.
package realtext

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Path returns where a corpus is. Tests run in the folder of their package,
// which is the project's or below it.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("SIMDB_CORPORA")
	if dir == "" {
		root := "."
		for range 4 { // folders down
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Join(root, "..")
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("corpora are missing: %v", err)
		}
		t.Skipf("corpora are missing, set SIMDB_CORPORA: %v", err)
	}
	return path
}

// Lines returns the texts of every nth line of a gzipped JSONL corpus.
func Lines(t testing.TB, name string, nth int) []string {
	t.Helper()
	f, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	lines := bufio.NewScanner(zr)
	lines.Buffer(nil, 64<<20)
	for i := 0; lines.Scan(); i++ {
		if i%nth != 0 {
			continue
		}
		var doc struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, doc.Text)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// Files returns the contents of all files under a folder of the corpora.
func Files(t testing.TB, folder string) []string {
	t.Helper()
	var texts []string
	err := filepath.WalkDir(Path(t, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		texts = append(texts, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// Size is the bytes of all texts.
func Size(texts []string) (n int64) {
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}
