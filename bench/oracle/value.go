package main

// Values as the language compares and shows them. A value is nil, a bool, a string, a
// *big.Rat or a list of values.

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

type value = any

func number(n, d uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(n), new(big.Int).SetUint64(max(d, 1)))
}

func integer(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// numeric reads a value as a number, where a comparison with a number does so.
func numeric(v value) (*big.Rat, bool) {
	switch v := v.(type) {
	case *big.Rat:
		return v, true
	case string:
		return new(big.Rat).SetString(v)
	}
	return nil, false
}

// compareValues orders two values. Not all compare.
func compareValues(a, b value) (int, bool) {
	x, isX := a.(*big.Rat)
	y, isY := b.(*big.Rat)
	switch {
	case isX || isY:
		if !isX {
			x, isX = numeric(a)
		}
		if !isY {
			y, isY = numeric(b)
		}
		if !isX || !isY {
			return 0, false
		}
		return x.Cmp(y), true
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b), true
		}
	case bool:
		if b, ok := b.(bool); ok {
			return cmp.Compare(rank(a), rank(b)), true
		}
	}
	return 0, false
}

// rank orders the types for ORDER BY.
func rank(v value) int {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case *big.Rat:
		return 2
	case string:
		return 3
	}
	return 4
}

// orderValues is the order of ORDER BY: NULL is last, whichever the direction.
func orderValues(a, b value, desc bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	c := cmp.Compare(rank(a), rank(b))
	if c == 0 && rank(a) < 4 {
		c, _ = compareValues(a, b)
	}
	if desc {
		return -c
	}
	return c
}

// shown is how a value is compared with one of a row that the store gives.
func shown(v value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(v)
	case *big.Rat:
		if v.IsInt() {
			return v.Num().String()
		}
		f, _ := v.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	case []value:
		var parts []string
		for _, x := range v {
			parts = append(parts, shown(x))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	panic("a value of no known type")
}

// literal is how a value stands in a statement.
func literal(v value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case *big.Rat:
		return v.RatString()
	case []value:
		var parts []string
		for _, x := range v {
			parts = append(parts, literal(x))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	panic("a value of no known type")
}

// glob says whether a text fits a pattern of * and ?.
func glob(pattern, s string, any, one byte) bool {
	if pattern == "" {
		return s == ""
	}
	switch c := pattern[0]; {
	case c == any:
		for i := range len(s) + 1 {
			if glob(pattern[1:], s[i:], any, one) {
				return true
			}
		}
		return false
	case s == "":
		return false
	case c == one || c == s[0]:
		return glob(pattern[1:], s[1:], any, one)
	}
	return false
}

func names(of []string) []string {
	out := slices.Clone(of)
	slices.Sort(out)
	return slices.Compact(out)
}
