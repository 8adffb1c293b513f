package query

// Exact numbers. Thresholds are compared with them, because a comparison must
// not round.

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// rational is an exact number. Comparisons with a threshold must not round:
// float64(0.8) is more than 4/5, and no float64 is 9007199254740993.
type rational struct {
	neg      bool
	num, den uint64   // the magnitude, if it fits
	big      *big.Rat // the number, if it does not
}

var (
	one     = rational{num: 1, den: 1}
	hundred = rational{num: 100, den: 1}
)

// ratio returns num/den, and 0 if den is 0, as the measures do.
func ratio(num, den uint64) rational {
	if den == 0 {
		return rational{den: 1}
	}
	return rational{num: num, den: den}
}

func integer(i int64) rational {
	if i < 0 {
		return rational{neg: true, num: -uint64(i), den: 1}
	}
	return rational{num: uint64(i), den: 1}
}

// maxExponent bounds the decimal exponents that are read exactly: 1e1000000000
// would need 400 MB.
const maxExponent = 400

// parseRational reads "3", "-0.8", "80%", "1e-3" or "4/5". It accepts at most
// 100 digits and exponents up to ±400.
func parseRational(s string) (rational, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return integer(n), true
	}
	s, percent := strings.CutSuffix(s, "%")
	if len(s) > 104 {
		return rational{}, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e < -maxExponent || e > maxExponent {
			return rational{}, false
		}
	}
	if strings.Trim(s, "0123456789+-.eE/") != "" { // no hex, no Inf, no underscores
		return rational{}, false
	}
	r, ok := new(big.Rat), true
	if num, den, isFraction := strings.Cut(s, "/"); isFraction { // SetString would read 010/20 as octal
		n, ok1 := new(big.Int).SetString(num, 10)
		d, ok2 := new(big.Int).SetString(den, 10)
		if !ok1 || !ok2 || d.Sign() == 0 {
			return rational{}, false
		}
		r.SetFrac(n, d)
	} else if r, ok = r.SetString(s); !ok {
		return rational{}, false
	}
	if percent {
		r.Quo(r, big.NewRat(100, 1))
	}
	return fromBig(r), true
}

func fromBig(r *big.Rat) rational {
	num := new(big.Int).Abs(r.Num())
	if num.IsUint64() && r.Denom().IsUint64() {
		return rational{neg: r.Sign() < 0, num: num.Uint64(), den: r.Denom().Uint64()}
	}
	return rational{neg: r.Sign() < 0, big: r}
}

// oneMinus returns 1 − r.
// around returns the whole numbers next below and above r, or r twice, as far as int64 goes.
func (r rational) around() (low, high int64) {
	whole := new(big.Int)
	rest := new(big.Int)
	whole.DivMod(r.rat().Num(), r.rat().Denom(), rest) // below r, also if that is negative
	if !whole.IsInt64() {
		if whole.Sign() < 0 {
			return math.MinInt64, math.MinInt64
		}
		return math.MaxInt64, math.MaxInt64
	}
	low = whole.Int64()
	if rest.Sign() == 0 || low == math.MaxInt64 {
		return low, low
	}
	return low, low + 1
}

func oneMinus(r rational) rational { return fromBig(new(big.Rat).Sub(big.NewRat(1, 1), r.rat())) }

func (r rational) rat() *big.Rat {
	if r.big != nil {
		return r.big
	}
	x := new(big.Rat).SetFrac(new(big.Int).SetUint64(r.num), new(big.Int).SetUint64(r.den))
	if r.neg {
		x.Neg(x)
	}
	return x
}

// compare returns −1, 0 or +1, exactly.
func (r rational) compare(s rational) int {
	switch {
	case r.big != nil || s.big != nil:
		return r.rat().Cmp(s.rat())
	case r.neg && !s.neg:
		return -1
	case s.neg && !r.neg:
		return 1
	}
	rh, rl := bits.Mul64(r.num, s.den)
	sh, sl := bits.Mul64(s.num, r.den)
	c := 0
	switch {
	case rh < sh || rh == sh && rl < sl:
		c = -1
	case rh > sh || rl > sl:
		c = 1
	}
	if r.neg {
		return -c
	}
	return c
}

// decimal returns the number in digits. It is exact if 20 decimal places are
// enough.
func (r rational) decimal() string {
	s := r.rat().FloatString(20)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// whole returns the number as an int64, if it is one.
func (r rational) whole() (int64, bool) {
	if r.big != nil || r.den != 1 || r.num > 1<<63-1 {
		return 0, false
	}
	if r.neg {
		return -int64(r.num), true
	}
	return int64(r.num), true
}
