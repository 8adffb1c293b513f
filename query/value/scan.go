package value

// Conversion of values to Go variables, by the rules of database/sql.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// scanner is sql.Scanner, without an import of database/sql.
type scanner interface{ Scan(any) error }

// Scan copies one value into the variable that into points to. It returns ErrInvalid if the
// type does not fit or the conversion would lose anything.
func Scan(v, into any) error {
	switch to := into.(type) {
	// A Scanner decides on its own, even about NULL.
	case scanner:
		return to.Scan(v)
	case *any:
		*to = v
		return nil
	}
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("%w: Scan into a %T, which is not a pointer to a variable", api.ErrInvalid, into)
	}
	to = to.Elem()
	if to.Kind() == reflect.Pointer {
		if v == nil {
			to.SetZero()
			return nil
		}
		// The pointer changes only if the conversion succeeds.
		fresh := reflect.New(to.Type().Elem())
		if err := Scan(v, fresh.Interface()); err != nil {
			return err
		}
		to.Set(fresh)
		return nil
	}
	if v == nil {
		// nil is a natural NULL of slices and maps; other types would confuse it with their
		// zero value.
		if list := to.Kind(); list == reflect.Slice || list == reflect.Map {
			to.SetZero()
			return nil
		}
		return fmt.Errorf("%w: NULL has no %s: scan into a *%[2]s or an any", api.ErrInvalid, to.Type())
	}
	if !assign(v, to) {
		return fmt.Errorf("%w: %s of type %T does not convert to %s without loss", api.ErrInvalid, Show(v), v, to.Type())
	}
	return nil
}

// errScan reports a type without a text form. Callers replace it.
var errScan = errors.New("no such value")

// assign sets a variable to a non-nil value, and reports false if the types do not fit.
func assign(v any, to reflect.Value) bool {
	switch into := to.Addr().Interface().(type) {
	case *time.Time:
		s, isString := v.(string)
		t, ok := syntax.ParseTime(s)
		*into = t
		return isString && ok
	// A json.Number keeps the spelling of the metadata, such as 1.50.
	case *json.Number:
		if s, isString := v.(json.Number); isString {
			*into = s
			return true
		}
		n := Number(Of(v))
		if n != nil {
			*into = json.Number(Decimal(n))
		}
		return n != nil
	case *[]string:
		return assignStrings(v, into)
	// Lists and objects are not copied: they belong to the row, which the caller owns.
	case *[]any:
		list, ok := v.([]any)
		*into = list
		return ok
	case *api.Meta:
		*into = Object(v)
		return *into != nil
	case *map[string]any:
		*into = Object(v)
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
		n, _ := number(v)
		i, ok := Whole(n)
		if !ok || to.OverflowInt(i) {
			return false
		}
		to.SetInt(i)
		return true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		// Whole numbers must not pass through float64, which rounds above 2^53.
		n, ok := number(v)
		if !ok || !n.IsInt() || !n.Num().IsUint64() || to.OverflowUint(n.Num().Uint64()) {
			return false
		}
		to.SetUint(n.Num().Uint64())
		return true
	case reflect.Float32, reflect.Float64:
		return assignFloat(v, to)
	}
	return false
}

// number returns the number that v is, or that a string represents.
func number(v any) (*big.Rat, bool) {
	if s, ok := v.(string); ok {
		return syntax.ParseNumber(strings.TrimSpace(s))
	}
	n := Number(Of(v))
	return n, n != nil
}

// assignFloat accepts a number that the float represents exactly, or whose shortest decimal
// it is: 0.1, but not 2^53 + 1.
func assignFloat(v any, to reflect.Value) bool {
	f, isFloat := v.(float64)
	if !isFloat {
		n, ok := number(v)
		if !ok {
			return false
		}
		f = Float(n)
		if to.Kind() == reflect.Float32 {
			f32, _ := n.Float32()
			f = float64(f32)
		}
		// Two conditions suffice: the shortest decimal of f is n, or f equals n exactly.
		if back := Number(fromFloat(f, to.Type().Bits())); back == nil || back.Cmp(n) != 0 && n.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			return false
		}
	}
	if to.Kind() == reflect.Float32 && isFloat && float64(float32(f)) != f {
		return false
	}
	to.SetFloat(f)
	return true
}

// assignStrings copies a list, if all items are strings.
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

// asString formats a string, a number or a bool.
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
