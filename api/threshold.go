package api

// Thresholds, parsed, printed and compared in integers, so that rounding loses no match at the bound.

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Threshold is a similarity bound as an exact rational in [0,1]. Decisions at
// the bound are made in integers: in float64 (1−0.9)·10 is 0.9999999999999998.
//
// The fraction is in lowest terms, so equal thresholds are ==.
type Threshold struct{ num, den uint64 }

// Ratio returns the threshold num/den. If num > den or den is 0, the threshold is invalid: a search
// with it returns ErrInvalid, and no fingerprint reaches it.
func Ratio(num, den uint64) Threshold {
	if num > den || den == 0 {
		return Threshold{2, 1}
	}
	return reduced(num, den)
}

// reduced returns num/den in lowest terms; den is not 0.
func reduced(num, den uint64) Threshold {
	if num == 0 {
		return Threshold{}
	}
	d := gcd(num, den)
	return Threshold{num / d, den / d}
}

// maxDecimals is the largest number n of decimals with 10ⁿ < 2⁶⁴.
const maxDecimals = 19

// grades names ranges of resemblance in everyday words, the highest first.
// docs/guide/which-measure.md has the precision and recall of the bounds.
var grades = []struct {
	name string
	from Threshold
}{{"same", Threshold{19, 20}}, {"nearly the same", Threshold{4, 5}}, {"much in common", Threshold{1, 2}}}

// Grade returns the everyday name of a resemblance over shingles of three words: same from 0.95,
// nearly the same from 0.8, much in common from 0.5, and "" below. ParseThreshold accepts these
// names.
func Grade(sim float64) string {
	for _, g := range grades {
		if sim >= g.from.Float64() {
			return g.name
		}
	}
	return ""
}

// ParseThreshold parses "0.8", "80%", "4/5", "1" or the name of a Grade; anything else is
// ErrInvalid. The error for "80" suggests 80%. Below 2 there is no suggestion, because 1.1 hardly
// means 1.1%.
func ParseThreshold(s string) (Threshold, error) {
	body := strings.TrimSpace(s)
	for _, g := range grades {
		if strings.EqualFold(body, g.name) {
			return g.from, nil
		}
	}
	if num, den, ok := strings.Cut(body, "/"); ok {
		return parseRatio(s, strings.TrimSpace(num), strings.TrimSpace(den))
	}
	body, percent := strings.CutSuffix(body, "%")
	whole, decimals, err := parseDecimal(s, strings.TrimSpace(body))
	if err != nil {
		return Threshold{}, err
	}
	if percent {
		decimals += 2
	}
	if decimals > maxDecimals {
		return Threshold{}, refused("threshold %q has too many decimals: want at most %d", s, maxDecimals)
	}
	den := powerOfTen(decimals)
	if whole <= den {
		return reduced(whole, den), nil
	}
	if hi, lo := bits.Mul64(den, 100); !percent && whole/2 >= den && (hi > 0 || whole <= lo) {
		return Threshold{}, refused("threshold %q is above 1: did you mean %s%%?", s, body)
	}
	return Threshold{}, refused("threshold %q is above 1", s)
}

// parseRatio parses the two integers of a fraction. s is the whole threshold, for messages.
func parseRatio(s, num, den string) (Threshold, error) {
	n, nDecimals, err := parseDecimal(s, num)
	if err != nil {
		return Threshold{}, err
	}
	d, dDecimals, err := parseDecimal(s, den)
	switch {
	case err != nil:
		return Threshold{}, err
	case nDecimals+dDecimals > 0:
		return Threshold{}, refused("threshold %q: want integers around the slash", s)
	case d == 0:
		return Threshold{}, refused("threshold %q divides by zero", s)
	case n > d:
		return Threshold{}, refused("threshold %q is above 1", s)
	}
	return reduced(n, d), nil
}

// parseDecimal parses digits with at most one point among them as value/10^decimals. s is the whole
// threshold, for messages.
func parseDecimal(s, body string) (value uint64, decimals int, err error) {
	if strings.HasPrefix(body, "-") {
		return 0, 0, refused("threshold %q is negative: want 0 to 1", s)
	}
	whole, fraction, _ := strings.Cut(body, ".")
	fraction = strings.TrimRight(fraction, "0")
	if strings.Trim(body, "0123456789.") != "" || strings.Contains(fraction, ".") || strings.Trim(body, ".") == "" {
		return 0, 0, refused("threshold %q is not a number: want one like 0.8, 80%% or 4/5", s)
	}
	value, err = strconv.ParseUint("0"+whole+fraction, 10, 64)
	if err != nil {
		return 0, 0, refused("threshold %q has too many digits: want at most %d", s, maxDecimals)
	}
	return value, len(fraction), nil
}

