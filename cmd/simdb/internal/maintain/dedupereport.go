package maintain

// The report of dedupe: a row for each document that goes, with the reason.

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// report writes rows to a file, in the format of its ending. A nil report writes nothing.
type report struct {
	output.Printer
	w *bufio.Writer
	f *os.File
}

// openReport creates the file of --report.
func openReport(path string, columns []api.Column) (*report, error) {
	if path == "" {
		return nil, nil
	}
	if err := command.OutsideDatabases("the report", path); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	format := "ndjson"
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ending {
	case "csv", "tsv", "json", "parquet", "arrow":
		format = ending
	}
	return &report{output.NewPrinter(format, w, columns, output.Style{}), w, f}, nil
}

// Row writes a row.
func (r *report) Row(values []any) error {
	if r == nil {
		return nil
	}
	return r.Printer.Row(values)
}

// End completes the file.
func (r *report) End() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Printer.End(), r.w.Flush(), r.f.Sync())
}

// Close closes the file.
func (r *report) Close() error {
	if r == nil {
		return nil
	}
	return r.f.Close()
}
