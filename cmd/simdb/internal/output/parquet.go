package output

// The format parquet, compressed with Zstandard, in row groups of about 32 MiB.

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/simdb/simdb/api"
)

// groupBytes is the approximate size of the values of a row group.
const groupBytes = 32 << 20

type parquetWriter struct {
	w    *parquet.GenericWriter[any]
	line parquet.Row
	size int
}

// orderedGroup is a group with fields in the order of the columns; parquet.Group sorts by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

func (f field) Value(base reflect.Value) reflect.Value {
	return base.MapIndex(reflect.ValueOf(f.name))
}

// newParquet returns a writer of a file. notes become metadata of the file.
func newParquet(w io.Writer, columns []api.Column, notes map[string]string) *parquetWriter {
	g := orderedGroup{Group: parquet.Group{}}
	for _, c := range columns {
		node := parquet.Optional(parquetType(c.Type))
		g.Group[c.Name] = node
		g.fields = append(g.fields, field{node, c.Name})
	}
	options := []parquet.WriterOption{parquet.NewSchema("simdb", g), parquet.Compression(&parquet.Zstd)}
	for name, note := range notes {
		options = append(options, parquet.KeyValueMetadata(name, note))
	}
	return &parquetWriter{w: parquet.NewGenericWriter[any](w, options...)}
}

// parquetType maps a column type to its Parquet node. All columns are optional, for NULL.
func parquetType(t api.ColumnType) parquet.Node {
	switch t {
	case api.JSONType:
		return parquet.JSON()
	case api.IntegerType:
		return parquet.Int(64)
	case api.NumberType:
		return parquet.Leaf(parquet.DoubleType)
	case api.BooleanType:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.String()
}

func (p *parquetWriter) row(values []any) error {
	p.line = p.line[:0]
	for i, v := range values {
		value, there := parquet.NullValue(), 1
		switch v := v.(type) {
		case nil:
			there = 0
		case string:
			value = parquet.ByteArrayValue([]byte(v))
			p.size += len(v)
		case int64:
			value = parquet.Int64Value(v)
		case float64:
			value = parquet.DoubleValue(v)
		case bool:
			value = parquet.BooleanValue(v)
		}
		p.size += 8
		p.line = append(p.line, value.Level(0, there, i))
	}
	if _, err := p.w.WriteRows([]parquet.Row{p.line}); err != nil {
		return err
	}
	if p.size < groupBytes {
		return nil
	}
	p.size = 0
	return p.w.Flush()
}

func (p *parquetWriter) end() error { return p.w.Close() }
