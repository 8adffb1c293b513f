package maintain

// The export command writes documents as NDJSON or Parquet, which import reads back, or as Arrow.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
)

// newExport returns the export command.
func newExport() *cobra.Command {
	format := "ndjson"
	var readOnly bool
	var in []string
	cmd := &cobra.Command{
		Use:   "export [flags] DB",
		Short: "Write all documents as NDJSON, Parquet or Arrow",
		Long: `Write a line {"collection":…,"id":…,"text":…} with the metadata fields for each
document, sorted by collection and id. Import returns every document to its collection.

Bytes that are not UTF-8 become U+FFFD, because JSON cannot contain them; comparisons
use this form too. A metadata field named collection, id or text gets the prefix
"meta.". A field collection that repeats the name of the collection is left out.

With --format parquet or arrow, the columns are collection, id, text and metadata, as
JSON. Import reads such a Parquet file like the lines.

The settings of collections are not exported: pass them to import --with, or use dump
and restore.

export writes the readable part of a damaged database and ends with exit code 5.`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output.Binary(format) && output.IsTerminal(cmd.OutOrStdout()) {
				return exit.Usagef("%s is no text; send it to a file or a pipe", format)
			}
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				return Export(ctx, db, in, format, cmd.OutOrStdout(), cmd.ErrOrStderr())
			})
		},
	}
	output.FormatFlag(cmd, &format, []string{"ndjson", "parquet", "arrow"}, "")
	cmd.Flags().StringArrayVar(&in, "in", nil, "`COLLECTION` to export; may be repeated (default all)")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// Export writes the documents of the collections in, all if it is empty, to stdout. Unreadable
// documents are left out and reported by an error of code exit.Corrupt at the end.
func Export(ctx context.Context, db *simdb.DB, in []string, format string, stdout, stderr io.Writer) error {
	snapshot, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	names, err := exported(ctx, snapshot, in)
	if err != nil {
		return err
	}
	x := exporter{w: bufio.NewWriterSize(stdout, 64<<10)}
	if output.Binary(format) {
		x.columns = output.NewTyped(format, x.w, exportColumns, map[string]string{columnar.ExportKey: "metadata"})
	}
	for _, name := range names {
		if err := x.collection(ctx, snapshot, name); err != nil {
			x.w.Flush() // keep complete lines; a second error would have the same cause
			return err
		}
	}
	if x.columns != nil {
		if err := x.columns.End(); err != nil {
			return err
		}
	}
	if err := x.w.Flush(); err != nil {
		return err
	}
	if x.renamed > 0 {
		fmt.Fprintf(stderr, "warning: %s not UTF-8, so written with U+FFFD: imported again, they are other ids\n", output.Count(x.renamed, "id"))
	}
	if x.unreadable > 0 {
		return exit.Failf(exit.Corrupt, "%s cannot be read and all others are written; the first is %q: %v; go back to a backup for these",
			output.Count(x.unreadable, "document"), x.first, x.why)
	}
	return nil
}

// exporter writes documents. It skips and counts unreadable documents, so that the rest of a
// damaged database can be saved.
type exporter struct {
	w                   *bufio.Writer
	columns             output.Printer // nil for ndjson
	renamed, unreadable int64
	first               string // first unreadable id
	why                 error
}

// collection writes the documents of a collection in the order of their ids.
func (x *exporter) collection(ctx context.Context, s *simdb.Snapshot, name string) error {
	for info, err := range s.Infos(ctx, name, "") {
		if err != nil {
			return err
		}
		d, err := s.Get(ctx, name, info.ID)
		switch {
		case errors.Is(err, api.ErrCorrupt):
			if x.unreadable++; x.unreadable == 1 {
				x.first, x.why = info.ID, err
			}
			continue
		case err != nil:
			return err
		}
		if !utf8.ValidString(d.ID) {
			x.renamed++
		}
		if err := x.document(name, d); err != nil {
			return err
		}
	}
	return nil
}

// exported returns the names of the collections to export.
func exported(ctx context.Context, s *simdb.Snapshot, in []string) ([]string, error) {
	all, err := s.Collections(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range all {
		if len(in) == 0 || slices.Contains(in, c.Name) {
			names = append(names, c.Name)
		}
	}
	for _, name := range in {
		if _, err := s.Collection(name); err != nil { // docs exists implicitly
			return nil, exit.Failf(exit.Rejected, "there is no collection %q; simdb stats DB tells which there are", name)
		}
	}
	return names, nil
}

// exportColumns lists the columns of Parquet and Arrow. The last one holds all metadata, as JSON.
var exportColumns = append(query.Columns("collection", "id", "text"), api.Column{Name: "metadata", Type: api.JSONType})

// document writes a document as a line or a row.
func (x *exporter) document(collection string, d api.Document) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("document %q: %w", d.ID, err)
		}
	}()
	keys, values := exportedFields(collection, d)
	b := output.NewJSONBuffer()
	if x.columns == nil {
		if err := b.Object(keys, values); err != nil {
			return err
		}
		b.WriteByte('\n')
		_, err := x.w.Write(b.Bytes())
		return err
	}
	row := append(values[:3:3], nil)
	if len(keys) > 3 {
		if err := b.Object(keys[3:], values[3:]); err != nil {
			return err
		}
		row[3] = json.RawMessage(b.Bytes())
	}
	return x.columns.Row(row)
}

// exportedFields returns the names and values of a line.
func exportedFields(collection string, d api.Document) (keys []string, values []any) {
	keys = []string{"collection", "id", "text"}
	values = []any{collection, d.ID, d.Text}
	if d.Tokens != nil {
		keys, values = append(keys, "tokens"), append(values, listOf(d.Tokens))
	}
	for _, field := range slices.Sorted(maps.Keys(d.Meta)) {
		if field == "collection" && d.Meta[field] == collection {
			continue // a former import of an export added the field; the line has it already
		}
		keys = append(keys, exportedField(field, d.Tokens != nil))
		values = append(values, d.Meta[field])
	}
	return keys, values
}

// listOf converts tokens to a metadata list.
func listOf(tokens []string) []any {
	list := make([]any, len(tokens))
	for i, t := range tokens {
		list[i] = t
	}
	return list
}

// exportedField returns the key of a metadata field, distinct from the keys collection, id and
// text, and tokens if tokens is set. "id" becomes "meta.id" and "meta.id" becomes
// "meta.meta.id", so no two fields share a key.
func exportedField(field string, tokens bool) string {
	base := field
	for strings.HasPrefix(base, "meta.") {
		base = strings.TrimPrefix(base, "meta.")
	}
	if base == "collection" || base == "id" || base == "text" || tokens && base == "tokens" {
		return "meta." + field
	}
	return field
}
