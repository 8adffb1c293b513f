package halves

// These tests repeat a part of the kept results.

import (
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/internal/evaluate"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/lab/results"
)

// What is kept of the sets that take seconds is what the code gives; by default, of the
// smallest.
func TestKeptResults(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats a part of the experiment: left out with -short")
	}
	dir := filepath.Dir(realtext.Path(t, "nsf.jsonl.gz"))
	sets := []func(string) (evaluate.Labelled, error){families, works}
	r, err := run(t.Context(), dir, sets[torture.Few(1, 0):], report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Part); err != nil {
		t.Error(err)
	}
}

// Every set names documents that it has, and each query has an answer.
func TestSetsAreWhole(t *testing.T) {
	dir := filepath.Dir(realtext.Path(t, "nsf.jsonl.gz"))
	for _, maker := range makers {
		set, err := maker(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Check(); err != nil {
			t.Error(err)
		}
		if set.Rows() < 100 {
			t.Errorf("%s has %d rows", set.Name, set.Rows())
		}
	}
}
