package maintain

// dedupe of files: what stays, in the format of the input.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/query"
)

// fallenColumns are the columns of the report about files.
var fallenColumns = query.Columns("id", "place", "keeper", "keeper_place", "sim", "shared", "union")

// originalID is the metadata field with the id of a document, whose id in the temporary database is
// its number. So documents with equal ids do not replace each other.
const originalID = "id"

// thinning is a dedupe of files.
type thinning struct {
	deduping
	*session.Session
	options ingest.Options
	tables  columnar.Reader
	spool   string // folder of a copy of standard input
	reports *load.Reports
	sources []*source
	texts   []place // by number
	gone    int64
	rejects int64
}

// place is the origin of a document: a file, and the number of its unit.
type place struct {
	source *source
	unit   int
}

// String returns the place of a record as FILE:LINE, and that of a text as FILE.
func (p place) String() string {
	if line := p.source.units[p.unit].line; line > 0 {
		return fmt.Sprintf("%s:%d", p.source.name, line)
	}
	return p.source.name
}

// source is a file of the input.
type source struct {
	path   string
	name   string // for messages: that of standard input is stdin
	kind   string // as ingest detects it
	tables columnar.Reader
	as     fs.FileInfo // when it was read; nil if the path names no file, as in an archive
	units  []unit      // documents and rejects
	goes   int
}

// unit is a document or a reject. Its line is a row in Parquet, and 0 for a whole file.
type unit struct {
	line   int64
	record int64 // number of a document, 0 for a reject
	goes   bool
}

// dedupeFiles writes the input without its duplicates.
func dedupeFiles(ctx context.Context, cmd *cobra.Command, d deduping, format string, paths []string) (err error) {
	min, settings, err := d.ofFiles(cmd)
	if err != nil {
		return err
	}
	if err := apart(paths); err != nil {
		return err
	}
	if d.out != "" { // first, so that a wrong one costs no time
		if err := newPlace("what stays", "file or folder", d.out); err != nil {
			return err
		}
		if err := command.Writable("--out", d.out, paths); err != nil {
			return err
		}
	}
	dir, err := command.TempDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for i, path := range paths {
		if path == "-" { // it is read twice
			paths[i] = filepath.Join(dir, "stdin")
			if err := spool(paths[i], cmd.InOrStdin()); err != nil {
				return command.InTempDir(err)
			}
		}
	}
	db, err := simdb.OpenContext(ctx, filepath.Join(dir, "files.simdb"), &simdb.Options{MaxDocBytes: command.MaxDoc, MemoryBytes: command.MemoryOf(cmd), Logger: command.Warnings()})
	if err != nil {
		return command.InTempDir(err)
	}
	defer command.CloseInto(db, &err)
	t := thinning{deduping: d, Session: session.New(cmd, db, format), spool: dir + string(filepath.Separator), tables: columnar.Reader{MemoryBytes: command.MemoryOf(cmd)}}
	ctx, t.Waiting = output.WaitFor(ctx, t.Stderr)
	defer t.Waiting.Stop()
	t.reports = load.NewReports(t.Stderr)
	t.options = ingest.Options{IDField: d.IDField, TextField: d.TextField, MaxDocBytes: command.MaxDoc,
		Renderer: load.NewRenderer(command.MaxDoc), Metadata: []string{}, Tables: t.tables}
	if err := ingest.CheckFields(t.options); err != nil {
		return exit.Usagef("%v", err)
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		return command.InTempDir(err)
	}
	if err := db.Load(ctx, t.read(ctx, paths), nil); err != nil {
		return command.InTempDir(err)
	}
	t.reports.Summary()
	write := func(context.Context) error { return nil }
	if !d.dryRun {
		if write, err = t.writer(cmd, paths); err != nil { // before the search, so that a wrong --out costs no time
			return err
		}
	}
	if err := t.decide(ctx, min); err != nil {
		return err
	}
	if err := write(ctx); err != nil {
		return err
	}
	return t.verdict()
}

// ofFiles validates the flags for files.
func (d deduping) ofFiles(cmd *cobra.Command) (min api.Threshold, settings api.Settings, err error) {
	switch {
	case d.delete:
		err = exit.Usagef("--delete is for a database: files are never changed; --out FILE writes what stays")
	case len(d.in) > 0:
		err = exit.Usagef("--in is for a database: files have no collections")
	case d.keep == "shortest-id":
		err = exit.Usagef("--keep shortest-id is for a database; use first, newest or longest")
	case cmd.Flags().Changed("format") && !d.dryRun:
		err = exit.Usagef("--format is for the rows of --dry-run; what stays has the format of the input")
	}
	if err != nil {
		return min, settings, err
	}
	if min, err = api.ParseThreshold(d.sim); err != nil {
		return min, settings, exit.Usagef("--sim: %v", err)
	}
	if d.With != "" {
		if settings, err = query.ParseSettings(d.With); err != nil {
			return min, settings, exit.Usagef("--with %s: %v", d.With, err)
		}
	}
	return min, settings, nil
}

