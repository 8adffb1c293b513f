package si

// This file has the combinations of method, stream, variation, k and w that the
// paper tried, and applies them to the documents.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/lab/corpora"
)

// runs are the paper's (k, w).
var runs = [][2]int{{4, 5}, {8, 12}, {16, 25}, {40, 100}}

// share is the paper's threshold of 30 %.
const shareNum, shareDen = 3, 10

// result is one combination applied to all documents.
type result struct {
	si sketch.SI
	w  int // of the run, where the method has none too
	matrix
	counts
}

// grid returns the combinations of the paper that exist, 656 with all methods.
func grid(n int, methods func(base int) bool) (all []result) {
	for stream := 0; stream <= 40; stream += 20 {
		for base := 1; base <= 14; base++ {
			for variation := byte('A'); variation <= 'D'; variation++ {
				for _, run := range runs {
					si := sketch.SI{Method: stream + base, Variation: variation, K: run[0], W: run[1], N: n}
					if methods(base) && si.Validate() == nil {
						all = append(all, result{si: si, w: run[1]})
					}
				}
			}
		}
	}
	return all
}

// apply computes the matrix of a combination.
func (r *result) apply(docs []corpora.Doc) {
	values := make([]int64, len(docs))
	names := make([]string, len(docs))
	for i, d := range docs {
		// A text without a value gets 0, as the sum of nothing, and is like none.
		values[i], _ = r.si.Value(d.Text)
		names[i] = d.ID
	}
	r.matrix = matrix{names, func(i, j int) bool { return sketch.Within(values[i], values[j], shareNum, shareDen) }}
	r.counts = r.count()
}

func applyAll(ctx context.Context, results []result, docs []corpora.Doc, o report.Options) error {
	for i := range results {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i%16 == 0 {
			o.Progressf("%d of %d: %v", i, len(results), results[i].si)
		}
		results[i].apply(docs)
	}
	return nil
}

// best returns the results with the highest scores first, equal ones in the
// order of the grid.
func best(results []result) []result {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b result) int { return b.compare(a.counts) })
	return results
}

// readDocs reads the documents at the top of a folder, READMEs left out; those
// of the zones must be among them.
func readDocs(dir string) (docs []corpora.Doc, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() == "README.md" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		docs = append(docs, corpora.Doc{ID: e.Name(), Text: string(b)})
	}
	for _, name := range slices.Concat(zones...) {
		if !slices.ContainsFunc(docs, func(d corpora.Doc) bool { return d.ID == name }) {
			return nil, fmt.Errorf("si: %s has no %s", dir, name)
		}
	}
	return docs, nil
}
