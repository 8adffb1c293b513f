package si

// These tests count the tables that the paper prints, which must give its
// scores, and check the kept results against the code.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/lab/results"
)

// paperMatrix is a matrix with the zones that the paper prints, a diagonal of
// ones, and ones in the first cells elsewhere for its false positives.
func paperMatrix(c candidate) matrix {
	m := matrix{names: append(slices.Concat(zones...), "a", "b", "c", "d")}
	ones := map[[2]int]bool{}
	left := c.counts.falsePositives
	for i, a := range m.names {
		for j, b := range m.names {
			one := i == j
			for z, names := range zones {
				if x, y := slices.Index(names, a), slices.Index(names, b); x >= 0 && y >= 0 {
					one = c.zones[z][x][y] == '1'
				}
			}
			if !one && !sameZone(a, b) && left > 0 {
				one = true
				left--
			}
			ones[[2]int{i, j}] = one
		}
	}
	m.like = func(i, j int) bool { return ones[[2]int{i, j}] }
	return m
}

// Paper 000, pages 12 to 16: counting the printed zones of tables 10 to 24 gives table 9, page 11.
func TestCountAsThePaper(t *testing.T) {
	for _, c := range candidates {
		m := paperMatrix(c)
		if got := m.count(); got != c.counts || got.score() != c.score {
			t.Errorf("%s: count = %+v, score %s, want %+v, score %s", c.si, got, got.score(), c.counts, c.score)
		}
		if n := c.counts.correct + c.counts.falseNegatives; n != 45 {
			t.Errorf("%s: %d cells are expected to be 1, want 45", c.si, n)
		}
		for z := range zones {
			if got := m.zone(z); !slices.Equal(got, c.zones[z]) {
				t.Errorf("%s: zone %d = %q, want %q", c.si, z, got, c.zones[z])
			}
		}
	}
	// The paper says of these two that their zones are as expected.
	for _, i := range []int{0, 3} {
		if got := paperMatrix(candidates[i]).asExpected(); got != zoneCells {
			t.Errorf("%s: %d zone cells as expected, want all %d", candidates[i].si, got, zoneCells)
		}
	}
	if got := paperMatrix(candidates[2]).asExpected(); got != zoneCells-3 {
		t.Errorf("%s: %d zone cells as expected, want all but 3", candidates[2].si, got)
	}
}

func TestScore(t *testing.T) {
	for c, want := range map[counts]string{
		{35, 10, 0}: "3.50", {40, 5, 14}: "2.11", {35, 10, 8}: "1.94", {45, 0, 0}: "∞", {0, 45, 0}: "0.00", {1, 8, 0}: "0.13",
	} {
		if got := c.score(); got != want {
			t.Errorf("score of %+v = %s, want %s", c, got, want)
		}
	}
	if (counts{20, 20, 0}).above1() || !(counts{21, 20, 0}).above1() {
		t.Error("above1 is not strict")
	}
	if (counts{35, 10, 0}).compare(counts{40, 5, 14}) <= 0 || (counts{45, 0, 0}).compare(counts{44, 1, 0}) <= 0 || (counts{20, 10, 0}).compare(counts{40, 5, 15}) != 0 {
		t.Error("compare does not follow the scores")
	}
}

// Paper 000, pages 8, 9 and 11: 672 combinations, less those of method 13 on characters.
func TestGrid(t *testing.T) {
	all := grid(400, func(int) bool { return true })
	if len(all) != paperRuns-paperMissing {
		t.Errorf("the grid has %d combinations, want %d", len(all), paperRuns-paperMissing)
	}
	names := map[string]bool{}
	for _, a := range all {
		names[fmt.Sprint(a.si, a.si.K, a.w)] = true
		if err := a.si.Validate(); err != nil {
			t.Errorf("%v: %v", a.si, err)
		}
	}
	if len(names) != len(all) {
		t.Errorf("the grid has %d different combinations of %d", len(names), len(all))
	}
}

