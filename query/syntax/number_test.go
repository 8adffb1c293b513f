package syntax

// Numbers as they are written.

import "testing"

func TestParseNumber(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0.8", "4/5"}, {"80%", "4/5"}, {"4/5", "4/5"}, {"-3", "-3"}, {"007", "7"}, {"010/020", "1/2"}, {"010.5", "21/2"},
		{"1e-3", "1/1000"}, {".5", "1/2"}, {"9007199254740993", "9007199254740993"}, {"1e30", "1000000000000000000000000000000"},
		{"1/0", ""}, {"", ""}, {"x", ""}, {"0x10", ""}, {"1_0", ""}, {"Inf", ""}, {"1e401", ""}, {"1e-401", ""}, {"12/5%", "3/125"},
	}
	for _, tt := range tests {
		r, ok := ParseNumber(tt.in)
		got := ""
		if ok {
			got = r.RatString()
		}
		if got != tt.want {
			t.Errorf("parseNumber(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
