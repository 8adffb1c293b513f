package query

// Values: how they compare, sort and read as text.

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// A value is what a field or a constant has in a predicate: nil for NULL and
// for what is missing, a string, a bool, a rational or a time. Lists and objects of
// the metadata are values too, but nothing compares with them.

// normal turns what metadata, rows and arguments hold into a value.
func normal(v any) any {
	switch v := v.(type) {
	case nil, string, bool, rational, time.Time:
		return v
	case json.Number:
		return numberOr(string(v))
	case int:
		return integer(int64(v))
	case int64:
		return integer(v)
	case int32:
		return integer(int64(v))
	case uint64:
		return rational{num: v, den: 1}
	case uint32:
		return integer(int64(v))
	case uint:
		return rational{num: uint64(v), den: 1}
	case float32:
		return fromFloat(float64(v), 32)
	case float64:
		return fromFloat(v, 64)
	case []byte:
		return string(v)
	}
	return v
}

// numberOr reads a number, and leaves one that cannot be read exactly a string.
func numberOr(s string) any {
	if r, ok := parseRational(s); ok {
		return r
	}
	return s
}

// fromFloat reads a float by its shortest decimal, so that 0.8 is 4/5. What is
// no number is NULL.
func fromFloat(f float64, bits int) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return numberOr(strconv.FormatFloat(f, 'e', -1, bits))
}

// compareValues orders two values. It reports false where they do not compare:
// NULL, lists and objects with anything, and one type with another, except
// that a string that reads as a number or a time compares with one: fields from
// CSV are strings throughout, and JSON has no times.
func compareValues(a, b any) (int, bool) {
	switch x := a.(type) {
	case string:
		switch y := b.(type) {
		case string:
			return strings.Compare(x, y), true
		case rational:
			if n, ok := parseRational(strings.TrimSpace(x)); ok {
				return n.compare(y), true
			}
		case time.Time:
			if t, ok := parseTime(x); ok {
				return t.Compare(y), true
			}
		}
	case rational:
		switch y := b.(type) {
		case rational:
			return x.compare(y), true
		case string:
			if n, ok := parseRational(strings.TrimSpace(y)); ok {
				return x.compare(n), true
			}
		}
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			return x.Compare(y), true
		case string:
			if t, ok := parseTime(y); ok {
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

// rank orders the types for ORDER BY: false, true, numbers, strings, lists and
// objects.
func rank(v any) int {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case rational:
		return 2
	case string:
		return 3
	}
	return 4
}

// orderValues is the total order of ORDER BY. NULL comes last, whichever the
// direction.
func orderValues(a, b any, desc bool) int {
	if a == nil || b == nil {
		return cmp.Compare(b2i(a == nil), b2i(b == nil))
	}
	c := cmp.Compare(rank(a), rank(b))
	if rank(a) == rank(b) && rank(a) < 4 {
		c, _ = compareValues(a, b)
	}
	if desc {
		return -c
	}
	return c
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// text returns a value as LIKE and GLOB see it.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case rational:
		return v.decimal(), true
	}
	return "", false
}
