package output

// Numbers for people: counts with a noun, sizes and durations.

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
}{{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3}, {"b", 1}, {"", 1}}

// ParseBytes parses a size like 16MiB, 500kB or 1000 and returns it in bytes.
func ParseBytes(s string) (int64, error) {
	lower := strings.ToLower(strings.TrimSpace(s))
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(lower, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n > (1<<62)/u.size {
			return 0, fmt.Errorf("%q is no size", s)
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%q is no size", s)
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
