package simdb_test

// The tests that docs/papers.md names are there, and what has none says why.

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var namedTest = regexp.MustCompile("`([\\w/]+)\\.(Test\\w+)`")

func TestPapersNameTests(t *testing.T) {
	page, err := os.ReadFile("docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	papers, rows, tests := 0, 0, 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## Paper 00") {
			papers++
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| page ") || strings.HasPrefix(line, "| ---") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "¦"), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("docs/papers.md: want page, printed, what simdb gives and test: %s", line)
			continue
		}
		rows++
		for i, what := range []string{"page", "value printed", "value of simdb", "test and no reason"} {
			if strings.TrimSpace(cells[i]) == "" {
				t.Errorf("docs/papers.md has no %s: %s", what, line)
			}
		}
		for _, m := range namedTest.FindAllStringSubmatch(cells[3], -1) {
			if tests++; !hasTest(t, m[1], m[2]) {
				t.Errorf("docs/papers.md names %s.%s, which is not there", m[1], m[2])
			}
		}
		if strings.Contains(cells[3], ".Test") && !namedTest.MatchString(cells[3]) {
			t.Errorf("docs/papers.md: a test is named as `folder.TestName`: %s", cells[3])
		}
	}
	if papers != 5 || rows < 80 || tests < rows {
		t.Errorf("docs/papers.md has %d papers, %d rows and %d tests: too few", papers, rows, tests)
	}
}

// hasTest looks for a test in the test files of a folder; simdb is the folder of this file.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	if folder == "simdb" {
		folder = "."
	}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains("\n"+string(source), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
