package sqldriver

// Conversion of values in rows, and of arguments.

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/simdb/simdb"
)

// The types of columns.
const (
	typeText    = "TEXT"
	typeInteger = "INTEGER"
	typeReal    = "REAL"
	typeBoolean = "BOOLEAN"
	typeDecimal = "DECIMAL" // a number that would lose digits as INTEGER or REAL
	typeJSON    = "JSON"    // a list or an object of metadata
)

// valueOf converts a value of a row to a type of package driver, without loss, and returns its
// column type.
func valueOf(v any) (driver.Value, string) {
	switch v := v.(type) {
	case nil:
		return nil, ""
	case string:
		return v, typeText
	case bool:
		return v, typeBoolean
	case int64:
		return v, typeInteger
	case float64:
		return v, typeReal
	case uint64:
		if v > math.MaxInt64 {
			return strconv.FormatUint(v, 10), typeDecimal
		}
		return int64(v), typeInteger
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, typeInteger
		}
		if f, err := v.Float64(); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == string(v) {
			return f, typeReal
		}
		return string(v), typeDecimal
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v), typeText
	}
	return string(text), typeJSON
}

// CheckNamedValue accepts strings, bytes, booleans, numbers, times and nil, including pointers to
// them and driver.Valuers. Numbers remain exact.
func (c *conn) CheckNamedValue(v *driver.NamedValue) (err error) {
	switch v.Value.(type) {
	case uint64, float32, json.Number, *big.Rat:
		return nil
	}
	if v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value); err != nil {
		return invalid("argument %s: %v", nameOf(v), err)
	}
	return nil
}

// nameOf names an argument for messages.
func nameOf(v *driver.NamedValue) string {
	if v.Name != "" {
		return ":" + v.Name
	}
	return strconv.Itoa(v.Ordinal)
}

// arguments converts the arguments of a statement for QueryWith.
func arguments(list []driver.NamedValue) []any {
	args := make([]any, len(list))
	for i, v := range list {
		if args[i] = v.Value; v.Name != "" {
			args[i] = simdb.Named(v.Name, v.Value)
		}
	}
	return args
}
