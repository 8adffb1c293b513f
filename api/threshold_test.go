package api_test

// These tests check thresholds against math/big: parsing, rounding and every
// comparison at the bound.

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/api"
)

func TestParseThreshold(t *testing.T) {
	for in, want := range map[string]string{
		"0.8": "0.8", ".8": "0.8", "80%": "0.8", "79.5%": "0.795", "4/5": "0.8", "1": "1", "100%": "1", "0": "0", "0%": "0", "0.0": "0",
		"1.": "1", "1.000": "1", "0.80": "0.8", " 0.8 ": "0.8", "80 %": "0.8", "1/3": "1/3", "2 / 6": "1/3", "0/7": "0", "7/7": "1",
		"0.1234567890123456789": "0.1234567890123456789", "12.5%": "0.125", "0.05": "0.05", "1/65536": "0.0000152587890625",
		"18446744073709551615/18446744073709551615": "1",
	} {
		got, err := api.ParseThreshold(in)
		if err != nil || got.String() != want {
			t.Errorf("ParseThreshold(%q) = %v, %v, want %v", in, got, err, want)
		}
		if again, err := api.ParseThreshold(want); again != got || err != nil {
			t.Errorf("ParseThreshold(%q) = %v, %v, want that of %q", want, again, err, in)
		}
	}
}

func TestParseThresholdErrors(t *testing.T) {
	for in, want := range map[string]string{
		"80": "did you mean 80%?", "79.5": "did you mean 79.5%?", "2": "did you mean 2%?", "1.99": `"1.99" is above 1`, "101": "above 1", "120%": "above 1", "5/4": "above 1",
		"-0.1": "negative", "-5%": "negative", "-1/2": "negative", "1/-2": "negative", "1/0": "divides by zero", "0.5/1": "integers",
		"": "not a number", ".": "not a number", "%": "not a number", "abc": "not a number", "0.8x": "not a number", "1e-1": "not a number",
		"0x1": "not a number", "1_0": "not a number", "0.8.1": "not a number", "..5": "not a number", "80%%": "not a number", "NaN": "not a number",
		"+1": "not a number", "/": "not a number", "1/2/3": "not a number", "٠.٨": "not a number",
		"0.00000000000000000001": "too many decimals", "0.123456789012345678901": "too many digits", "99999999999999999999": "too many digits",
	} {
		if got, err := api.ParseThreshold(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseThreshold(%q) = %v, %v, want an error with %q", in, got, err, want)
		} else if !strings.Contains(want, "mean") && strings.Contains(err.Error(), "mean") {
			t.Errorf("ParseThreshold(%q): %v, want no hint", in, err)
		}
	}
}

