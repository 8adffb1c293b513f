package measure_test

// Scores at thresholds, against math/big.

import (
	"math/big"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Thresholds of nearly 64 bits are as exact as small ones.
func TestMatchAtThresholdsOfManyDigits(t *testing.T) {
	set := func(n int) (b shingle.Bag) {
		for i := range n {
			b.Set = append(b.Set, uint64(i))
		}
		b.Total = uint64(n)
		return b
	}
	for _, s := range []string{
		"0.9999999999999999999", "0.8000000000000000001", "0.7999999999999999999", "99.99999999999999999%",
		"14757395258967641293/18446744073709551615", "14757395258967641291/18446744073709551615", "18446744073709551614/18446744073709551615", "1/18446744073709551615",
	} {
		th, err := api.ParseThreshold(s)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 10; n++ {
			for m := n; m <= 10; m++ {
				_, got := measure.Resemblance.Match(set(n), set(m), th)
				if want := th.Admits(uint64(n), uint64(m)); got != want {
					t.Errorf("resemblance %d/%d at %s: match is %v, want %v", n, m, s, got, want)
				}
			}
		}
	}
}

func rat(num, den uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
}
