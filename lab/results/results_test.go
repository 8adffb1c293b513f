package results_test

// This test changes kept results by hand and expects that each change is told.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/results"
)

// sheep is a report with a time, of all folds or of the first.
func sheep(time string, folds int) *report.Report {
	r := report.NewReport("Sheep")
	r.Printf("Counted by hand.")
	r.Table("folds", []string{"fold", "sheep", "took"}, [][]string{{"north", "7", time}, {"south", "9", time}}[:folds])
	r.Data("raw", []string{"sheep"}, [][]string{{"7"}, {"9"}}[:folds])
	r.Data("huge", []string{"sheep"}, [][]string{{time}})
	return r
}

// Whatever is changed by hand is told, but for times and what is not kept.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, old, changed string
		whole, part        string // what the error says, "" for none
	}{
		{name: "RESULTS.md"},
		{"RESULTS.md", "| north | 7 |", "| north | 8 |", "RESULTS.md lacks \"| north | 7 | time |", "RESULTS.md lacks \"| north | 7 | time |"},
		{"RESULTS.md", "| 9 |", "| 8 |", "RESULTS.md has \"| south | 8 | time |", "no CSV file has the table | fold | sheep | took |"},
		{"RESULTS.md", "by hand", "by a dog", "RESULTS.md lacks \"Counted by hand.", "RESULTS.md lacks \"Counted by hand."},
		{"RESULTS.md", "by hand.", "by hand.\n\nThere were more.", "RESULTS.md has \"There were more.", ""},
		{"RESULTS.md", "| 7 | 1.5 s |", "| 7 | 9.5 s |", "no CSV file has the table", "no CSV file has the table"},
		{"folds.csv", "north,7", "north,8", "folds.csv lacks \"| north | 7", "folds.csv lacks \"| north | 7"},
		{"folds.csv", "south,9", "south,8", "folds.csv has \"| south | 8", "no CSV file has the table"},
		{"raw.csv", "7", "8", "raw.csv lacks \"| 7", "raw.csv lacks \"| 7"},
		{"raw.csv", "9", "8", "raw.csv has \"| 8", ""},
		{"huge.csv", "1.5 s", "8", "", ""},
		{"more.csv", "", "sheep\n3\n", "3 CSV files", ""},
	} {
		dir := t.TempDir()
		if err := sheep("1.5 s", 2).Write(dir); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, c.name)
		text, err := os.ReadFile(name)
		if err != nil && c.old != "" || !strings.Contains(string(text), c.old) {
			t.Fatalf("%s: no %q to change, %v", c.name, c.old, err)
		}
		for name, text := range map[string]string{name: strings.Replace(string(text), c.old, c.changed, 1), filepath.Join(dir, ".gitignore"): "huge.csv\n"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, extent := range []results.Extent{results.Whole, results.Part} {
			r, want := sheep("20 ns", 2), c.whole
			if extent == results.Part {
				r, want = sheep("20 ns", 1), c.part
			}
			err := results.Check(r, dir, extent)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %q for %q, whole %v: %v, want %q", c.name, c.changed, c.old, extent, err, want)
			}
		}
	}
	if err := results.Check(sheep("1 s", 1), t.TempDir(), results.Part); err == nil {
		t.Error("a folder without results: no error")
	}
}
