// Package realtext finds the real texts that tests and benchmarks read: the
// folder SIMDB_CORPORA, or shared/corpora beside the project. Only tests import
// it. Where a text is missing the test is skipped, and with CI=true it fails:
// there nobody would see that it never ran. Where there are no texts, say so by
// SIMDB_CORPORA=none; then such a test is skipped with CI=true too.
package realtext

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path returns where a corpus is.
func Path(t testing.TB, name string) string {
	t.Helper()
	return find(t, filepath.Join(folder(t), name))
}

// Paper returns where the text of a paper is: in the folder papers beside that
// of the corpora.
func Paper(t testing.TB, name string) string {
	t.Helper()
	return find(t, filepath.Join(filepath.Dir(folder(t)), "papers", name))
}

// folder returns where the corpora are or should be. A test runs in the folder
// of its package, somewhere under the project's. Folders in between may be modules too.
func folder(t testing.TB) string {
	t.Helper()
	switch dir := os.Getenv("SIMDB_CORPORA"); dir {
	case "":
	case "none":
		t.Skip("real texts are left out: SIMDB_CORPORA=none")
	default:
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); dir != up; dir, up = up, filepath.Dir(up) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if words := strings.Fields(string(mod)); err == nil && len(words) > 1 && words[1] == "github.com/simdb/simdb" {
			return filepath.Join(up, "shared", "corpora")
		}
	}
	t.Fatal("no go.mod of simdb in any folder above; set SIMDB_CORPORA")
	return ""
}

// find returns path if it is there.
func find(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("real texts are missing, and with CI=true they must be there; set SIMDB_CORPORA: %v", err)
		}
		t.Skipf("real texts are missing, set SIMDB_CORPORA: %v", err)
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
