// Package torture says how often the tests of durability try what they try. It holds one
// table: a row for each test, with the tries of CI and those of a long run. Which of them a
// test makes is told by SIMDB_TORTURE:
//
//	(unset)          a twentieth of the column CI, and so with go test -short
//	ci               the column CI
//	long             the column long
//	'D1=500 C1=all'  CI, but these rows with so many
//
// The tests ask Tries, and tell by Report how many they made. Tests without a row, of which
// some seeds are enough for a start, ask Short or Few. bench/torture runs the long column from the
// same table. Only tests and bench/torture import this package.
package torture

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Row is a test and how often it tries.
type Row struct {
	ID      string // as in docs/reliability.md
	What    string // is tried
	Package string // of the test, below the module
	Test    string // its name
	CI      int
	Long    int // All: whatever there is
}

// All are as many tries as a test can make.
const All = math.MaxInt32

// Tries returns how many tries the test of a row makes now.
func Tries(t testing.TB, id string) int {
	t.Helper()
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("torture has no row %s", id)
	}
	asked := os.Getenv("SIMDB_TORTURE")
	if asked == "long" {
		return Rows[i].Long
	}
	for word := range strings.FieldsSeq(asked) {
		row, n, _ := strings.Cut(word, "=")
		if row != id {
			continue
		}
		if n == "all" {
			return All
		}
		tries, err := strconv.Atoi(n)
		if err != nil || tries < 1 {
			t.Fatalf("SIMDB_TORTURE: want a number or all behind %s=, found %q", id, n)
		}
		return tries
	}
	if Short() {
		return max(1, Rows[i].CI/20)
	}
	return Rows[i].CI
}

// Short says whether tests take few seeds: where nobody asked for more than go test ./...,
// which has to end within minutes.
func Short() bool { return testing.Short() || os.Getenv("SIMDB_TORTURE") == "" }

// Few returns few where Short says so, and else all: of sizes, seeds and rounds.
func Few(few, all int) int {
	if Short() {
		return few
	}
	return all
}

// Report prints how many tries a test made; bench/torture reads it.
func Report(t testing.TB, id string, tries int) {
	t.Helper()
	t.Logf("%s%s %d", Mark, id, tries)
}

// Mark begins what Report writes.
const Mark = "torture: "
