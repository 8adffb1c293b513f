package verify

// The output: one file, or a folder of parts that an interrupted run continues.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// writer writes rows by part. Parts ascend.
type writer struct {
	columns []api.Column
	format  string
	style   output.Style

	dir         string    // folder of the parts, or ""
	out         io.Writer // of the only part otherwise
	share, each int       // parts to write: share, share + each, …

	part    int // of printer
	printer output.Printer
	buffer  *bufio.Writer
	file    *os.File
}

// path returns the path of a part.
func (w *writer) path(part int) string {
	return filepath.Join(w.dir, fmt.Sprintf("part-%05d.%s", part, w.format))
}

// wants reports whether a part is to be written: it belongs to the share and is not there yet.
func (w *writer) wants(part int) bool {
	if w.dir == "" {
		return true
	}
	if part%w.each != w.share {
		return false
	}
	_, err := os.Lstat(w.path(part))
	return err != nil
}

// row writes a row.
func (w *writer) row(part int, values []any) error {
	if w.printer == nil || w.part != part {
		if err := w.end(); err != nil {
			return err
		}
		if err := w.begin(part); err != nil {
			return err
		}
	}
	return w.printer.Row(values)
}

// begin begins a part.
func (w *writer) begin(part int) (err error) {
	out := w.out
	if w.dir != "" {
		if w.file, err = os.CreateTemp(w.dir, ".part-*"); err != nil {
			return err
		}
		out = w.file
	}
	w.part, w.buffer = part, bufio.NewWriterSize(out, 64<<10)
	w.printer = output.NewPrinter(w.format, w.buffer, w.columns, w.style)
	return nil
}

// end completes the current part, if there is one, and gives it its name.
func (w *writer) end() error {
	if w.printer == nil {
		return nil
	}
	err := errors.Join(w.printer.End(), w.buffer.Flush())
	w.printer = nil
	if w.file == nil || err != nil {
		return err
	}
	f := w.file
	w.file = nil
	return finish(f, w.path(w.part))
}

// finish gives a complete file its name.
func finish(f *os.File, path string) error {
	err := errors.Join(f.Sync(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// close removes an incomplete part.
func (w *writer) close() {
	if w.file != nil {
		command.Discard(w.file)
	}
}

const manifestName = "verify.json"

// claimDir creates the folder of the parts, with a manifest of the question and the input. A folder of
// another manifest is an error, because its parts answer another question.
func (w *writer) claimDir(manifest any) error {
	want, err := json.MarshalIndent(manifest, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		return err
	}
	// Another task may create the manifest meanwhile, but no part before it: the folder is read first.
	path := filepath.Join(w.dir, manifestName)
	left, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if slices.ContainsFunc(left, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }) {
			return exit.Failf(exit.Rejected, "--out %s contains other files; name a new folder", output.EscapeControls(w.dir))
		}
		f, err := os.CreateTemp(w.dir, ".manifest-*")
		if err != nil {
			return err
		}
		if _, err := f.Write(want); err != nil {
			return errors.Join(err, command.Discard(f))
		}
		return finish(f, path)
	case err != nil:
		return err
	case string(have) != string(want):
		return exit.Failf(exit.Rejected, "--out %s holds the answer to another question, or of other files: see its %s, or name a new folder", output.EscapeControls(w.dir), manifestName)
	}
	return nil
}
