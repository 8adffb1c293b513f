// Package results compares the results that are kept in a folder with those the code
// gives now. Figures that nobody computes again go stale without a sign.
package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/report"
)

// Extent says how much of an experiment a report repeats.
type Extent bool

const (
	Part  Extent = false // some collections or rows: the kept results have these, and others
	Whole Extent = true  // everything: the kept results have nothing else
)

// Check returns an error for every line of the report that RESULTS.md and the
// CSV files of a folder lack, and if the report is whole for every line it has
// not. Times may differ: a cell that is a number with ns, µs or s is a time.
//
// Tables that the report does not repeat are compared with each other: whatever
// table stands in RESULTS.md must stand in a CSV file too.
func Check(r *report.Report, dir string, extent Extent) error {
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil {
		return err
	}
	kept, err := readTables(dir)
	if err != nil {
		return err
	}
	made := slices.DeleteFunc(slices.Clone(r.Tables()), func(t report.Table) bool { return ignored(dir, t.Name+".csv") })
	errs := compare("RESULTS.md", string(text), r.Markdown(), extent)
	for _, t := range made {
		errs = append(errs, compare(t.Name+".csv", kept[t.Name], t.Markdown(), extent)...)
	}
	inFiles := map[string]bool{}
	for _, table := range kept {
		inFiles[table] = true
	}
	for _, table := range tablesOf(string(text)) {
		if !inFiles[table] {
			head, _, _ := strings.Cut(table, "\n")
			errs = append(errs, fmt.Errorf("RESULTS.md: no CSV file has the table %s as it stands there", head))
		}
	}
	if extent == Whole && len(kept) != len(made) {
		errs = append(errs, fmt.Errorf("%d CSV files, but the report has %d tables", len(kept), len(made)))
	}
	return errors.Join(errs...)
}

// ignored reports whether .gitignore in the folder names the file: then it is
// not kept, whether or not it lies there.
func ignored(dir, name string) bool {
	list, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	return err == nil && slices.Contains(strings.Fields(string(list)), name)
}

// readTables returns the CSV files of a folder that are kept as Markdown, by name.
func readTables(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return nil, err
	}
	tables := map[string]string{}
	for _, name := range names {
		if ignored(dir, filepath.Base(name)) {
			continue
		}
		rows, err := ReadCSV(name)
		if err != nil {
			return nil, err
		}
		tables[strings.TrimSuffix(filepath.Base(name), ".csv")] = report.Table{Rows: rows}.Markdown()
	}
	return tables, nil
}

// ReadCSV returns the rows of a file, the first of which is the head.
func ReadCSV(name string) ([][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// tablesOf returns the tables of a Markdown text.
func tablesOf(text string) (tables []string) {
	inside := false
	for line := range strings.Lines(text) {
		row := strings.HasPrefix(line, "|")
		switch {
		case row && inside:
			tables[len(tables)-1] += line
		case row:
			tables = append(tables, line)
		}
		inside = row
	}
	return tables
}

// compare returns an error for every line of made that kept lacks, and if made
// is whole for every line of kept that made lacks.
func compare(name, kept, made string, extent Extent) (errs []error) {
	a, b := withoutTimes(kept), withoutTimes(made)
	for _, line := range missing(a, b) {
		errs = append(errs, fmt.Errorf("%s lacks %q, which the code gives", name, line))
	}
	if extent == Whole {
		for _, line := range missing(b, a) {
			errs = append(errs, fmt.Errorf("%s has %q, which the code does not give", name, line))
		}
	}
	return errs
}

var timeCell = regexp.MustCompile(`\| [0-9.]+ (ns|µs|s) `)

// withoutTimes returns the lines of a text with a mark in the place of times.
func withoutTimes(text string) []string {
	return strings.SplitAfter(timeCell.ReplaceAllString(text, "| time "), "\n")
}

// missing returns the lines that do not stand among all, in their order.
func missing(all, lines []string) (lost []string) {
	at := 0
	for _, line := range lines {
		next := at
		for next < len(all) && all[next] != line {
			next++
		}
		if next == len(all) {
			lost = append(lost, line)
			continue
		}
		at = next + 1
	}
	return lost
}
