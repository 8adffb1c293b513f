package value

// Numbers are exact: float64(0.8) is more than 4/5, and no float64 is 9007199254740993.

import (
	"math/big"
	"strings"
)

// Whole returns a number as an int64, if it is one.
func Whole(r *big.Rat) (int64, bool) {
	if r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Decimal writes a number in digits. It is exact if 20 decimal places are enough.
func Decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(20), "0"), ".")
}

// Ratio is num/den, and 0 if den is 0, as the measures have it.
func Ratio(num, den uint64) *big.Rat {
	r := new(big.Rat)
	if den == 0 {
		return r
	}
	return r.SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
}

// Float is the nearest float64.
func Float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
