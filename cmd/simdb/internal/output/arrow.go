package output

// The format arrow: an Arrow IPC stream, which works in a pipe.

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/simdb/simdb/api"
)

// Limits of a batch, in rows and in approximate bytes.
const (
	batchRows  = 8192
	batchBytes = 8 << 20
)

type arrowWriter struct {
	w          *ipc.Writer
	b          *array.RecordBuilder
	rows, size int
}

// newArrow returns a writer of an IPC stream. notes become metadata of the schema.
func newArrow(w io.Writer, columns []api.Column, notes map[string]string) *arrowWriter {
	var fields []arrow.Field
	for _, c := range columns {
		f := arrow.Field{Name: c.Name, Type: arrowType(c.Type), Nullable: true}
		if c.Type == api.JSONType {
			f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})
		}
		fields = append(fields, f)
	}
	about := arrow.MetadataFrom(notes)
	schema := arrow.NewSchema(fields, &about)
	return &arrowWriter{w: ipc.NewWriter(w, ipc.WithSchema(schema)), b: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
}

// arrowType maps a column type to its Arrow type. JSON is a string.
func arrowType(t api.ColumnType) arrow.DataType {
	switch t {
	case api.IntegerType:
		return arrow.PrimitiveTypes.Int64
	case api.NumberType:
		return arrow.PrimitiveTypes.Float64
	case api.BooleanType:
		return arrow.FixedWidthTypes.Boolean
	}
	return arrow.BinaryTypes.String
}

func (p *arrowWriter) row(values []any) error {
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			p.b.Field(i).AppendNull()
		case string:
			p.b.Field(i).(*array.StringBuilder).Append(v)
			p.size += len(v)
		case int64:
			p.b.Field(i).(*array.Int64Builder).Append(v)
		case float64:
			p.b.Field(i).(*array.Float64Builder).Append(v)
		case bool:
			p.b.Field(i).(*array.BooleanBuilder).Append(v)
		}
	}
	if p.rows++; p.rows < batchRows && p.size < batchBytes {
		return nil
	}
	return p.flush()
}

func (p *arrowWriter) flush() error {
	batch := p.b.NewRecordBatch()
	defer batch.Release()
	p.rows, p.size = 0, 0
	return p.w.Write(batch)
}

func (p *arrowWriter) end() error {
	if err := p.flush(); err != nil {
		return err
	}
	return p.w.Close()
}
