package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseIntervals(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Intervals
	}{
		{"", nil}, {"none", nil}, {"paper", PaperIntervals}, {"1-1", Intervals{1}},
		{"1-10, 11-20", Intervals{10, 20}}, {" 1-3,4-4 ,5-9", Intervals{3, 4, 9}},
	} {
		got, err := ParseIntervals(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseIntervals(%q) = %v, %v, want %v", c.in, got, err, c.want)
		}
		if back, err := ParseIntervals(got.String()); err != nil || !slices.Equal(back, c.want) {
			t.Errorf("ParseIntervals(%q) = %v, %v, want %v", got.String(), back, err, c.want)
		}
	}
	alone := func(n int) string { // as many ranges
		var ranges []string
		for i := range n {
			ranges = append(ranges, fmt.Sprintf("%d-%d", i+1, i+1))
		}
		return strings.Join(ranges, ",")
	}
	if got, err := ParseIntervals(alone(maxIntervals)); err != nil || len(got) != maxIntervals {
		t.Errorf("ParseIntervals of %d ranges = %d, %v", maxIntervals, len(got), err)
	}
	for _, in := range []string{alone(maxIntervals + 1), "1", "2-3", "1-10,12-20", "1-10,10-20", "5-1", "1-0", "1-", "a-b", "1-10,", "0-3", "1-4294967295", "1-99999999999", "-"} {
		if got, err := ParseIntervals(in); err == nil {
			t.Errorf("ParseIntervals(%q) = %v, want an error", in, got)
		}
	}
}

// Paper 003, page 5, table 2, and the two examples of page 4: of the intervals 1–50 (A) and
// 51–100 (B), a repetition of 32 is in the first and one of 86 in the second.
func TestIntervalOf(t *testing.T) {
	for r, want := range map[uint32]int{1: 0, 10: 0, 11: 1, 20: 1, 21: 2, 91: 9, 100: 9, 101: 10, 1 << 31: 10} {
		if got := PaperIntervals.Of(r); got != want {
			t.Errorf("Of(%d) = %d, want %d", r, got, want)
		}
	}
	fifties, err := ParseIntervals("1-50,51-100")
	if err != nil || fifties.Of(32) != 0 || fifties.Of(86) != 1 {
		t.Errorf("page 4: 32 and 86 are in %d and %d, %v, want 0 and 1", fifties.Of(32), fifties.Of(86), err)
	}
	if got := len(PaperIntervals); got != 10 {
		t.Errorf("page 5: %d intervals before the other one, want A to J", got)
	}
}

func FuzzParseIntervals(f *testing.F) {
	f.Add("1-10,11-20")
	f.Add("paper")
	f.Fuzz(func(t *testing.T, s string) {
		iv, err := ParseIntervals(s)
		if err != nil {
			return
		}
		if back, err := ParseIntervals(iv.String()); err != nil || !slices.Equal(back, iv) {
			t.Errorf("ParseIntervals(%q) = %v, but %q gives %v, %v", s, iv, iv.String(), back, err)
		}
		if !slices.IsSorted(iv) || len(iv) > 0 && iv.Of(iv[len(iv)-1]) != len(iv)-1 {
			t.Errorf("ParseIntervals(%q) = %v", s, iv)
		}
	})
}
