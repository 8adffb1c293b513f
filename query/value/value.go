// Package value defines the values of fields and constants in predicates: how they compare,
// sort, match patterns and convert to Go variables. Begin with [Of] and [Compare].
//
// A value is nil (NULL or missing), a string, a bool, a time, or a number. A number is an
// int64, a Fraction, or a *big.Rat that does not fit int64, so comparisons are exact. Lists
// and objects of the metadata are values too, but compare with nothing. All functions are
// safe for concurrent use. The package imports no row or statement, and is internal to
// query.
package value

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
)

// Of converts a value of metadata, rows or arguments. Lists, objects and other types stay
// unchanged.
func Of(v any) any {
	switch v := v.(type) {
	case nil, string, bool, int64, Fraction, time.Time:
		return v
	// A whole number has one form, so that equal values have one type.
	case *big.Rat:
		if i, ok := Whole(v); ok {
			return i
		}
		return v
	case json.Number:
		return numberOr(string(v))
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case uint32:
		return int64(v)
	case uint:
		return Of(uint64(v))
	case uint64:
		if v > math.MaxInt64 {
			return new(big.Rat).SetUint64(v)
		}
		return int64(v)
	case float32:
		return fromFloat(float64(v), 32)
	case float64:
		return fromFloat(v, 64)
	case []byte:
		return string(v)
	}
	return v
}

// numberOr returns the number that s represents, or s itself if its value cannot be read
// exactly.
func numberOr(s string) any {
	if n, ok := parse(s); ok {
		return n
	}
	return s
}

// parse parses a number as a value.
func parse(s string) (any, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	r, ok := syntax.ParseNumber(s)
	return Of(r), ok
}

// fromFloat reads a float by its shortest decimal, so that 0.8 is 4/5. NaN and infinities
// are NULL.
func fromFloat(f float64, bits int) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return numberOr(strconv.FormatFloat(f, 'e', -1, bits))
}

// Compare orders two values, and reports false if they do not compare. NULL, lists and
// objects compare with nothing, and values of different types do not compare, with one
// exception: a string that represents a number or a time compares with one, because all
// fields of CSV are strings, and JSON has no times.
func Compare(a, b any) (int, bool) {
	switch x := a.(type) {
	case string:
		switch y := b.(type) {
		case string:
			return strings.Compare(x, y), true
		case int64, Fraction, *big.Rat:
			if n, ok := parse(strings.TrimSpace(x)); ok {
				return compareNumbers(n, y), true
			}
		case time.Time:
			if t, ok := syntax.ParseTime(x); ok {
				return t.Compare(y), true
			}
		}
	// A string on the other side is trimmed: CSV files often pad numbers.
	case int64, Fraction, *big.Rat:
		switch y := b.(type) {
		case int64, Fraction, *big.Rat:
			return compareNumbers(x, y), true
		case string:
			if n, ok := parse(strings.TrimSpace(y)); ok {
				return compareNumbers(x, n), true
			}
		}
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			return x.Compare(y), true
		case string:
			if t, ok := syntax.ParseTime(y); ok {
				return x.Compare(t), true
			}
		}
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(rank(x), rank(y)), true
		}
	}
	return 0, false
}

// rank orders the types for ORDER BY: false, true, numbers, strings, lists and objects.
func rank(v any) int {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int64, Fraction, *big.Rat:
		return 2
	case string:
		return 3
	}
	return 4
}

// Order is the total order of ORDER BY. NULL comes last in both directions.
func Order(a, b any, desc bool) int {
	if a == nil || b == nil {
		return cmp.Compare(b2i(a == nil), b2i(b == nil))
	}
	c := cmp.Compare(rank(a), rank(b))
	if rank(a) == rank(b) && rank(a) < 4 {
		c, _ = Compare(a, b)
	}
	if desc {
		return -c
	}
	return c
}

