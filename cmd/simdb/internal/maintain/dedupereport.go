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
	w     *bufio.Writer
	f     *os.File
	ended bool
}

// openReport creates the file of --report.
func openReport(path string, columns []api.Column) (*report, error) {
	if path == "" {
		return nil, nil
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
	return &report{Printer: output.NewPrinter(format, w, columns, output.Style{}), w: w, f: f}, nil
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
	err := errors.Join(r.Printer.End(), r.w.Flush(), r.f.Sync())
	r.ended = err == nil
	return err
}

// Close closes the file. It removes a file that End did not complete.
func (r *report) Close() error {
	if r == nil {
		return nil
	}
	if !r.ended {
		return command.Discard(r.f)
	}
	return r.f.Close()
}
