package columnar

// Conversion of Arrow values to JSON, in the forms of Parquet values.

import (
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// arrowValue appends a value other than NULL of an extension type. It is nil for other types.
type arrowValue func(b, raw []byte) ([]byte, error)

// writerOfArrow returns the arrowValue of a field, by its extension type.
func writerOfArrow(f arrow.Field) arrowValue {
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	switch name {
	case "arrow.json":
		return appendJSONBytes
	case "arrow.uuid":
		return appendUUIDBytes
	}
	return nil
}

// arrow appends a value, or null.
func (l rowLimit) arrow(b []byte, a arrow.Array, i int, write arrowValue) (_ []byte, err error) {
	if err := l.check(b); err != nil {
		return nil, err
	}
	if a.IsNull(i) {
		return append(b, "null"...), nil
	}
	switch a := a.(type) {
	case *array.Null:
		return append(b, "null"...), nil
	case array.ExtensionArray:
		return l.arrow(b, a.Storage(), i, write)
	case *array.Dictionary:
		return l.arrow(b, a.Dictionary(), a.GetValueIndex(i), write)
	case *array.DenseUnion:
		return l.arrow(b, a.Field(a.ChildID(i)), int(a.ValueOffset(i)), nil)
	case *array.SparseUnion:
		return l.arrow(b, a.Field(a.ChildID(i)), i, nil)
	case *array.RunEndEncoded:
		return l.arrow(b, a.Values(), a.GetPhysicalIndex(i), write)
	case array.StringLike:
		return l.bytes(b, []byte(a.Value(i)), write)
	case interface{ Value(int) []byte }:
		return l.bytes(b, a.Value(i), write)
	case *array.Map:
		return l.arrowMap(b, a, i)
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		b = append(b, '[')
		for at := from; at < to; at++ {
			if at > from {
				b = append(b, ',')
			}
			if b, err = l.arrow(b, a.ListValues(), int(at), nil); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case *array.Struct:
		b = append(b, '{')
		for n, f := range a.DataType().(*arrow.StructType).Fields() {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, []byte(f.Name)), ':')
			if b, err = l.arrow(b, a.Field(n), i, writerOfArrow(f)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return appendArrowNumber(b, a, i)
}

// bytes appends a binary value, by write if it is set, within the limit.
func (l rowLimit) bytes(b, raw []byte, write arrowValue) ([]byte, error) {
	switch {
	case int64(len(raw)) > int64(l):
		return nil, l
	case write != nil:
		return write(b, raw)
	case !utf8.Valid(raw):
		return nil, errUTF8
	}
	return appendString(b, raw), nil
}

// arrowMap appends a map as an object. Keys other than strings are converted to strings.
func (l rowLimit) arrowMap(b []byte, a *array.Map, i int) (_ []byte, err error) {
	from, to := a.ValueOffsets(i)
	b = append(b, '{')
	for at := from; at < to; at++ {
		if at > from {
			b = append(b, ',')
		}
		key, err := l.arrow(nil, a.Keys(), int(at), nil)
		if err != nil {
			return nil, err
		}
		if key[0] != '"' {
			key = appendString(nil, key)
		}
		if b, err = l.arrow(append(append(b, key...), ':'), a.Items(), int(at), nil); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendArrowNumber appends a number, or a value of another scalar type as a string.
func appendArrowNumber(b []byte, a arrow.Array, i int) ([]byte, error) {
	switch a := a.(type) {
	case *array.Float16:
		return appendFloat(b, float64(a.Value(i).Float32()), 32), nil
	case *array.Float32:
		return appendFloat(b, float64(a.Value(i)), 32), nil
	case *array.Float64:
		return appendFloat(b, a.Value(i), 64), nil
	case *array.Decimal32:
		return appendDecimal(b, big.NewInt(int64(a.Value(i))), scaleOf(a))
	case *array.Decimal64:
		return appendDecimal(b, big.NewInt(int64(a.Value(i))), scaleOf(a))
	case *array.Decimal128:
		return appendDecimal(b, a.Value(i).BigInt(), scaleOf(a))
	case *array.Decimal256:
		return appendDecimal(b, a.Value(i).BigInt(), scaleOf(a))
	case *array.Time64:
		return appendTime(b, a.Value(i).ToTime(a.DataType().(*arrow.Time64Type).Unit), "15:04:05.999999999")
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02T15:04:05.999999999"
		if t.TimeZone != "" {
			layout = time.RFC3339Nano
		}
		return appendTime(b, a.Value(i).ToTime(t.Unit), layout)
	}
	id := a.DataType().ID()
	if id == arrow.BOOL || arrow.IsInteger(id) {
		return append(b, a.ValueStr(i)...), nil
	}
	return appendString(b, []byte(a.ValueStr(i))), nil
}

func scaleOf(a arrow.Array) int32 { return a.DataType().(arrow.DecimalType).GetScale() }
