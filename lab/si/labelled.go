package si

// This file applies the grid to texts that the paper does not have: a larger
// collection, as it wished for. Labels say which of them should be alike.

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/lab/corpora"
	"github.com/simdb/simdb/lab/results"
)

// mostDocs bounds the time: 656 indexes of each text.
const mostDocs = 2000

// isPaper reports whether a folder has the documents of the paper's zones.
func isPaper(dir string) bool {
	return !slices.ContainsFunc(slices.Concat(zones...), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}

// labelled is the report on the texts of a folder or of a file of JSON lines. Of
// two texts with equal labels each is expected to be alike the other. The label of
// a line is its field "label"; that of a file is in labels.csv at the top of the
// folder, and without that file the folder that it lies in.
func labelled(ctx context.Context, from string, o report.Options, methods func(base int) bool) (*report.Report, error) {
	docs, err := readLabelled(from)
	if err != nil {
		return nil, err
	}
	all := grid(sketch.DefaultN, methods)
	made := make([]tally, len(all))
	for i := range all {
		o.Progressf("%d of %d: %v", i, len(all), all[i].si)
		if made[i], err = tallied(ctx, all[i].si, docs); err != nil {
			return nil, err
		}
	}
	sizes := map[corpora.Label]int{}
	for _, d := range docs {
		sizes[d.Label]++
	}
	expected := 0
	for label, n := range sizes {
		if label != "" {
			expected += n * (n - 1)
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return made[b].compare(made[a].counts) })
	head := []string{"index", "w of the run", "false positives", "false negatives", "correct", "score", "precision", "recall", "texts without an index"}
	var rows [][]string
	above := 0
	for _, i := range order {
		t := made[i]
		rows = append(rows, []string{all[i].si.String(), fmt.Sprint(all[i].w), fmt.Sprint(t.falsePositives), fmt.Sprint(t.falseNegatives), fmt.Sprint(t.correct), t.score(),
			share(t.correct, t.correct+t.falsePositives), share(t.correct, t.correct+t.falseNegatives), fmt.Sprint(t.without)})
		if t.above1() {
			above++
		}
	}
	r := report.NewReport("The similarity index on labelled texts")
	r.Printf("%d documents with %d labels. Two are alike where the index of the second lies strictly within ±30 %% of the first's. They should be where "+
		"their labels are equal: in %d cells of the matrix, beside the diagonal, which is not counted here. A score is correct / (false negatives + false positives), "+
		"as in paper 000. Of %d combinations %d have a score above 1.", len(docs), labels(sizes), expected, len(all), above)
	r.Printf("A text without an index is like none. It has fewer than k tokens, or none of its hashes was selected. By method 14, whose time grows with the " +
		"square of the length, a text of more than 131,072 k-grams has none.")
	r.Printf("## The best ten")
	r.Table("", head, rows[:min(10, len(rows))])
	r.Data("grid", head, rows)
	return r, nil
}

func labels(sizes map[corpora.Label]int) (n int) {
	for label := range sizes {
		if label != "" {
			n++
		}
	}
	return n
}

func share(part, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(all))
}

// A tally is the counts of a combination, and how many texts have no index by it.
type tally struct {
	counts
	without int
}

// tallied applies a combination, and counts the cells of the matrix that are not
// in its diagonal.
func tallied(ctx context.Context, si sketch.SI, docs []corpora.Doc) (t tally, err error) {
	values := make([]int64, len(docs))
	has := make([]bool, len(docs))
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if values[i], has[i] = si.Value(d.Text); !has[i] {
			t.without++
		}
	}
	for i, a := range docs {
		for j, b := range docs {
			alike := has[i] && has[j] && sketch.Within(values[i], values[j], shareNum, shareDen)
			switch expected := a.Label != "" && a.Label == b.Label; {
			case i == j:
			case expected && alike:
				t.correct++
			case expected:
				t.falseNegatives++
			case alike:
				t.falsePositives++
			}
		}
	}
	return t, nil
}

// readLabelled reads the texts of a folder or a file, with their labels.
func readLabelled(from string) (docs []corpora.Doc, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		docs, err = readFolder(from)
	} else {
		docs, err = corpora.ReadJSONL(from, 0)
	}
	if err != nil {
		return nil, err
	}
	if len(docs) > mostDocs {
		return nil, fmt.Errorf("si: %s has %d texts; %d are the most, so name a part of them", from, len(docs), mostDocs)
	}
	seen := map[corpora.Label]bool{}
	for _, d := range docs {
		if d.Label != "" && seen[d.Label] {
			return docs, nil
		}
		seen[d.Label] = true
	}
	return nil, fmt.Errorf(`si: no two texts of %s have the same label; write labels as the field "label" of JSON lines, as lines id,label in labels.csv at the top of a folder, or put texts that are alike into one folder below it`, from)
}

// labelFile has the labels of the files of a folder.
const labelFile = "labels.csv"

func readFolder(dir string) (docs []corpora.Doc, err error) {
	given := map[string]corpora.Label{}
	rows, err := results.ReadCSV(filepath.Join(dir, labelFile))
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		given = nil
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("si: %w; want lines id,label", err)
	case err != nil:
		return nil, err
	}
	for n, row := range rows {
		if len(row) != 2 {
			return nil, fmt.Errorf("si: %s: line %d has %d columns; want id,label", filepath.Join(dir, labelFile), n+1, len(row))
		}
		given[row[0]] = corpora.Label(row[1])
	}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "README") || name == filepath.Join(dir, labelFile) {
			return err
		}
		if len(docs) > mostDocs {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		d := corpora.Doc{ID: filepath.ToSlash(rel), Text: string(b)}
		if given != nil {
			d.Label = given[d.ID]
		} else if folder := filepath.ToSlash(filepath.Dir(rel)); folder != "." {
			d.Label = corpora.Label(folder)
		}
		docs = append(docs, d)
		return nil
	})
	return docs, err
}
