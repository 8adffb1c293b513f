package query

// Numbers as the language writes them. They are exact: float64(0.8) is more than 4/5, and no
// float64 is 9007199254740993.

import (
	"math/big"
	"strconv"
	"strings"
)

// maxExponent bounds the decimal exponents that are read exactly: 1e1000000000
// would need 400 MB.
const maxExponent = 400

// parseNumber reads "3", "-0.8", "80%", "1e-3" or "4/5". It accepts at most
// 100 digits and exponents up to ±400.
func parseNumber(s string) (*big.Rat, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return big.NewRat(n, 1), true
	}
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