func TestThresholdOf(t *testing.T) {
	for in, want := range map[float64]string{0.8: "0.8", 0.1: "0.1", 0: "0", 1: "1", 1e-5: "0.00001", 0.1 + 0.2: "0.3", 0.795: "0.795", math.Copysign(0, -1): "0"} {
		got, err := api.ThresholdOf(in)
		if err != nil || got.String() != want {
			t.Errorf("FromFloat(%v) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []float64{-0.1, 1.5, 80, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64} {
		if got, err := api.ThresholdOf(in); err == nil {
			t.Errorf("FromFloat(%v) = %v, want an error", in, got)
		}
	}
}

// The shortest decimal of these has more decimals than a threshold holds.
func TestThresholdOfOfManyDecimals(t *testing.T) {
	for _, den := range []uint64{30000, 70001, 1<<32 - 5} {
		want := api.Ratio(1, den)
		if got, err := api.ThresholdOf(1 / float64(den)); got != want || err != nil {
			t.Errorf("FromFloat(1/%d) = %v, %v", den, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(1e-18, 1).Draw(t, "f")
		got, err := api.ThresholdOf(f)
		if err != nil || got.Float64() != f {
			t.Fatalf("FromFloat(%v) = %v, %v", f, got, err)
		}
	})
}

// Where float64 goes wrong: 0.9·10 and its like.
func TestCeil(t *testing.T) {
	for _, c := range []struct {
		t       string
		n, want uint64
	}{
		{"0.9", 10, 9}, {"0.9", 11, 10}, {"0.8", 5, 4}, {"0.1", 30, 3}, {"0.7", 10, 7}, {"0.55", 100, 55}, {"0.29", 100, 29}, {"0.07", 100, 7},
		{"1/3", 3, 1}, {"1/3", 4, 2}, {"0", 5, 0}, {"1", 5, 5}, {"0.5", 0, 0}, {"1", math.MaxUint64, math.MaxUint64}, {"0.5", math.MaxUint64, 1 << 63},
	} {
		th, err := api.ParseThreshold(c.t)
		if err != nil {
			t.Fatal(err)
		}
		if got := th.Ceil(c.n); got != c.want {
			t.Errorf("Ceil(%s·%d) = %d, want %d", c.t, c.n, got, c.want)
		}
	}
}

func rat(num, den uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
}

func TestThresholdAgainstRat(t *testing.T) {
	small := rapid.Custom(func(t *rapid.T) [2]uint64 {
		den := rapid.Uint64Range(1, 1<<32-1).Draw(t, "den")
		return [2]uint64{rapid.Uint64Range(0, den).Draw(t, "num"), den}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := small.Draw(t, "a"), small.Draw(t, "b")
		th, other := api.Ratio(a[0], a[1]), api.Ratio(b[0], b[1])
		exact := rat(a[0], a[1])
		if got, want := th.Cmp(other), exact.Cmp(rat(b[0], b[1])); got != want {
			t.Fatalf("%v.Cmp(%v) = %d, want %d", th, other, got, want)
		}
		if (th == other) != (th.Cmp(other) == 0) {
			t.Fatalf("%v == %v is not Cmp", th, other)
		}
		num, den := rapid.Uint64().Draw(t, "num"), rapid.Uint64().Draw(t, "den")
		if got, want := th.Admits(num, den), den > 0 && rat(num, max(den, 1)).Cmp(exact) >= 0; got != want {
			t.Fatalf("%v.Admits(%d, %d) = %v", th, num, den, got)
		}
		if !th.Admits(a[0], a[1]) {
			t.Fatalf("%v does not admit itself", th)
		}
		up := new(big.Int).Add(new(big.Int).Mul(exact.Num(), new(big.Int).SetUint64(num)), new(big.Int).Sub(exact.Denom(), big.NewInt(1)))
		if got, want := th.Ceil(num), up.Div(up, exact.Denom()).Uint64(); got != want {
			t.Fatalf("%v.Ceil(%d) = %d, want %d", th, num, got, want)
		}
		if want, _ := exact.Float64(); th.Float64() != want {
			t.Fatalf("%v.Float64() = %v, want %v", th, th.Float64(), want)
		}
		if again, err := api.ParseThreshold(th.String()); again != th || err != nil {
			t.Fatalf("ParseThreshold(%v) = %v, %v", th, again, err)
		}
		if from, err := api.ThresholdOf(th.Float64()); err == nil && from.Float64() != th.Float64() {
			t.Fatalf("FromFloat(%v) = %v", th.Float64(), from)
		}
	})
}

func TestRatioThatThereIsNot(t *testing.T) {
	for _, r := range [][2]uint64{{1, 0}, {2, 1}, {0, 0}} {
		if api.Ratio(r[0], r[1]).Cmp(api.Ratio(1, 1)) <= 0 {
			t.Errorf("Ratio(%d, %d) is a similarity", r[0], r[1])
		}
	}
}

func FuzzParseThreshold(f *testing.F) {
	for _, s := range []string{"0.8", "80%", "4/5", "80", "-1", "1e9", "0.1234567890123456789"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		th, err := api.ParseThreshold(s)
		if err != nil {
			return
		}
		if again, err := api.ParseThreshold(th.String()); again != th || err != nil {
			t.Fatalf("ParseThreshold(%q) = %v; that again: %v, %v", s, th, again, err)
		}
	})
}

func FuzzParseWeight(f *testing.F) {
	for _, s := range []string{"1", "0.5", "1/3", "100", "-0", "1e2", "0.0001", "200/2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, err := api.ParseWeight(s)
		if err != nil {
			return
		}
		if again, err := api.ParseWeight(w.String()); again != w || err != nil {
			t.Fatalf("ParseWeight(%q) = %v; that again: %v, %v", s, w, again, err)
		}
	})
}
