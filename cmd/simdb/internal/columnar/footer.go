package columnar

// The footer of a Parquet file: its columns and the places of their pages.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/simdb/simdb/api"
)

// file is an open Parquet file with the selected columns.
type file struct {
	in     io.ReaderAt
	size   int64
	meta   format.FileMetaData
	model  *parquet.File // the same columns without compression, since this package unpacks pages
	said   map[*parquet.Column]format.LogicalType
	most   int64   // size limit of a page, in bytes
	fields []*node // selected columns
	leaves []*parquet.Column
	maxRow rowLimit
	splice string // metadata column of a simdb export, to be spliced into the row
}

// ExportKey is the key in the metadata of a file with which simdb export marks its metadata column.
const ExportKey = "simdb.metadata"

const magicBytes = 4

// maxGroupRows limits the declared rows of a row group, beyond any real file.
const maxGroupRows = 1 << 40

// itemBytes is the approximate memory per list element of a decoded footer.
const itemBytes = 600

// open reads the footer and selects the columns of want. The file ends with the footer, its length and
// the magic. memory is the budget in bytes.
func open(in io.ReaderAt, size, memory int64, want api.TableFields) (f *file, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the footer is damaged: %v", p)
		}
	}()
	const tail = 4 + magicBytes
	if size < magicBytes+tail {
		return nil, fmt.Errorf("a Parquet file of %d bytes is not whole", size)
	}
	end := make([]byte, tail)
	if _, err := in.ReadAt(end, size-tail); err != nil && err != io.EOF {
		return nil, err
	}
	if string(end[4:]) == "PARE" {
		return nil, errors.New("encrypted Parquet; decrypt it first")
	}
	if string(end[4:]) != "PAR1" {
		return nil, errors.New("no Parquet footer at its end; is the file cut off?")
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if length > size-magicBytes-tail || length > memory/2 {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d is damaged, or more than half of --memory", length, size)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, size-tail-length); err != nil {
		return nil, err
	}
	_, items, err := walkThrift(footer)
	if err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	if int64(items)*itemBytes > memory {
		return nil, fmt.Errorf("a footer with %d entries takes more than --memory", items)
	}
	f = &file{in: in, size: size, most: memory / 2, maxRow: rowLimit(want.MaxBytes)}
	if err := decodeThrift(footer, &f.meta); err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	if err := f.modelColumns(); err != nil {
		return nil, err
	}
	return f, f.choose(want)
}

// decodeThrift decodes a validated Thrift structure.
func decodeThrift(b []byte, into any) error {
	var compact thrift.CompactProtocol
	return thrift.NewDecoder(compact.NewReaderFromBytes(b)).Decode(into)
}

// modelColumns creates an empty file with the same columns in memory, through which the library decodes
// pages that this package has validated and unpacked.
func (f *file) modelColumns() error {
	if err := checkDepth(f.meta.Schema); err != nil {
		return err
	}
	model := format.FileMetaData{Version: 1, Schema: f.meta.Schema}
	var group format.RowGroup
	for _, s := range f.meta.Schema {
		if s.Type.Valid {
			chunk := format.ColumnChunk{}
			chunk.MetaData.Type = s.Type.V
			chunk.MetaData.DataPageOffset, chunk.MetaData.TotalCompressedSize = magicBytes, 1<<62
			group.Columns = append(group.Columns, chunk)
		}
	}
	model.RowGroups = append(model.RowGroups, group)
	for i, g := range f.meta.RowGroups {
		if len(g.Columns) != len(group.Columns) || g.NumRows < 0 || g.NumRows > maxGroupRows {
			return fmt.Errorf("the footer is damaged: row group %d has %d columns and %d rows, the file %d columns", i+1, len(g.Columns), g.NumRows, len(group.Columns))
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &model)
	if err != nil {
		return err
	}
	b := append([]byte("PAR1"), footer...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), "PAR1"...)
	f.model, err = parquet.OpenFile(bytes.NewReader(b), int64(len(b)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("the footer is damaged: %w", err)
	}
	f.said = map[*parquet.Column]format.LogicalType{}
	f.hear(f.model.Root(), 0)
	return nil
}

// hear reads the logical types of the columns from the schema, in its order, because the library does
// not support all of them.
func (f *file) hear(c *parquet.Column, at int) int {
	f.said[c] = f.meta.Schema[at].LogicalType
	at++
	for _, child := range c.Columns() {
		at = f.hear(child, at)
	}
	return at
}

// maxDepth limits the nesting of columns, into which the library recurses.
const maxDepth = 64

// checkDepth rejects a schema that nests deeper than maxDepth, or has inconsistent child counts.
func checkDepth(schema []format.SchemaElement) error {
	var open []int32 // remaining children of each open group
	for _, s := range schema {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if s.Type.Valid {
			continue
		}
		if open = append(open, s.NumChildren.V); len(open) > maxDepth || s.NumChildren.V < 0 {
			return fmt.Errorf("columns are nested more than %d deep, or the footer is damaged", maxDepth)
		}
	}
	return nil
}

// choose selects the columns to read.
func (f *file) choose(want api.TableFields) error {
	for _, kv := range f.meta.KeyValueMetadata {
		if kv.Key == ExportKey {
			f.splice = kv.Value
		}
	}
	var names []string
	for _, c := range f.model.Root().Columns() {
		names = append(names, c.Name())
		if wanted(c.Name(), want, f.splice) {
			f.fields = append(f.fields, f.node(c))
		}
	}
	return missingColumn(names, want, f.splice)
}

// wanted reports whether to read a column. exported is the metadata column of a simdb export.
func wanted(name string, want api.TableFields, exported string) bool {
	return exported != "" || want.Metadata == nil || slices.Contains(want.Metadata, name) || slices.ContainsFunc(append(slices.Clone(want.Text), want.ID), begins(name))
}

// missingColumn returns the error for the first requested column that the file lacks, or nil.
func missingColumn(names []string, want api.TableFields, exported string) error {
	if exported != "" {
		return nil
	}
	wanted := slices.Clone(want.Metadata)
	if !want.IDOptional && want.ID != "" {
		wanted = append(wanted, want.ID)
	}
	if len(want.Text) == 1 {
		wanted = append(wanted, want.Text...)
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(names, func(column string) bool { return begins(column)(name) }) {
			return fmt.Errorf("no column %q; the columns are %s; --id-field, --text-field and --metadata name others", name, listed(names))
		}
	}
	return nil
}

// begins returns a predicate for fields that are the column, or a path into it.
func begins(column string) func(field string) bool {
	return func(field string) bool {
		rest, ok := strings.CutPrefix(field, column)
		return ok && (rest == "" || rest[0] == '.' || strings.HasPrefix(rest, "[]"))
	}
}

// listed joins the first names, with the number of the others.
func listed(names []string) string {
	const most = 40
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("%.80q", names) + more
}

// name returns the quoted path of a column.
func name(c *parquet.Column) string { return fmt.Sprintf("%.200q", strings.Join(c.Path(), ".")) }