func TestMostOften(t *testing.T) {
	var results []result
	for _, method := range []int{3, 43, 23, 1, 41, 7, 27, 5} {
		r := result{}
		r.si.Method = method
		results = append(results, r)
	}
	for n, want := range map[int]string{1: "3 (3)", 2: "3 (3), 1 (2), 7 (2)", 4: "3 (3), 1 (2), 7 (2), 5 (1)"} {
		if got := mostOften(results, n); got != want {
			t.Errorf("mostOften(…, %d) = %q, want %q", n, got, want)
		}
	}
	if got := mostOften(nil, 3); got != "none" {
		t.Errorf("mostOften(nil, 3) = %q, want none", got)
	}
}

// writeDocs makes a folder with the documents' names and short texts.
func writeDocs(t *testing.T, names []string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		text := strings.Repeat(fmt.Sprintf("Text %d has words of its own and some more words. ", i/3), 10+i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := writeDocs(t, append(slices.Concat(zones...), "other.txt", "README.md"))
	out := filepath.Join(t.TempDir(), "out")
	var o report.Options
	steps := 0
	o.Progress = func(string, ...any) { steps++ }
	if r, err := Run(t.Context(), dir, o); err != nil || r.Write(out) != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"12 documents.", "| combinations | 672 | 656 | differs |", "| m43b k40 | 0 |", "| m3b k16 | usDOI.txt | 1 0 1 |"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the report has no %q", want)
		}
	}
	if steps == 0 {
		t.Error("no progress")
	}
	if rows, err := results.ReadCSV(filepath.Join(out, "grid.csv")); err != nil || len(rows) != 1+656 {
		t.Errorf("grid.csv has %d lines, want 657", len(rows))
	}
}

func TestRunFails(t *testing.T) {
	var o report.Options
	if _, err := Run(t.Context(), writeDocs(t, zones[0]), o); err == nil || !strings.Contains(err.Error(), "have the same label") {
		t.Errorf("Run without labels = %v", err)
	}
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "nowhere"), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Run on no folder = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, writeDocs(t, slices.Concat(zones...)), o); !errors.Is(err, context.Canceled) {
		t.Errorf("Run after its end = %v", err)
	}
}

// Paper 000, pages 10 to 17, tables 6 to 24 and figure 3, on the texts of here. The results that are kept are those of the code as it is, all of them.
// By default a seventh of the combinations is tried, and what all have made is not judged.
func TestKeptResults(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the experiment: left out with -short")
	}
	if torture.Short() {
		docs, err := readDocs(realtext.Path(t, "roth"))
		if err != nil {
			t.Fatal(err)
		}
		some := grid(sketch.DefaultN, func(base int) bool { return base%7 == 3 })
		if err := applyAll(t.Context(), some, docs, report.Options{}); err != nil {
			t.Fatal(err)
		}
		r := report.NewReport("The similarity index, paper 000")
		r.Data("grid", gridHead, gridRows(some))
		if err := results.Check(r, ".", results.Part); err != nil {
			t.Error(err)
		}
		return
	}
	r, err := reportOf(t.Context(), realtext.Path(t, "roth"), report.Options{}, func(int) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Whole); err != nil {
		t.Error(err)
	}
}

// Every index that is not 0 is near itself: of the real texts, by every
// twentieth combination but those of method 14, which is slow.
func TestLikeThemselves(t *testing.T) {
	docs, err := readDocs(realtext.Path(t, "roth"))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != 15 {
		t.Errorf("%d documents, want 15", len(docs))
	}
	all := grid(400, func(base int) bool { return base != 14 })
	for i := 0; i < len(all); i += 20 {
		all[i].apply(docs)
		for z, names := range zones {
			for x := range names {
				if all[i].zone(z)[x][x] == '0' && all[i].si.Method%20 != 3 && all[i].si.Method%20 != 4 {
					t.Errorf("%v: %s is not like itself", all[i].si, names[x])
				}
			}
		}
	}
}
