package torture

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/reliability.md contains the rows of the table with their counts, and the tests
// exist.
func TestRowsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rows {
		if line := fmt.Sprintf("| %s | %s | %s | %s |", r.ID, r.What, tries(r.CI), tries(r.Long)); !strings.Contains(string(page), line) {
			t.Errorf("docs/reliability.md has no line %q", line)
		}
		tests := sources(t, "../../"+r.Package)
		for name := range strings.SplitSeq(r.Test, "|") {
			if !regexp.MustCompile(`(?m)^func ` + name + `\(t \*testing\.T\)`).MatchString(tests) {
				t.Errorf("%s: %s has no test %s", r.ID, r.Package, name)
			}
		}
	}
}

// sources returns the source of all tests in a folder.
func sources(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		b, err := os.ReadFile(folder + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// tries formats a number with commas, or "all".
func tries(n int) string {
	if n == All {
		return "all"
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// SIMDB_TORTURE selects the tries of a row.
func TestTries(t *testing.T) {
	ci := 2000
	if testing.Short() {
		ci = 100
	}
	for requested, want := range map[string]int{"": 100, "ci": ci, "C1=3": ci, "long": 100000, "D1=7": 7, "C1=3 D1=all": All} {
		t.Setenv("SIMDB_TORTURE", requested)
		if got := Tries(t, "D1"); got != want {
			t.Errorf("SIMDB_TORTURE=%q: %d tries, want %d", requested, got, want)
		}
		if got := Short(); got != (want == 100) {
			t.Errorf("SIMDB_TORTURE=%q: Short() = %v", requested, got)
		}
	}
}
