package output

// The formats parquet and arrow, for programs, with typed columns. The first rows, which are held
// back, determine the type of a column. If they are all NULL or integers, the declared type decides.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// columnWriter writes rows with values of the types of their columns: string, int64, float64, bool
// or nil.
type columnWriter interface {
	row(values []any) error
	end() error
}

// Binary reports whether a format is binary: unfit for a terminal, and with one answer per file.
func Binary(format string) bool { return format == "parquet" || format == "arrow" }

// NewTyped returns a printer for columns of known types. It stores the notes in the metadata of the
// file.
func NewTyped(format string, w io.Writer, columns []api.Column, notes map[string]string) Printer {
	p := &typedPrinter{format: format, w: w, columns: columns, notes: notes}
	p.open()
	return p
}

// newTyped returns a printer that determines the types by the first rows.
func newTyped(format string, w io.Writer, columns []api.Column) Printer {
	return &typedPrinter{format: format, w: w, columns: slices.Clone(columns)}
}

// Limits of the held rows that determine column types, in rows and in approximate bytes.
const (
	rowsToType  = 16384
	bytesToType = 16 << 20
)

type typedPrinter struct {
	format  string
	w       io.Writer
	columns []api.Column
	notes   map[string]string
	held    [][]any
	size    int
	rows    int
	out     columnWriter // nil until the types are known
	err     error
}

func (p *typedPrinter) Row(values []any) error {
	p.rows++
	if p.out != nil {
		return p.write(values)
	}
	p.held = append(p.held, slices.Clone(values))
	for _, v := range values {
		if p.size += 16; isText(v) {
			p.size += len(v.(string))
		}
	}
	if len(p.held) < rowsToType && p.size < bytesToType {
		return nil
	}
	return p.begin()
}

func isText(v any) bool { _, ok := v.(string); return ok }

// begin determines the types and writes the held rows.
func (p *typedPrinter) begin() error {
	for i := range p.columns {
		column, seen := &p.columns[i], api.AnyType
		for _, row := range p.held {
			seen = joined(seen, typeOf(row[i]))
		}
		switch declared := column.Type; {
		case seen == api.AnyType:
			column.Type = cmp.Or(declared, api.TextType)
		case seen == api.IntegerType && declared == api.NumberType: // JSON writes 1.0 as 1
		default:
			column.Type = seen
		}
	}
	p.open()
	held := p.held
	p.held = nil
	for i, row := range held {
		p.rows = i + 1
		if err := p.write(row); err != nil {
			return err
		}
	}
	return nil
}

// open creates the writer of the format. Two columns with the same name are an error.
func (p *typedPrinter) open() {
	names := map[string]bool{}
	for _, c := range p.columns {
		if names[c.Name] && p.err == nil {
			p.err = exit.Failf(exit.Rejected, "two columns are called %q, which %s cannot have; name one by AS", c.Name, p.format)
		}
		names[c.Name] = true
	}
	if p.format == "arrow" {
		p.out = newArrow(p.w, p.columns, p.notes)
	} else {
		p.out = newParquet(p.w, p.columns, p.notes)
	}
}

// write writes a row. A value of another type than its column is an error.
func (p *typedPrinter) write(values []any) error {
	typed := make([]any, len(values))
	for i, v := range values {
		var ok bool
		if typed[i], ok = fit(v, p.columns[i].Type); !ok && p.err == nil {
			p.err = exit.Failf(exit.Rejected, "row %d: column %q is %s here, and other rows before it have another type; %s has one type for a column: use --format ndjson or csv",
				p.rows, p.columns[i].Name, strconv.Quote(plainText(v)), p.format)
		}
	}
	if p.err != nil {
		return p.err
	}
	return p.out.row(typed)
}

// End writes the remaining rows. A statement without columns produces no output.
func (p *typedPrinter) End() error {
	if len(p.columns) == 0 {
		return nil
	}
	if p.out == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	if p.err != nil {
		return p.err
	}
	return p.out.end()
}

// typeOf returns the type of a value.
func typeOf(v any) api.ColumnType {
	switch v := v.(type) {
	case nil:
		return api.AnyType
	case bool:
		return api.BooleanType
	case int, int32, int64, uint32:
		return api.IntegerType
	case uint64:
		return typeOf(json.Number(strconv.FormatUint(v, 10)))
	case float32, float64:
		return api.NumberType
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return api.IntegerType
		}
		if f, err := v.Float64(); err == nil && sameNumber(f, string(v)) {
			return api.NumberType
		}
		return api.TextType // more digits than a double
	case map[string]any, []any:
		return api.JSONType
	}
	return api.TextType
}

// sameNumber reports whether a double represents a decimal number exactly.
func sameNumber(f float64, digits string) bool {
	if len(digits) > 400 || strings.ContainsAny(digits, "eE") && len(digits) > 24 {
		return false
	}
	a, ok := new(big.Rat).SetString(digits)
	b, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok && b != nil && a.Cmp(b) == 0
}

// joined returns the type of a column with values of two types.
func joined(a, b api.ColumnType) api.ColumnType {
	switch {
	case a == api.AnyType || a == b:
		return b
	case b == api.AnyType:
		return a
	case a == api.IntegerType && b == api.NumberType, a == api.NumberType && b == api.IntegerType:
		return api.NumberType
	}
	return api.TextType
}

// maxExact is the largest number up to which a double represents every integer.
const maxExact = 1 << 53

// fit converts a value to the type of its column. It returns false if that loses information.
func fit(v any, t api.ColumnType) (any, bool) {
	if v == nil {
		return nil, true
	}
	is := typeOf(v)
	switch t {
	case api.TextType:
		return validUTF8(plainText(v)), true
	case api.JSONType:
		b, err := JSON(v)
		return string(b), err == nil
	case api.BooleanType:
		b, ok := v.(bool)
		return b, ok
	case api.IntegerType:
		if is == api.IntegerType {
			n, err := strconv.ParseInt(plainText(v), 10, 64)
			return n, err == nil
		}
	case api.NumberType:
		if is == api.IntegerType || is == api.NumberType {
			f, err := strconv.ParseFloat(plainText(v), 64)
			return f, err == nil && (is == api.NumberType || f >= -maxExact && f <= maxExact)
		}
	}
	return fmt.Sprint(v), false
}

// validUTF8 replaces each byte that is not UTF-8 by U+FFFD, like JSON.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
