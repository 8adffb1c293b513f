package output

// Counts, sizes and durations.

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
	for s, want := range map[string]int64{"16MiB": 16 << 20, "500kB": 500000, "1000": 1000, "1 kib": 1024, "7b": 7} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "MiB", "1.5MiB", "16 apples", "9223372036854775807GiB", "-1", "-9223372036854775807GiB"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", s, got)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{1: "1B", 1000: "1kB", 1024: "1KiB", 16 << 20: "16MiB", 1 << 30: "1GiB", 500e3: "500kB", 1001: "1001B"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
		if back, err := ParseBytes(want); err != nil || back != n {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", want, back, err, n)
		}
	}
}

func TestDuration(t *testing.T) {
	for s, want := range map[string]struct {
		d    time.Duration
		text string
	}{
		"2s": {2 * time.Second, "2s"}, "90s": {90 * time.Second, "1m30s"}, "1m0s": {time.Minute, "1m"},
		"1h": {time.Hour, "1h"}, "1.5h": {90 * time.Minute, "1h30m"}, "24h": {day, "1d"}, "30d": {30 * day, "30d"},
		"1d12h": {36 * time.Hour, "1d12h"}, "1d1s": {day + time.Second, "1d1s"}, "20ms": {20 * time.Millisecond, "20ms"},
		"10m": {10 * time.Minute, "10m"}, "36500d": {36500 * day, "36500d"}, "0d5s": {5 * time.Second, "5s"},
	} {
		got, err := ParseDuration(s)
		if err != nil || got != want.d {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", s, got, err, want.d)
		}
		if text := Duration(got); text != want.text {
			t.Errorf("Duration(%v) = %q, want %q", got, text, want.text)
		}
		if back, err := ParseDuration(want.text); err != nil || back != want.d {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", want.text, back, err, want.d)
		}
	}
	for _, s := range []string{"", "d", "30", "0s", "0d", "-1h", "1d-5h", "-1d", "1.5d", "36501d", "999999999999d", "900000h", "1d 2h", "1w", "2d3d", "one day"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, got)
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
