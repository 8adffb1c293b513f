package columnar

// Conversion of single Parquet values to JSON.

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// writeValue appends a value other than NULL as JSON.
type writeValue func(b []byte, v parquet.Value) ([]byte, error)

var (
	errLevels = errors.New("damaged: its columns do not have as many elements as each other")
	errUTF8   = errors.New("bytes that are no UTF-8; leave the column out by --metadata, or store it as text")
)

// columnError is the reason of a reject, with its column.
type columnError struct {
	name []byte // as JSON
	err  error
}

func (e columnError) Error() string { return fmt.Sprintf("column %.200s: %v", e.name, e.err) }

// writerOf returns the writer for values of a type. Values without a logical type are written in their
// physical type.
func writerOf(t parquet.Type, said format.LogicalType) writeValue {
	var logical any = said.Value
	if l := t.LogicalType(); said.Value == nil && l != nil { // the library derived it from a converted type
		logical = l.Value
	}
	kind := t.Kind()
	whole := kind == parquet.Int32 || kind == parquet.Int64
	switch l := logical.(type) {
	case *format.DecimalType:
		return func(b []byte, v parquet.Value) ([]byte, error) { return appendDecimal(b, unscaled(v), l.Scale) }
	case *format.DateType:
		return func(b []byte, v parquet.Value) ([]byte, error) {
			return appendTime(b, time.Unix(int64(v.Int32())*86400, 0).UTC(), time.DateOnly)
		}
	case *format.TimestampType:
		layout := "2006-01-02T15:04:05.999999999"
		if l.IsAdjustedToUTC {
			layout = time.RFC3339Nano
		}
		return whenWhole(whole, func(b []byte, n int64) ([]byte, error) { return appendTime(b, instant(n, l.Unit), layout) })
	case *format.TimeType:
		return whenWhole(whole, func(b []byte, n int64) ([]byte, error) {
			return appendTime(b, instant(n, l.Unit), "15:04:05.999999999")
		})
	case *format.IntType:
		if !l.IsSigned && kind == parquet.Int64 {
			return func(b []byte, v parquet.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint64(), 10), nil }
		} else if !l.IsSigned {
			return func(b []byte, v parquet.Value) ([]byte, error) {
				return strconv.AppendUint(b, uint64(v.Uint32()), 10), nil
			}
		}
	case *format.UUIDType:
		return func(b []byte, v parquet.Value) ([]byte, error) { return appendUUIDBytes(b, v.ByteArray()) }
	case *format.Float16Type:
		return appendFloat16
	case *format.JsonType:
		return func(b []byte, v parquet.Value) ([]byte, error) { return appendJSONBytes(b, v.ByteArray()) }
	}
	if c := t.ConvertedType(); c != nil && *c == deprecated.Interval {
		return appendInterval
	}
	return physical(kind)
}

// physical returns the writer for values without a logical type.
func physical(kind parquet.Kind) writeValue {
	switch kind {
	case parquet.Boolean:
		return func(b []byte, v parquet.Value) ([]byte, error) { return strconv.AppendBool(b, v.Boolean()), nil }
	case parquet.Int32:
		return func(b []byte, v parquet.Value) ([]byte, error) {
			return strconv.AppendInt(b, int64(v.Int32()), 10), nil
		}
	case parquet.Int64:
		return func(b []byte, v parquet.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int64(), 10), nil }
	case parquet.Int96:
		return appendInt96
	case parquet.Float:
		return func(b []byte, v parquet.Value) ([]byte, error) { return appendFloat(b, float64(v.Float()), 32), nil }
	case parquet.Double:
		return func(b []byte, v parquet.Value) ([]byte, error) { return appendFloat(b, v.Double(), 64), nil }
	}
	return func(b []byte, v parquet.Value) ([]byte, error) {
		if !utf8.Valid(v.ByteArray()) {
			return nil, errUTF8
		}
		return appendString(b, v.ByteArray()), nil
	}
}

// whenWhole returns a writer for values stored as integers. Other storage is an error for each
// value.
func whenWhole(whole bool, write func(b []byte, n int64) ([]byte, error)) writeValue {
	return func(b []byte, v parquet.Value) ([]byte, error) {
		switch {
		case !whole:
			return nil, fmt.Errorf("a time stored as %v", v.Kind())
		case v.Kind() == parquet.Int32:
			return write(b, int64(v.Int32()))
		}
		return write(b, v.Int64())
	}
}