func powerOfTen(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// ThresholdOf converts a float by its shortest decimal, so that ThresholdOf(0.8) is 4/5, although
// float64(0.8) is slightly larger. The decimal of a float like 1.0/30000 has too many digits; then
// ThresholdOf returns the first fraction that rounds to the float: 1/30000. NaN and values outside
// [0,1] are ErrInvalid.
func ThresholdOf(f float64) (Threshold, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Threshold{}, refused("threshold %v is not a number from 0 to 1", f)
	}
	if f == 0 { // or −0
		return Threshold{}, nil
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if _, fraction, _ := strings.Cut(s, "."); len(fraction) > maxDecimals && f > 0 && f < 1 {
		if t, ok := simplest(f); ok {
			return t, nil
		}
	}
	return ParseThreshold(s)
}

// simplest returns the first convergent of the continued fraction of f, in (0,1), that rounds to f,
// or false if its denominator has more than 64 bits.
func simplest(f float64) (Threshold, bool) {
	one := big.NewInt(1)
	rest := new(big.Rat).SetFloat64(f)
	num, den := big.NewInt(0), big.NewInt(1) // the convergent
	num0, den0 := big.NewInt(1), big.NewInt(0)
	for rest.Sign() != 0 {
		rest.Inv(rest)
		whole := new(big.Int).Quo(rest.Num(), rest.Denom())
		rest.Sub(rest, new(big.Rat).SetFrac(whole, one))
		num, num0 = new(big.Int).Add(new(big.Int).Mul(whole, num), num0), num
		den, den0 = new(big.Int).Add(new(big.Int).Mul(whole, den), den0), den
		if !den.IsUint64() {
			break
		}
		if near, _ := new(big.Rat).SetFrac(num, den).Float64(); near == f {
			return Threshold{num.Uint64(), den.Uint64()}, true // in lowest terms, as all convergents are
		}
	}
	return Threshold{}, false
}

// Fraction returns the fraction, 0/1 for the zero value.
func (t Threshold) Fraction() (num, den uint64) { return t.num, max(t.den, 1) }

// Admits reports whether num/den ≥ t, exactly. It never admits den 0.
func (t Threshold) Admits(num, den uint64) bool {
	tNum, tDen := t.Fraction()
	return den > 0 && cmpProducts(num, tDen, tNum, den) >= 0
}

// Ceil returns ⌈t·n⌉.
func (t Threshold) Ceil(n uint64) uint64 {
	num, den := t.Fraction()
	hi, lo := bits.Mul64(num, n)
	quo, rem := bits.Div64(hi, lo, den) // hi < den, as t ≤ 1
	if rem > 0 {
		quo++
	}
	return quo
}

// Overlap returns the number of common members that two sets with total members together need for
// resemblance ≥ t. From s/(total−s) ≥ t follows s ≥ ⌈t/(1+t)·total⌉.
func (t Threshold) Overlap(total uint64) uint64 {
	num, den := t.Fraction()
	if sum, carry := bits.Add64(num, den, 0); carry == 0 {
		return Threshold{num, sum}.Ceil(total)
	}
	n, d := new(big.Int).SetUint64(num), new(big.Int).SetUint64(den)
	d.Add(d, n) // 65 bits
	quo, rem := n.Mul(n, new(big.Int).SetUint64(total)).QuoRem(n, d, new(big.Int))
	if rem.Sign() > 0 {
		return quo.Uint64() + 1
	}
	return quo.Uint64()
}

// Cmp compares thresholds: −1, 0 or +1.
func (t Threshold) Cmp(u Threshold) int {
	tNum, tDen := t.Fraction()
	uNum, uDen := u.Fraction()
	return cmpProducts(tNum, uDen, uNum, tDen)
}

// cmpProducts compares a·b with c·d in 128 bits.
func cmpProducts(a, b, c, d uint64) int {
	abHi, abLo := bits.Mul64(a, b)
	cdHi, cdLo := bits.Mul64(c, d)
	return cmp.Or(cmp.Compare(abHi, cdHi), cmp.Compare(abLo, cdLo))
}

// Float64 returns the nearest float64.
func (t Threshold) Float64() float64 {
	num, den := t.Fraction()
	return nearest(num, den)
}

// nearest returns the float64 nearest to num/den. Integers of up to 53 bits are
// exact as floats, and dividing them rounds once.
func nearest(num, den uint64) float64 {
	if num|den < 1<<53 {
		return float64(num) / float64(den)
	}
	f, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den)).Float64()
	return f
}

// String returns the shortest decimal, such as "0.8", or "num/den" if no
// decimal is exact.
func (t Threshold) String() string {
	num, den := t.Fraction()
	switch {
	case num == den || num == 0:
		return strconv.FormatUint(num, 10)
	case num > den: // invalid; every search rejects it
		return fmt.Sprintf("%d/%d", num, den)
	}
	decimals := max(exponent(den, 2), exponent(den, 5))
	if decimals > maxDecimals || powerOfTen(decimals)%den != 0 {
		return fmt.Sprintf("%d/%d", num, den)
	}
	return fmt.Sprintf("0.%0*d", decimals, powerOfTen(decimals)/den*num)
}

// exponent returns the multiplicity of the factor p in n.
func exponent(n, p uint64) int {
	e := 0
	for ; n%p == 0; n /= p {
		e++
	}
	return e
}
