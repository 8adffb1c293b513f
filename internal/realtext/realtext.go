// Package realtext locates the real texts of tests and benchmarks: in the folder
// SIMDB_CORPORA, or in shared/corpora next to the project. Only tests import it. If they
// are missing, Lines and Files generate texts, and Path and Paper skip the test; with
// CI=true the test fails, since nobody would notice. SIMDB_CORPORA=none declares that there
// are no texts, with CI=true too. Begin with Lines.
package realtext

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
)

// Path returns the path of a corpus.
func Path(t testing.TB, name string) string {
	t.Helper()
	return find(t, filepath.Join(folder(t), name))
}

// Paper returns the path of the text of a paper, in the folder papers next to the
// corpora.
func Paper(t testing.TB, name string) string {
	t.Helper()
	return find(t, filepath.Join(filepath.Dir(folder(t)), "papers", name))
}

// folder returns the folder of the corpora, which may not exist. A test runs in the
// folder of its package, below the project. Folders in between may be modules too.
func folder(t testing.TB) string {
	t.Helper()
	switch dir := os.Getenv("SIMDB_CORPORA"); dir {
	case "":
	case "none":
		t.Skip("no real texts: SIMDB_CORPORA=none")
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

// find returns path if it exists, and else skips or fails the test.
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

// Real reports whether Lines and Files return real texts.
func Real(t testing.TB, name string) bool {
	t.Helper()
	if os.Getenv("SIMDB_CORPORA") == "none" {
		return false
	}
	_, err := os.Stat(filepath.Join(folder(t), name))
	return err == nil || os.Getenv("CI") == "true"
}

// generated returns n texts: English-like ones of 2 kB, four of ten derived from another one. Every
// fifth has further scripts and marks, and every tenth contains the one before. The name is the seed.
func generated(t testing.TB, name string, n int) (texts []string) {
	t.Helper()
	t.Logf("generated texts in place of real ones; SIMDB_CORPORA names their folder")
	seed := fnv.New64a()
	seed.Write([]byte(name))
	for i := range n {
		text := corpus.At(seed.Sum64(), i).Text
		switch {
		case i%10 == 3:
			text = texts[i-1] + "\n\n" + text
		case i > 0 && i%9 == 0: // tests that take every third or ninth text find similar ones too
			text = corpus.At(seed.Sum64(), i-9).Text + "\n\n" + text[:min(500, len(text))]
		case i%5 == 4:
			text += "\n\n§ 7: “" + scripts[i/5%len(scripts)] + "” – see <https://example.org/" + text[:3] + ">, 1,234.5 kg (a_b == c[i]);\n"
		}
		texts = append(texts, text)
	}
	return texts
}

// generatedTexts is the number of texts in place of a corpus, before every nth is taken.
const generatedTexts = 20_000

var scripts = []string{"Die Größe der Straße misst man überall gleich.", "Съешь ещё этих мягких французских булок.", "所有的文字都在这里，一句也不少。", "すべての文はここにある。", "كل النصوص هنا كاملة.", "모든 글이 여기에 있다."}

// Lines returns the texts of every nth line of a gzipped JSONL corpus.
func Lines(t testing.TB, name string, nth int) []string {
	t.Helper()
	if !Real(t, name) {
		return generated(t, name, max(generatedTexts/nth, 20))
	}
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
	if !Real(t, folder) {
		return generated(t, folder, 200)
	}
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

// Size returns the total bytes of texts.
func Size(texts []string) (n int64) {
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}
