package query

// Numbers and values.

import (
	"encoding/json"
	"math"
	"testing"
)

func TestParseNumber(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0.8", "4/5"}, {"80%", "4/5"}, {"4/5", "4/5"}, {"-3", "-3"}, {"007", "7"}, {"010/020", "1/2"}, {"010.5", "21/2"},
		{"1e-3", "1/1000"}, {".5", "1/2"}, {"9007199254740993", "9007199254740993"}, {"1e30", "1000000000000000000000000000000"},
		{"1/0", ""}, {"", ""}, {"x", ""}, {"0x10", ""}, {"1_0", ""}, {"Inf", ""}, {"1e401", ""}, {"1e-401", ""}, {"12/5%", "3/125"},
	}
	for _, tt := range tests {
		r, ok := parseNumber(tt.in)
		got := ""
		if ok {
			got = r.RatString()
		}
		if got != tt.want {
			t.Errorf("parseNumber(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

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
		c, ok := compareValues(normal(tt.a), normal(tt.b))
		if got := (result{c, ok}); got != tt.want {
			t.Errorf("compareValues(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
