// Package torture defines the number of tries of the durability tests. It holds one
// table: a row per test, with the tries of CI and of a long run. SIMDB_TORTURE selects
// between them:
//
//	(unset)          a twentieth of the column CI, as with go test -short
//	ci               the column CI
//	long             the column long
//	'D1=500 C1=all'  CI, with these numbers for these rows
//
// A test reads its number with Tries and prints the tries made with Report. Tests
// without a row that can begin with few seeds use Short or Few. bench/torture runs the
// column long from the same table. Only tests and bench/torture import this package.
// Begin with Rows.
package torture

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Row is a test with its numbers of tries.
type Row struct {
	ID      string // as in docs/reliability.md
	What    string // the subject of a try, a noun phrase
	Package string // package of the test, relative to the module
	Test    string // names of the test functions, separated by |
	CI      int
	Long    int // All: as many as there are
}

// All means as many tries as a test can make.
const All = math.MaxInt32

// Tries returns the number of tries of the test of a row in this run.
func Tries(t testing.TB, id string) int {
	t.Helper()
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("torture has no row %s", id)
	}
	requested := os.Getenv("SIMDB_TORTURE")
	if requested == "long" {
		return Rows[i].Long
	}
	for word := range strings.FieldsSeq(requested) {
		row, n, _ := strings.Cut(word, "=")
		if row != id {
			continue
		}
		if n == "all" {
			return All
		}
		tries, err := strconv.Atoi(n)
		if err != nil || tries < 1 {
			t.Fatalf("SIMDB_TORTURE: want a number or all after %s=, found %q", id, n)
		}
		return tries
	}
	if Short() {
		return max(1, Rows[i].CI/20)
	}
	return Rows[i].CI
}

// Short reports whether tests should use few seeds: unless SIMDB_TORTURE requests more
// than a plain go test ./..., which has to end within minutes.
func Short() bool { return testing.Short() || os.Getenv("SIMDB_TORTURE") == "" }

// Few returns few if Short, else all: numbers of sizes, seeds or rounds.
func Few(few, all int) int {
	if Short() {
		return few
	}
	return all
}

// Report prints the number of tries that a test made, for bench/torture.
func Report(t testing.TB, id string, tries int) {
	t.Helper()
	t.Logf("%s%s %d", Mark, id, tries)
}

// Mark is the prefix of the lines of Report.
const Mark = "torture: "
