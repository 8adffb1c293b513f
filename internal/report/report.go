// Package report builds reports of text and tables, and writes them as Markdown and CSV
// files. Evaluations and the experiments of lab/ use it. Begin with NewReport.
package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Options configures the author of a report.
type Options struct {
	Out      string                           // folder for files other than the report
	Progress func(format string, args ...any) // called for each step; nil: silent
}

// Progressf reports a step of the work to o.Progress, if set.
func (o Options) Progressf(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(format, args...)
	}
}

// Report collects results until Write stores them. It must not be used concurrently.
type Report struct {
	text   strings.Builder
	tables []Table
}

// Table is a table of a report. A table with a name is also written to Name.csv.
type Table struct {
	Name string
	Rows [][]string // the head first
}

// Markdown returns the table in Markdown.
func (t Table) Markdown() string { return markdown(t.Rows) }

// NewReport starts a report with a heading.
func NewReport(title string) *Report {
	r := &Report{}
	fmt.Fprintf(&r.text, "# %s\n", title)
	return r
}

// Printf appends a block of Markdown: a paragraph, a heading, a picture.
func (r *Report) Printf(format string, args ...any) {
	fmt.Fprintf(&r.text, "\n"+strings.TrimRight(format, "\n")+"\n", args...)
}

// Table appends a table to the report, and with a name also writes it to name.csv. All
// rows must be as long as the head.
func (r *Report) Table(name string, head []string, rows [][]string) {
	all := append([][]string{head}, rows...)
	if name != "" {
		r.tables = append(r.tables, Table{name, all})
	}
	r.text.WriteString("\n" + markdown(all))
}

// markdown formats a table, head first.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return b.String()
}

// Data writes rows to name.csv only: data too long to read, or meant for a plot.
func (r *Report) Data(name string, head []string, rows [][]string) {
	r.tables = append(r.tables, Table{name, append([][]string{head}, rows...)})
}

// Figure shows name.svg, which `make plots` draws from name.csv.
func (r *Report) Figure(name, what string) {
	r.Printf("`make plots` draws %s.csv:\n\n![%s](%s.svg)", name, what, name)
}

// Tables returns the tables so far, in order.
func (r *Report) Tables() []Table { return r.tables }

// Markdown returns the report so far.
func (r *Report) Markdown() string { return r.text.String() }

// Write stores RESULTS.md and the CSV files in a folder, which it creates.
func (r *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range r.tables {
		if err := writeFile(filepath.Join(dir, t.Name+".csv"), func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(t.Rows)
		}); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, "RESULTS.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, r.Markdown())
		return err
	})
}

// writeFile creates a file and closes it, with the first error of either.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