// appendString appends a string as JSON. Invalid UTF-8 becomes U+FFFD.
func appendString(b, s []byte) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// appendFloat appends a number. JSON has neither infinities nor NaN; an import turns the words for them
// into NULL and counts them.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}

// appendFloat16 appends a half-precision float.
func appendFloat16(b []byte, v parquet.Value) ([]byte, error) {
	raw := v.ByteArray()
	if len(raw) != 2 {
		return nil, fmt.Errorf("a half float of %d bytes", len(raw))
	}
	half := binary.LittleEndian.Uint16(raw)
	exponent, fraction := int(half>>10&31), float64(half&1023)
	f := math.Ldexp(fraction, -24)
	switch exponent {
	case 31:
		if f = math.Inf(1); fraction > 0 {
			f = math.NaN()
		}
	default:
		if exponent > 0 {
			f = math.Ldexp(1024+fraction, exponent-25)
		}
	}
	if half>>15 == 1 {
		f = -f
	}
	return appendFloat(b, f, 32), nil
}

// instant returns the time n units after the Unix epoch.
func instant(n int64, unit format.TimeUnit) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(n/1e9, n%1e9).UTC()
}

// appendTime appends a time as a string. RFC 3339 limits the year to 0 to 9999.
func appendTime(b []byte, t time.Time, layout string) ([]byte, error) {
	if y := t.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("a time in the year %d, of which RFC 3339 has 0 to 9999", y)
	}
	return append(t.AppendFormat(append(b, '"'), layout), '"'), nil
}

// appendInt96 appends a time in the form of old writers: nanoseconds of a Julian day.
func appendInt96(b []byte, v parquet.Value) ([]byte, error) {
	const unixDay = 2440588
	i := v.Int96()
	nanos := int64(uint64(i[1])<<32 | uint64(i[0]))
	return appendTime(b, time.Unix((int64(i[2])-unixDay)*86400, nanos).UTC(), time.RFC3339Nano)
}

// appendUUIDBytes appends 16 bytes in the form of a UUID.
func appendUUIDBytes(b, u []byte) ([]byte, error) {
	if len(u) != 16 {
		return nil, fmt.Errorf("a UUID of %d bytes", len(u))
	}
	return fmt.Appendf(b, `"%x-%x-%x-%x-%x"`, u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// appendInterval appends months, days and milliseconds as an ISO 8601 duration.
func appendInterval(b []byte, v parquet.Value) ([]byte, error) {
	i := v.ByteArray()
	if len(i) != 12 {
		return nil, fmt.Errorf("an interval of %d bytes", len(i))
	}
	part := func(at int) uint32 { return binary.LittleEndian.Uint32(i[at:]) }
	return fmt.Appendf(b, `"P%dM%dDT%d.%03dS"`, part(0), part(4), part(8)/1000, part(8)%1000), nil
}

// appendJSONBytes appends a JSON value, or as a string if it is not valid JSON.
func appendJSONBytes(b, raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, errUTF8
	}
	if !json.Valid(raw) {
		return appendString(b, raw), nil
	}
	return append(b, raw...), nil
}

// unscaled returns the unscaled integer of a decimal.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	raw := v.ByteArray()
	n := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0]&0x80 != 0 { // two's complement
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return n
}

// maxDecimal is the number of digits of decimals of 256 bits.
const maxDecimal = 77

// appendDecimal appends a decimal with all digits.
func appendDecimal(b []byte, n *big.Int, scale int32) ([]byte, error) {
	if scale < 0 || scale > maxDecimal || n.BitLen() > 256 {
		return nil, errors.New("a decimal of more than 77 digits")
	}
	digits := n.Text(10)
	if n.Sign() < 0 {
		b, digits = append(b, '-'), digits[1:]
	}
	digits = strings.Repeat("0", max(int(scale)+1-len(digits), 0)) + digits
	b = append(b, digits[:len(digits)-int(scale)]...)
	if scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-int(scale):]...)
	}
	return b, nil
}
