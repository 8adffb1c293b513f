package sketch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// plainWithin is the condition of paper 000, page 10 and figure 2, in unbounded
// rationals.
func plainWithin(si, other int64, num, den uint64) bool {
	share := new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
	center := new(big.Rat).SetInt64(si)
	reach := new(big.Rat).Mul(new(big.Rat).Abs(center), share)
	low, high := new(big.Rat).Sub(center, reach), new(big.Rat).Add(center, reach)
	at := new(big.Rat).SetInt64(other)
	return low.Cmp(at) < 0 && at.Cmp(high) < 0
}

func TestWithin(t *testing.T) {
	const least, most, all64 = math.MinInt64, math.MaxInt64, math.MaxUint64
	for _, c := range []struct {
		si, other int64
		num, den  uint64
		want      bool
	}{
		{100, 100, 3, 10, true}, {100, 71, 3, 10, true}, {100, 70, 3, 10, false}, {100, 129, 3, 10, true}, {100, 130, 3, 10, false}, {130, 100, 3, 10, true},
		{-100, -71, 3, 10, true}, {-100, -70, 3, 10, false}, {-100, 100, 3, 10, false}, {-100, -130, 3, 10, false},
		{0, 0, 3, 10, false}, {0, 1, all64, 1, false}, {5, 5, 0, 1, false}, {1, 1, 1, all64, true}, {3, 3, 3, 10, true}, {3, 4, 3, 10, false},
		{100, -99, 2, 1, true}, {100, -100, 2, 1, false}, {1, least, all64, 1, true}, {1, most, all64, 1, true},
		{least, most, 2, 1, true}, {least, least, 1, all64, true}, {most, least, 2, 1, false}, {most, least + 2, 2, 1, true},
	} {
		if got := Within(c.si, c.other, c.num, c.den); got != c.want || plainWithin(c.si, c.other, c.num, c.den) != c.want {
			t.Errorf("Within(%d, %d, %d/%d) = %v, want %v", c.si, c.other, c.num, c.den, got, c.want)
		}
	}
}

func TestIntervalOnRandomNumbers(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, seed))
	number := func() int64 { return int64(rng.Uint64()) >> rng.IntN(64) }
	for range 10000 {
		si, num, den := number(), rng.Uint64()>>rng.IntN(64), 1+rng.Uint64()>>(1+rng.IntN(63))
		low, high, ok := Interval(si, num, den)
		others := []int64{number(), si, low, high}
		if low > math.MinInt64 {
			others = append(others, low-1)
		}
		if high < math.MaxInt64 {
			others = append(others, high+1)
		}
		for _, other := range others {
			want := plainWithin(si, other, num, den)
			if got := ok && low <= other && other <= high; got != want || Within(si, other, num, den) != want {
				t.Fatalf("seed %d: Interval(%d, %d/%d) = %d, %d, %v, but %d is within: %v", seed, si, num, den, low, high, ok, other, want)
			}
		}
	}
}

func TestWithinNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a share over 0 did not panic")
		}
	}()
	Within(1, 1, 1, 0)
}

func TestAround(t *testing.T) {
	for _, c := range []struct {
		v         int64
		d         uint64
		low, high int64
	}{
		{100, 30, 70, 130},
		{-100, 30, -130, -70},
		{0, 0, 0, 0},
		{5, 10, -5, 15},
		{math.MaxInt64 - 1, 5, math.MaxInt64 - 6, math.MaxInt64},
		{math.MinInt64 + 1, 5, math.MinInt64, math.MinInt64 + 6},
		{-1, math.MaxUint64, math.MinInt64, math.MaxInt64},
		{math.MinInt64, 1 << 63, math.MinInt64, 0},
	} {
		if low, high := Around(c.v, c.d); low != c.low || high != c.high {
			t.Errorf("Around(%d, %d) = %d, %d, want %d, %d", c.v, c.d, low, high, c.low, c.high)
		}
	}
}
