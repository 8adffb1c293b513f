package measure_test

import (
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/measure"
)

func TestAgree(t *testing.T) {
	long := strings.Repeat("ab", 400)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"the harbour was built in the twelfth century.", "the harbour was built in the eleventh century.", true}, // one word of eight
		{"we meet again on the fourth of june.", "we meet again on the fifth of june.", true},
		{"readings 140891 596853 888598 841235 800875", "readings 433481 508480 852860 374121 434555", false},
		{"cgaaccactagaaaaggttcagaccccggagcccagccgtcacgattgttatgcgtataa", "tccattgcttgcaagtctggctctgcccgaactcgtatcaggctatgtcacatcattgta", false},
		{long, long, true},
		{"", "", true},
		{"a", "b", false},
		{"今年夏天我们在湖边租了一间小木屋。", "去年夏天我们在湖边租了一间小木屋。", true},
	} {
		if got := measure.Agree(c.a, c.b); got != c.want {
			t.Errorf("Agree(%.40q, %.40q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestDifferInNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Pay 100 euros by 3 May.", "Pay 250 euros by 17 May.", true},
		{"Pay 100 euros.", "Pay 100 euros.", false}, // equal
		{"Pay 100 euros.", "Pay 100 dollars.", false},
		{"Pay 100 euros.", "Pay 250 dollars.", false},
		{"Release v1.2", "release V1.3", true},
		{"a 1", "a 1 2", true},
		{"It was -5 degrees.", "It was 5 degrees.", true},
		{"Up 5% now", "Up 5 now", true},
		{"Pay $100", "Pay £100", true},
		{"Pay 1 250 euros", "Pay 250 euros", true},
		{"Pay 100 euros!", "Pay 100 euros.", false},
		{"Yes, a > b", "Yes, a < b", false}, // no number
		{"The 3 of us", "The of us", false},
	} {
		if got := measure.DifferInNumbers(c.a, c.b, 0); got != c.want {
			t.Errorf("DifferInNumbers(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// The share of a text covered by common runs of words, against the definition.
func TestQuotes(t *testing.T) {
	const a, b = "one two three four five six seven eight nine ten", "zero two three four five six 11 seven eight nine ten"
	for _, c := range []struct {
		min, shared int
	}{{4, 9}, {5, 5}, {6, 0}} {
		if s, _ := measure.NewQuotes(a, 0, c.min).Score(b); int(s.Shared) != c.shared {
			t.Errorf("quotes(min=%d) = %d of %d, want %d", c.min, s.Shared, s.Of, c.shared)
		}
	}
	rule := strings.Repeat("= ", 40)
	if s, _ := measure.NewQuotes(rule, 0, 20).Score(rule); s.Shared != 0 {
		t.Errorf("a rule of signs quotes %d words of itself", s.Shared)
	}
}
