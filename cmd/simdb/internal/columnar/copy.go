package columnar

// Copies of Parquet files without some of their rows.

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/simdb/simdb/api"
)

// Copy copies a Parquet file without the rows that stays refuses, by their numbers from 1. Columns,
// types, compression, row groups and the metadata of the file remain.
func (r Reader) Copy(ctx context.Context, to io.Writer, from io.ReaderAt, size int64, stays func(row int64) bool) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a damaged Parquet file: %v", fault)
		}
	}()
	f, err := open(from, size, cmp.Or(r.MemoryBytes, defaultMemory), api.TableFields{IDOptional: true})
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{parquet.NewSchema(f.meta.Schema[0].Name, copied{f.model.Root(), f})}
	for _, pair := range f.meta.KeyValueMetadata {
		options = append(options, parquet.KeyValueMetadata(pair.Key, pair.Value))
	}
	w := parquet.NewGenericWriter[any](to, options...)
	number := int64(0)
	for n := range f.meta.RowGroups {
		if err := f.copyGroup(ctx, w, n, func() bool { number++; return stays(number) }); err != nil {
			return fmt.Errorf("row group %d: %w", n+1, err)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return w.Close()
}

// copyGroup copies the rows of a row group of which stays returns true.
func (f *file) copyGroup(ctx context.Context, w *parquet.GenericWriter[any], group int, stays func() bool) error {
	var columns []*cells
	defer func() {
		for _, c := range columns {
			c.close()
		}
	}()
	leaves := leavesOf(f.model.Root())
	for _, leaf := range leaves {
		c, err := f.cellsOf(group, leaf)
		if err != nil {
			return fmt.Errorf("column %s: %w", name(leaf), err)
		}
		columns = append(columns, c)
	}
	var row parquet.Row
	for range f.meta.RowGroups[group].NumRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		row = row[:0]
		for i, c := range columns {
			values, err := c.row()
			if err != nil {
				return fmt.Errorf("column %s: %w", name(leaves[i]), whole(err))
			}
			row = append(row, values...)
		}
		if !stays() {
			continue
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return nil
}

// leavesOf returns the columns of values, in their order.
func leavesOf(c *parquet.Column) (leaves []*parquet.Column) {
	if c.Leaf() {
		return []*parquet.Column{c}
	}
	for _, child := range c.Columns() {
		leaves = append(leaves, leavesOf(child)...)
	}
	return leaves
}

// copied is a column of a copy.
type copied struct {
	*parquet.Column
	f *file
}

// Fields returns the columns of a group.
func (c copied) Fields() (fields []parquet.Field) {
	for _, child := range c.Columns() {
		fields = append(fields, copied{child, c.f})
	}
	return fields
}

// Type returns the type with the logical type of the file, because the library does not support all.
func (c copied) Type() parquet.Type {
	said, t := c.f.said[c.Column], c.Column.Type()
	if said.Value == nil || !c.Leaf() || t.LogicalType() != nil {
		return t
	}
	return saidType{t, said}
}

type saidType struct {
	parquet.Type
	said format.LogicalType
}

func (t saidType) LogicalType() *format.LogicalType { return &t.said }

// chunk returns the first chunk of a column; nil if there is none.
func (c copied) chunk() *format.ColumnMetaData {
	if !c.Leaf() || len(c.f.meta.RowGroups) == 0 {
		return nil
	}
	return &c.f.meta.RowGroups[0].Columns[c.Index()].MetaData
}

// Encoding returns the encoding of the values. RLE stands in the footer for levels, and is none for
// most types.
func (c copied) Encoding() encoding.Encoding {
	chunk := c.chunk()
	if chunk == nil {
		return nil
	}
	for _, e := range chunk.Encoding {
		switch e {
		case format.RLEDictionary, plainDictionary:
			return &parquet.RLEDictionary
		case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray, format.ByteStreamSplit:
			return parquet.LookupEncoding(e)
		}
	}
	return &parquet.Plain
}

// Compression returns the compression of the first chunk.
func (c copied) Compression() compress.Codec {
	if chunk := c.chunk(); chunk != nil {
		return parquet.LookupCompressionCodec(chunk.Codec)
	}
	return nil
}
