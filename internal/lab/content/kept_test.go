package content

// The results kept beside this file, compared with what the code gives.

import (
	"testing"

	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/realtext"
)

// Paper 002, pages 24 to 27, tables 19 and 20, on other files. The results kept beside this file are those of the code as it is, all of them
// but pairs.csv, which is too long to keep.
func TestKeptResults(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the experiment: left out with -short")
	}
	loaded := t.TempDir()
	if err := (Loader{Pack: true}).Load(t.Context(), realtext.Path(t, "roth"), loaded, lab.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := Results(t.Context(), loaded, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check("../../../bench/content", lab.Whole); err != nil {
		t.Error(err)
	}
}