// apart rejects a path that is named twice, or lies in a folder that is named too: its documents would
// be duplicates of themselves.
func apart(paths []string) error {
	named := map[string]bool{}
	for _, path := range paths {
		whole, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if named[whole] {
			return exit.Usagef("%s is named twice", output.EscapeControls(path))
		}
		named[whole] = true
	}
	for whole := range named {
		for folder := filepath.Dir(whole); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
			if named[folder] {
				return exit.Usagef("%s is named twice, by itself and with its folder", output.EscapeControls(whole))
			}
		}
	}
	return nil
}

// spool copies standard input to a file.
func spool(path string, in io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}

// read yields the documents of the input under their numbers.
func (t *thinning) read(ctx context.Context, paths []string) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		known := map[string]*source{}
		of := func(path, kind string) *source {
			s := known[path]
			if s == nil {
				s = &source{path: path, name: strings.TrimPrefix(path, t.spool), tables: t.tables}
				s.as, _ = os.Stat(path)
				known[path] = s
				t.sources = append(t.sources, s)
			}
			s.kind = cmp.Or(s.kind, kind)
			return s
		}
		for b, err := range ingest.Read(ctx, paths, t.options) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, f := range b.Files {
				if f.Kind != "" || isRegular(f.File) { // what stays has no links, devices and the like
					of(f.File, f.Kind)
				}
			}
			batch := new(simdb.Batch)
			for _, d := range b.Docs {
				s := of(d.Source, "")
				batch.Put(api.Document{ID: numbered(len(t.texts)), Text: d.Text, Meta: api.Meta{originalID: d.ID}})
				t.texts = append(t.texts, place{s, len(s.units)})
				s.units = append(s.units, unit{line: d.Line, record: d.Record})
			}
			for _, r := range b.Rejects {
				t.rejects++
				t.reports.Reject(r)
				if s := known[r.Source]; s != nil {
					s.units = append(s.units, unit{line: r.Line})
				}
			}
			if !yield(batch, nil) {
				return
			}
		}
		if len(paths) == 1 && len(t.sources) == 0 && isRegular(paths[0]) { // a file without records stays as it is
			of(paths[0], "")
		}
	}
}

// isRegular reports whether a path names a regular file, not a link to one.
func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// numbered returns the id of a document in the temporary database; ids sort like numbers.
func numbered(n int) string { return fmt.Sprintf("%012d", n) }

// decide marks the documents that go, and reports them.
func (t *thinning) decide(ctx context.Context, min api.Threshold) (err error) {
	snap, err := t.DB.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	report, err := openReport(t.report, fallenColumns)
	if err != nil {
		return err
	}
	defer command.CloseInto(report, &err)
	var shown output.Printer
	if t.dryRun {
		shown = output.NewPrinter(t.Format, t.Out, fallenColumns, t.Style)
	}
	for row, err := range snap.Dedupe(ctx, api.Keep(t.keep), t.deduping.options(min)...) {
		if err != nil {
			return err
		}
		if row.Keep {
			continue
		}
		id, from, err := t.origin(ctx, snap, row.ID)
		if err != nil {
			return err
		}
		keeper, of, err := t.origin(ctx, snap, row.Like)
		if err != nil {
			return err
		}
		from.source.units[from.unit].goes = true
		from.source.goes++
		t.gone++
		cells := []any{id, from.String(), keeper, of.String(), row.Sim, row.Shared, row.Union}
		err = report.Row(cells)
		if shown != nil {
			err = errors.Join(err, shown.Row(cells))
		}
		if err != nil {
			return err
		}
	}
	if shown != nil {
		if err := errors.Join(shown.End(), t.Out.Flush()); err != nil {
			return err
		}
	}
	return report.End()
}

// origin returns the id and the place of a document of the temporary database.
func (t *thinning) origin(ctx context.Context, snap *simdb.Snapshot, number string) (id string, p place, err error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", p, err
	}
	info, err := snap.Info(ctx, api.DefaultCollection, number)
	if err != nil {
		return "", p, err
	}
	id, _ = info.Meta[originalID].(string)
	return id, t.texts[n], nil
}

// verdict prints the counts, and returns an error of code exit.Incomplete if input was rejected.
func (t *thinning) verdict() error {
	t.Waiting.Stop()
	all := int64(len(t.texts))
	fmt.Fprintf(t.Stderr, "%s of %s kept, %s left out\n", output.Thousands(all-t.gone), output.Count(all, "document"), output.Thousands(t.gone))
	if t.rejects == 0 {
		return nil
	}
	return exit.Failf(exit.Incomplete, "%s rejected, named above: nothing was compared with them; records and files among them stay", output.Count(t.rejects, "input"))
}
