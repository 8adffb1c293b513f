package sketch_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpora returns the folder of the real texts. Without it the test is
// skipped, in CI it fails.
func corpora(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("SIMDB_CORPORA")
	if dir == "" {
		dir = "../../shared/corpora" // beside the project; tests run in their package
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("corpora are missing: %v", err)
		}
		t.Skipf("skipped: corpora are missing: %v", err)
	}
	return dir
}

// jsonlTexts returns the texts of every nth line of a gzipped JSONL corpus.
func jsonlTexts(t testing.TB, name string, nth int) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(corpora(t), name))
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

func totalSize(texts []string) int64 { return int64(len(strings.Join(texts, ""))) }
