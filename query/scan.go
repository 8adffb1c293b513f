package query

// Rows read one by one into variables, as database/sql does it.

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
)

// cursor is where Next and Scan are in the rows.
type cursor struct {
	next func() (Row, error, bool)
	stop func()
	row  Row // nil before the first and after the last
	err  error
}

// Next goes to the next row, for Scan. It returns false at the end and after an error,
// which Err tells. It reads the same rows as All: use one of the two.
func (r *Rows) Next() bool {
	if r.at.next == nil {
		r.at.next, r.at.stop = iter.Pull2(r.All())
	}
	row, err, ok := r.at.next()
	if r.at.row, r.at.err = row, err; err != nil || !ok {
		r.at.row = nil
		return false
	}
	return true
}

// Err returns why Next has ended before the last row, if it has.
func (r *Rows) Err() error { return r.at.err }

// Scan copies the values of the row that Next went to into variables, one for each column.
//
// A variable is a pointer to a string, an integer, a float, a bool, a time.Time, a
// json.Number, a []string, a []any, a Meta or an any, to a pointer to one of these, which
// NULL makes nil, or has a method Scan(any) error as sql.Scanner. A value must be what the
// variable holds, without loss: 2.5 is no int, 300 no int8, and 9007199254740993 no
// float64. Fields that come from CSV are strings, so a string that reads as a number or a
// time is taken for one.
func (r *Rows) Scan(into ...any) error {
	if r.at.row == nil {
		return fmt.Errorf("query: Scan without a row: call Next before it (%w)", api.ErrInvalid)
	}
	if len(into) != len(r.at.row) {
		return fmt.Errorf("query: Scan into %d variables, the row has %d columns: %s (%w)", len(into), len(r.at.row), strings.Join(r.Columns, ", "), api.ErrInvalid)
	}
	for i, v := range r.at.row {
		if err := scan(v, into[i]); err != nil {
			return fmt.Errorf("query: column %q: %w", r.Columns[i], err)
		}
	}
	return nil
}

// scanner is sql.Scanner.
type scanner interface{ Scan(any) error }

// scan copies one value.
func scan(v, into any) error {
	switch to := into.(type) {
	case scanner:
		return to.Scan(v)
	case *any:
		*to = v
		return nil
	}
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("%w: Scan into a %T, which is no pointer to a variable", api.ErrInvalid, into)
	}
	to = to.Elem()
	if to.Kind() == reflect.Pointer {
		if v == nil {
			to.SetZero()
			return nil
		}
		fresh := reflect.New(to.Type().Elem())
		if err := scan(v, fresh.Interface()); err != nil {
			return err
		}
		to.Set(fresh)
		return nil
	}
	if v == nil {
		if list := to.Kind(); list == reflect.Slice || list == reflect.Map {
			to.SetZero()
			return nil
		}
		return fmt.Errorf("%w: NULL has no %s: scan into a *%[2]s or an any", api.ErrInvalid, to.Type())
	}
	if !assign(v, to) {
		return fmt.Errorf("%w: %s of type %T is no %s, or not without loss", api.ErrInvalid, show(v), v, to.Type())
	}
	return nil
}

var errScan = errors.New("no such value")

// assign sets a variable to a value that is not nil. It reports false if they differ.
func assign(v any, to reflect.Value) bool {
	switch into := to.Addr().Interface().(type) {
	case *time.Time:
		s, isString := v.(string)
		t, ok := parseTime(s)
		*into = t
		return isString && ok
	case *json.Number:
		n, ok := normal(v).(rational)
		if s, isString := v.(json.Number); isString {
			*into = s
			return true
		}
		*into = json.Number(n.decimal())
		return ok
	case *[]string:
		return assignStrings(v, into)
	case *[]any:
		list, ok := v.([]any)
		*into = list
		return ok
	case *api.Meta:
		*into = object(v)
		return *into != nil
	case *map[string]any:
		*into = object(v)
		return *into != nil
	}
	switch to.Kind() {
	case reflect.String:
		s, err := asString(v)
		to.SetString(s)
		return err == nil
	case reflect.Bool:
		b, ok := v.(bool)
		to.SetBool(b)
		return ok
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := number(v)
		i, whole := n.whole()
		if !whole && ok && n.neg && n.big == nil && n.den == 1 && n.num == 1<<63 { // whole has no least int64
			i, whole = math.MinInt64, true
		}
		if !ok || !whole || to.OverflowInt(i) {
			return false
		}
		to.SetInt(i)
		return true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, ok := number(v)
		if !ok || n.big != nil || n.den != 1 || n.neg && n.num > 0 || to.OverflowUint(n.num) {
			return false
		}
		to.SetUint(n.num)
		return true
	case reflect.Float32, reflect.Float64:
		return assignFloat(v, to)
	}
	return false
}

// number reads a number, or a string that reads as one.
func number(v any) (rational, bool) {
	if s, ok := v.(string); ok {
		return parseRational(strings.TrimSpace(s))
	}
	n, ok := normal(v).(rational)
	return n, ok
}

// assignFloat takes a number that the float is, or whose shortest decimal it has: 0.1, but
// not 2^53 + 1.
func assignFloat(v any, to reflect.Value) bool {
	f, isFloat := v.(float64)
	if !isFloat {
		n, ok := number(v)
		if !ok {
			return false
		}
		f = n.float()
		if to.Kind() == reflect.Float32 {
			f32, _ := n.rat().Float32()
			f = float64(f32)
		}
		if back, ok := fromFloat(f, to.Type().Bits()).(rational); !ok || back.compare(n) != 0 && n.rat().Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			return false
		}
	}
	if to.Kind() == reflect.Float32 && isFloat && float64(float32(f)) != f {
		return false
	}
	to.SetFloat(f)
	return true
}

func assignStrings(v any, into *[]string) bool {
	list, ok := v.([]any)
	out := make([]string, len(list))
	for i, item := range list {
		s, err := asString(item)
		if err != nil {
			return false
		}
		out[i] = s
	}
	*into = out
	return ok
}

// asString shows a string, a number or a bool.
func asString(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return string(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64, uint64, float64:
		return fmt.Sprint(v), nil
	}
	return "", errScan
}
