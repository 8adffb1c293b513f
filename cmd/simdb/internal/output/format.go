// Package output formats answers for programs and people: ten formats, tables fitted to the
// terminal, a pager and a progress line. It does not depend on a database.
//
// Formats for programs contain complete values. Formats for people escape control characters, so
// that stored texts and names cannot control the terminal. Begin reading at Printer.
package output

// The formats of answers. Each printer has its own file.

import (
	"io"
	"iter"

	"github.com/simdb/simdb/api"
)

// Formats lists the formats of answers, by their names in --format and .mode.
var Formats = []string{"table", "box", "line", "csv", "tsv", "json", "ndjson", "markdown", "parquet", "arrow"}

// A Printer writes one answer as a stream. Tables and typed formats hold back a bounded number of
// rows, to determine the widths or the types of columns. A Printer is not safe for concurrent use.
type Printer interface {
	Row(values []any) error
	End() error
}

// WriteAll writes the rows of an answer, ends it, and returns the number of rows. It stops at the
// first error.
func WriteAll[R ~[]any](p Printer, rows iter.Seq2[R, error]) (n int64, err error) {
	for row, err := range rows {
		if err == nil {
			err = p.Row(row)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, p.End()
}

// WriteRows writes rows as an answer, and ends it.
func WriteRows(p Printer, rows [][]any) error {
	for _, row := range rows {
		if err := p.Row(row); err != nil {
			return err
		}
	}
	return p.End()
}

// NewPrinter returns a printer for a format. An unknown format counts as table.
func NewPrinter(format string, w io.Writer, described []api.Column, s Style) Printer {
	columns := make([]string, len(described))
	for i, c := range described {
		columns[i] = c.Name
	}
	switch format {
	case "box":
		return newTable(w, columns, boxRules, s)
	case "line":
		return newLines(w, columns)
	case "csv":
		return newCSV(w, columns)
	case "tsv":
		return &tsvPrinter{w: w, columns: columns}
	case "json":
		return &jsonPrinter{w: w, columns: columns, b: NewJSONBuffer(), array: true}
	case "ndjson":
		return &jsonPrinter{w: w, columns: columns, b: NewJSONBuffer()}
	case "parquet", "arrow":
		return newTyped(format, w, described)
	case "markdown":
		return newTable(w, columns, markdownRules, Style{})
	default:
		return newTable(w, columns, plainRules, s)
	}
}

// HasFooter reports whether the number of rows and the notes go below the rows. Other formats omit
// the number, and their notes go to standard error.
func HasFooter(format string) bool { return format == "table" || format == "box" }
