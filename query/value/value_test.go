package value

// Numbers and values.

import (
	"encoding/json"
	"math"
	"testing"
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
