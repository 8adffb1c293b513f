package output

// Counts and sizes.

import (
	"testing"
	"time"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 12300: "12,300", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{"16MiB": 16 << 20, "500kB": 500000, "1000": 1000, "1 kib": 1024, "7b": 7, "-1": -1} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "MiB", "1.5MiB", "16 apples", "9223372036854775807GiB"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", s, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 32e6: "32.0 MB", 7e9: "7.0 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		done, total int64
		want        string
	}{
		{0, 0, "7 docs · 30s"},
		{0, 100, "░░░░░░░░░░░░░░░░░░░░░░░░   0 % · 7 docs"},
		{25, 100, "██████░░░░░░░░░░░░░░░░░░  25 % · 7 docs · 1m30s left"},
		{100, 100, "████████████████████████ 100 % · 7 docs"},
		{120, 100, "████████████████████████ 100 % · 7 docs"}, // files may grow
	} {
		if got := progressLine(tt.done, tt.total, "7 docs", 30*time.Second); got != tt.want {
			t.Errorf("progressLine(%d, %d) = %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
}
