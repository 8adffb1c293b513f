package main

// The formats of an answer. Each is a printer in a file of its own.

import (
	"io"
	"slices"
	"strings"
)

// formats are the ways an answer can be written, as --format and .mode name them.
var formats = []string{"table", "box", "line", "csv", "tsv", "json", "ndjson", "markdown"}

func validFormat(name string) error {
	if slices.Contains(formats, name) {
		return nil
	}
	return usagef("unknown format %q; use one of %s", name, strings.Join(formats, ", "))
}

// A printer writes one answer as a stream. Only the tables hold rows back, a
// bounded number of them, to learn how wide their columns are.
type printer interface {
	row(values []any) error
	end() error
}

func newPrinter(format string, w io.Writer, columns []string, s style) printer {
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
		return &jsonPrinter{w: w, columns: columns, b: newJSONBuffer(), array: true}
	case "ndjson":
		return &jsonPrinter{w: w, columns: columns, b: newJSONBuffer()}
	case "markdown":
		return newTable(w, columns, markdownRules, style{})
	default:
		return newTable(w, columns, plainRules, s)
	}
}

// hasFooter reports whether the number of rows and the notes stand below the
// rows, because people read the format. The notes of other formats go to
// standard error.
func hasFooter(format string) bool { return format == "table" || format == "box" }
