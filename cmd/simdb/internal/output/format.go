// Package output shows answers: rows come in, a format goes out, fitted to a terminal where
// there is one, with a pager and a line of progress. It knows no database.
package output

// The formats of an answer. Each is a printer in a file of its own.

import (
	"io"
	"iter"

	"github.com/simdb/simdb/api"
)

// Formats are the ways an answer can be written, as --format and .mode name them.
var Formats = []string{"table", "box", "line", "csv", "tsv", "json", "ndjson", "markdown", "parquet", "arrow"}

// A Printer writes one answer as a stream. Only the tables hold rows back, a
// bounded number of them, to learn how wide their columns are.
type Printer interface {
	Row(values []any) error
	End() error
}

// WriteAll writes an answer, and returns how many rows it has.
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

// WriteRows writes an answer of these rows.
func WriteRows(p Printer, rows [][]any) error {
	for _, row := range rows {
		if err := p.Row(row); err != nil {
			return err
		}
	}
	return p.End()
}

// NewPrinter returns what writes rows in a format, table if it is none of the others.
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

// HasFooter reports whether the number of rows and the notes stand below the
// rows, because people read the format. The notes of other formats go to
// standard error.
func HasFooter(format string) bool { return format == "table" || format == "box" }
