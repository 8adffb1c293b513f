package api

// The weights of Tversky's measure.

import (
	"fmt"
	"strconv"
	"strings"
)

// Weight is the factor of Tversky's measure for shingles in only one of the texts: an exact
// fraction in lowest terms, from 0 to MaxWeight. The zero value means not given, which is 1.
type Weight struct{ num, den uint64 }

// MaxWeight is the maximum weight, and maxUnit the maximum denominator.
const (
	MaxWeight = 100
	maxUnit   = 1000
)

// ParseWeight parses "1", "0.5" or "1/3"; anything else is ErrInvalid.
func ParseWeight(s string) (Weight, error) {
	text := strings.TrimSpace(s)
	num, den := uint64(0), uint64(1)
	var err error
	if over, under, ok := strings.Cut(text, "/"); ok {
		if num, err = strconv.ParseUint(strings.TrimSpace(over), 10, 32); err == nil {
			den, err = strconv.ParseUint(strings.TrimSpace(under), 10, 32)
		}
	} else {
		var decimals int
		if num, decimals, err = parseDecimal(s, text); err == nil && decimals <= maxDecimals {
			den = powerOfTen(decimals)
		}
	}
	if err != nil || den == 0 {
		return Weight{}, refused("weight %q is not a number: want one like 1, 0.5 or 1/3", s)
	}
	t := lowest(num, den)
	if t.den > maxUnit || t.num > MaxWeight*t.den {
		return Weight{}, refused("weight %q: want 0 to %d, with at most three decimals or a denominator up to %d", s, MaxWeight, maxUnit)
	}
	return t, nil
}

// noWeight is an invalid weight, which Check rejects.
var noWeight = Weight{(MaxWeight + 1) * maxUnit, 1}

// WeightOf returns the weight with the shortest decimal of a float, so that 0.1 is 1/10. If that is
// no valid weight, it returns a weight that Check rejects.
func WeightOf(x float64) Weight {
	w, err := ParseWeight(strconv.FormatFloat(x, 'f', -1, 64))
	if err != nil {
		return noWeight
	}
	return w
}

// lowest returns num/den in lowest terms.
func lowest(num, den uint64) Weight {
	d := gcd(num, den)
	return Weight{num / d, den / d}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Given reports whether the weight is not the zero value.
func (w Weight) Given() bool { return w.den > 0 }

// Fraction returns the fraction, 1/1 for the zero value.
func (w Weight) Fraction() (num, den uint64) {
	if w.den == 0 {
		return 1, 1
	}
	return w.num, w.den
}

// String returns the weight in the syntax of ParseWeight: the shortest decimal, or a fraction if no
// decimal is exact.
func (w Weight) String() string {
	num, den := w.Fraction()
	for decimals := range 4 {
		if p := powerOfTen(decimals); p%den == 0 {
			return strconv.FormatFloat(float64(num)/float64(den), 'f', decimals, 64)
		}
	}
	return fmt.Sprintf("%d/%d", num, den)
}

// Threshold converts the weight to a threshold. Nothing reaches a threshold above 1.
func (w Weight) Threshold() Threshold { return Threshold(w) }
