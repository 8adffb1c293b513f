package value

// Numbers and values.

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareValues(t *testing.T) {
	type result struct {
		c  int
		ok bool
	}
	tests := []struct {
		a, b any
		want result
	}{
		{1, json.Number("1.0"), result{0, true}},
		{int64(9007199254740993), 9007199254740992.0, result{1, true}},
		{0.1, json.Number("0.1"), result{0, true}},
		{float32(0.1), 0.1, result{0, true}},
		{"a", "b", result{-1, true}},
		{"2003", 2000, result{1, true}},
		{2000, " 2003", result{-1, true}},
		{"x", 2000, result{}},
		{true, false, result{1, true}},
		{true, 1, result{}},
		{nil, nil, result{}},
		{nil, 1, result{}},
		{math.NaN(), 1.0, result{}},
		{[]any{1}, 1, result{}},
		{uint64(math.MaxUint64), int64(math.MaxInt64), result{1, true}},
	}
	for _, tt := range tests {
		c, ok := Compare(Of(tt.a), Of(tt.b))
		if got := (result{c, ok}); got != tt.want {
			t.Errorf("Compare(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// Short numbers order as big.Rat does.
func TestCompareNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) any {
			switch rapid.IntRange(0, 2).Draw(t, name+" kind") {
			case 0:
				return rapid.Int64().Draw(t, name)
			case 1:
				return Fraction{rapid.Uint64().Draw(t, name+" num"), rapid.Uint64().Draw(t, name+" den")}
			}
			return big.NewRat(rapid.Int64().Draw(t, name+" num"), rapid.Int64Range(1, math.MaxInt64).Draw(t, name+" den"))
		}
		a, b := draw("a"), draw("b")
		if got, want := compareNumbers(a, b), Number(a).Cmp(Number(b)); got != want {
			t.Fatalf("compareNumbers(%v, %v) = %d, want %d", a, b, got, want)
		}
	})
}
