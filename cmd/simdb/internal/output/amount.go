package output

// Numbers for people: counts with a noun, sizes and durations, and the parsers of flags.

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Thousands formats 12300 as 12,300.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Count formats a number with its noun, as in "1 row" and "2 rows".
func Count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// perSecond returns the rate of n events in d.
func perSecond(n int64, d time.Duration) int64 {
	return int64(float64(n) / max(d.Seconds(), 0.001))
}

// Elapsed formats a duration with about three digits.
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 3, 64) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + " s"
}

var byteUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1}}

// ParseBytes parses a size like 16MiB, 500kB or 1000 and returns it in bytes.
func ParseBytes(s string) (int64, error) {
	lower := strings.ToLower(strings.TrimSpace(s))
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(lower, strings.ToLower(u.name))
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 62)
		if err != nil || int64(n) > (1<<62)/u.size {
			return 0, fmt.Errorf("%q is no size", s)
		}
		return int64(n) * u.size, nil
	}
	return 0, fmt.Errorf("%q is no size", s)
}

// Size formats a size without loss, in the syntax of ParseBytes.
func Size(n int64) string {
	for _, u := range byteUnits {
		if n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	panic("unreachable: the last unit is a byte")
}

const (
	day     = 24 * time.Hour
	maxDays = 36500 // the greatest duration of a flag
)

// ParseDuration parses a positive duration: days, like 30d, the syntax of package time, like 1h30m,
// or both, like 1d12h.
func ParseDuration(s string) (time.Duration, error) {
	days, rest, found := strings.Cut(s, "d")
	if !found {
		days, rest = "0", s
	}
	n, err := strconv.ParseUint(days, 10, 64)
	d := time.Duration(0)
	if err == nil && (!found || rest != "") {
		d, err = time.ParseDuration(rest)
	}
	total := time.Duration(min(n, maxDays+1))*day + min(d, maxDays*day+1)
	if err != nil || d < 0 || total <= 0 || total > maxDays*day {
		return 0, fmt.Errorf("%q is no duration from 1ns to %dd; write it like 2s, 1h30m or 30d", s, maxDays)
	}
	return total, nil
}

// Duration formats a duration in the syntax of ParseDuration, without zeros at the end.
func Duration(d time.Duration) string {
	text := ""
	if d >= day {
		text, d = strconv.Itoa(int(d/day))+"d", d%day
	}
	if d > 0 || text == "" {
		text += strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
	}
	return text
}

// Bytes formats a size with about three digits, in decimal units.
func Bytes(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.size {
			return strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(n, 10) + " B"
}
