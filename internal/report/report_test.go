package report_test

// Writing a report.

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/internal/report"
)

func TestReport(t *testing.T) {
	r := report.NewReport("Roses")
	r.Printf("Some %d of them.", 2)
	r.Table("colours", []string{"rose", "is"}, [][]string{{"a|b", "red"}})
	r.Data("raw", []string{"x"}, [][]string{{"1"}})
	r.Figure("raw", "Thorns")
	dir := filepath.Join(t.TempDir(), "out")
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"RESULTS.md":  "# Roses\n\nSome 2 of them.\n\n| rose | is |\n| --- | --- |\n| a\\|b | red |\n\n`make plots` draws raw.csv:\n\n![Thorns](raw.svg)\n",
		"colours.csv": "rose,is\na|b,red\n",
		"raw.csv":     "x\n1\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
}
