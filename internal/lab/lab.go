// Package lab is what the experiments of the papers share: a report that becomes
// Markdown and CSV, progress on a terminal, and the reading of corpora. It
// knows no experiment.
package lab

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Options are what every experiment takes.
type Options struct {
	Out      string                           // folder for the texts that an experiment keeps
	Progress func(format string, args ...any) // called for each step; nil means silence
}

// Progressf tells how far an experiment has come.
func (o Options) Progressf(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(format, args...)
	}
}

// Report collects the results of one experiment. Write stores it.
type Report struct {
	text   strings.Builder
	tables []table
}

type table struct {
	name string
	rows [][]string // the head first
}

// NewReport starts a report with a heading.
func NewReport(title string) *Report {
	r := &Report{}
	fmt.Fprintf(&r.text, "# %s\n", title)
	return r
}

// Printf adds Markdown: a paragraph, a heading, a picture. It begins a new block.
func (r *Report) Printf(format string, args ...any) {
	fmt.Fprintf(&r.text, "\n"+strings.TrimRight(format, "\n")+"\n", args...)
}

// Table adds a table to the report, and unless the name is empty as name.csv
// beside it. All rows are as long as the head.
func (r *Report) Table(name string, head []string, rows [][]string) {
	all := append([][]string{head}, rows...)
	if name != "" {
		r.tables = append(r.tables, table{name, all})
	}
	r.text.WriteString("\n" + markdown(all))
}

// markdown writes a table, the head first.
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

// Data adds rows as name.csv only: what is too long to read, or meant for a plot.
func (r *Report) Data(name string, head []string, rows [][]string) {
	r.tables = append(r.tables, table{name, append([][]string{head}, rows...)})
}

// Figure shows name.svg, which `make plots` draws of name.csv.
func (r *Report) Figure(name, what string) {
	r.Printf("`make plots` draws %s.csv:\n\n![%s](%s.svg)", name, what, name)
}

// Markdown returns the report so far.
func (r *Report) Markdown() string { return r.text.String() }

// Write stores RESULTS.md and the CSV files in a folder, which is made.
func (r *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range r.tables {
		if err := writeFile(filepath.Join(dir, t.name+".csv"), func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(t.rows)
		}); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, "RESULTS.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, r.Markdown())
		return err
	})
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
