package content

// The results kept beside this file, compared with what the code gives.

import (
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/results"
)

// Paper 002, pages 24 to 27, tables 19 and 20, on other files. The results kept beside this file are those of the code as it is, all of them
// but pairs.csv, which is too long to keep.
func TestKeptResults(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the experiment: left out with -short")
	}
	loaded := t.TempDir()
	if err := (Loader{Pack: true}).Load(t.Context(), realtext.Path(t, "roth"), loaded, report.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := Results(t.Context(), loaded, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Whole); err != nil {
		t.Error(err)
	}
}
