package syntax

// Numbers, times and fingerprints of the language. Numbers are exact: float64(0.8) is more
// than 4/5, and no float64 equals 9007199254740993.

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxExponent bounds decimal exponents: the exact 1e1000000000 would need 400 MB.
const maxExponent = 400

// ParseNumber parses "3", "-0.8", "80%", "1e-3" or "4/5" exactly. It accepts at most 100
// digits and exponents up to ±400, and reports false for anything else.
func ParseNumber(s string) (*big.Rat, bool) {
	s, percent := strings.CutSuffix(s, "%")
	if len(s) > 104 {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e < -maxExponent || e > maxExponent {
			return nil, false
		}
	}
	if strings.Trim(s, "0123456789+-.eE/") != "" { // no hex, no Inf, no underscores
		return nil, false
	}
	r, ok := new(big.Rat), true
	if num, den, isFraction := strings.Cut(s, "/"); isFraction { // SetString would read 010/20 as octal
		n, ok1 := new(big.Int).SetString(num, 10)
		d, ok2 := new(big.Int).SetString(den, 10)
		if !ok1 || !ok2 || d.Sign() == 0 {
			return nil, false
		}
		r.SetFrac(n, d)
	} else if r, ok = r.SetString(s); !ok {
		return nil, false
	}
	if percent {
		r.Quo(r, big.NewRat(100, 1))
	}
	return r, true
}

// ParseTime parses a time in RFC 3339 form, or a date, which means midnight UTC.
func ParseTime(s string) (time.Time, bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' || s[7] != '-' { // rejects most strings early
		return time.Time{}, false
	}
	layout := time.RFC3339Nano
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}

// isFingerprint reports whether s consists of 64 binary digits.
func isFingerprint(s string) bool { return len(s) == 64 && strings.Trim(s, "01") == "" }

// Constants of SimHint.
var one, two, hundred = big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(100, 1)

// SimHint reports whether a number is a similarity. If not, it suggests the intended one.
func SimHint(text string) (hint string, ok bool) {
	r, ok := ParseNumber(text)
	switch {
	case !ok, r.Sign() < 0:
		return "", false
	case r.Cmp(one) <= 0:
		return "", true
	case !strings.HasSuffix(text, "%") && r.Cmp(two) >= 0 && r.Cmp(hundred) <= 0: // 1.1 is hardly meant as 1.1%
		return "did you mean " + text + "%?", false
	}
	return "", false
}

// isInteger reports whether s consists of digits.
func isInteger(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