// b2i converts a bool, for comparisons.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Text returns the text that LIKE and GLOB match; false for all but strings and numbers.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64, Fraction, *big.Rat:
		// Numbers match as decimals, as a row shows them.
		return Decimal(Number(v)), true
	}
	return "", false
}

// Show formats a value for a message.
func Show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "the string " + syntax.Quote(v)
	case int64, Fraction, *big.Rat:
		return syntax.Quote(Decimal(Number(v)))
	case time.Time:
		return "the time " + syntax.Quote(v.Format(time.RFC3339Nano))
	}
	return syntax.Quote(fmt.Sprint(v))
}

// Object returns v as an object, or nil.
func Object(v any) api.Meta {
	switch o := v.(type) {
	case map[string]any:
		return o
	case api.Meta:
		return o
	}
	return nil
}

// Fraction is a similarity as the counts Num/Den. A Den of 0 means 0, as in the measures.
type Fraction struct{ Num, Den uint64 }

// Number returns v as a rational, or nil if v is not a number.
func Number(v any) *big.Rat {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v)
	case Fraction:
		if v.Den == 0 {
			return new(big.Rat)
		}
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(v.Num), new(big.Int).SetUint64(v.Den))
	case *big.Rat:
		return v
	}
	return nil
}

// Numeric returns v as a number, or the number that a string represents, as Compare would
// read it. Any other value is nil.
func Numeric(v any) any {
	switch v := v.(type) {
	case int64, Fraction, *big.Rat:
		return v
	case string:
		if n, ok := parse(strings.TrimSpace(v)); ok {
			return n
		}
	}
	return nil
}

// Cell returns a number as a row shows it: exactly if 20 decimal places suffice, else as
// the nearest float64. NULL stays NULL.
func Cell(v any) any {
	r := Number(v)
	if r == nil {
		return nil
	}
	if i, ok := Whole(r); ok {
		return i
	}
	// json.Number is exact in JSON, and converts to any number type.
	digits := Decimal(r)
	if exact, ok := new(big.Rat).SetString(digits); ok && exact.Cmp(r) == 0 {
		return json.Number(digits)
	}
	return Float(r)
}

// compareNumbers orders two numbers exactly, without allocation if both are short.
func compareNumbers(a, b any) int {
	aNeg, aNum, aDen, aShort := parts(a)
	bNeg, bNum, bDen, bShort := parts(b)
	switch {
	// Rare: a number of more than 64 bits.
	case !aShort || !bShort:
		return Number(a).Cmp(Number(b))
	case aNeg != bNeg && aNeg:
		return -1
	case aNeg != bNeg:
		return 1
	case aNeg:
		// Of two negative numbers, the larger magnitude is the smaller number.
		aNum, aDen, bNum, bDen = bNum, bDen, aNum, aDen
	}
	aHi, aLo := bits.Mul64(aNum, bDen)
	bHi, bLo := bits.Mul64(bNum, aDen)
	return cmp.Or(cmp.Compare(aHi, bHi), cmp.Compare(aLo, bLo))
}

// parts returns a number as a fraction, and reports whether it fits 64 bits.
func parts(v any) (neg bool, num, den uint64, short bool) {
	switch v := v.(type) {
	case int64:
		if v < 0 {
			return true, -uint64(v), 1, true
		}
		return false, uint64(v), 1, true
	case Fraction:
		if v.Den == 0 {
			return false, 0, 1, true
		}
		return false, v.Num, v.Den, true
	case *big.Rat:
		if v.Num().IsInt64() && v.Denom().IsInt64() {
			neg, num, _, _ = parts(v.Num().Int64())
			return neg, num, v.Denom().Uint64(), true
		}
	}
	return false, 0, 0, false
}

// Whole returns r as an int64, and reports whether it is one.
func Whole(r *big.Rat) (int64, bool) {
	if r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Decimal formats a number in digits, exactly if 20 decimal places suffice.
func Decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(20), "0"), ".")
}

// Float returns the nearest float64.
func Float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
