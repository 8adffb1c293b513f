package value

// Numbers are exact: float64(0.8) is more than 4/5, and no float64 is 9007199254740993.

import (
	"cmp"
	"math/big"
	"math/bits"
	"strings"
)

// Fraction is a similarity as it is counted; Den 0 makes it 0, as the measures have it.
type Fraction struct{ Num, Den uint64 }

// Number returns a value that is a number, and nil for any other.
func Number(v any) *big.Rat {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v)
	case Fraction:
		if v.Den == 0 {
			return new(big.Rat)
		}
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(v.Num), new(big.Int).SetUint64(v.Den))
	case *big.Rat:
		return v
	}
	return nil
}

// compareNumbers orders two numbers exactly. Short ones need no memory.
func compareNumbers(a, b any) int {
	aNeg, aNum, aDen, aShort := parts(a)
	bNeg, bNum, bDen, bShort := parts(b)
	switch {
	case !aShort || !bShort:
		return Number(a).Cmp(Number(b))
	case aNeg != bNeg && aNeg:
		return -1
	case aNeg != bNeg:
		return 1
	case aNeg:
		aNum, aDen, bNum, bDen = bNum, bDen, aNum, aDen
	}
	aHi, aLo := bits.Mul64(aNum, bDen)
	bHi, bLo := bits.Mul64(bNum, aDen)
	return cmp.Or(cmp.Compare(aHi, bHi), cmp.Compare(aLo, bLo))
}

// parts is a number as a fraction, if it is short.
func parts(v any) (neg bool, num, den uint64, short bool) {
	switch v := v.(type) {
	case int64:
		if v < 0 {
			return true, -uint64(v), 1, true
		}
		return false, uint64(v), 1, true
	case Fraction:
		if v.Den == 0 {
			return false, 0, 1, true
		}
		return false, v.Num, v.Den, true
	case *big.Rat:
		if v.Num().IsInt64() && v.Denom().IsInt64() {
			neg, num, _, _ = parts(v.Num().Int64())
			return neg, num, v.Denom().Uint64(), true
		}
	}
	return false, 0, 0, false
}

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

// Float is the nearest float64.
func Float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
