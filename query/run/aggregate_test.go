package run

// Aggregates beside big numbers.

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/value"
)

// A sum is exact: it overflows nothing, and is that of fractions added one by one. What is no
// number, and NULL, is passed over.
func TestAggregatesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		sum, least, most := new(big.Rat), (*big.Rat)(nil), (*big.Rat)(nil)
		all := map[string]*aggregate{}
		for _, name := range []string{"sum", "avg", "min", "max"} {
			all[name] = &aggregate{name: name}
		}
		n := 0
		for range r.IntN(40) {
			v := []any{int64(r.Uint64()), int64(math.MaxInt64), int64(math.MinInt64), int64(0), value.Fraction{Num: r.Uint64N(9), Den: r.Uint64N(9)},
				json.Number("-0.125"), json.Number("12345678901234567890"), " 7 ", "1/3", 0.1, nil, "no number", true, []any{1}}[r.IntN(14)]
			odd := false
			for _, a := range all {
				_, odd = a.add(v, 1)
			}
			number := value.Number(value.Numeric(value.Of(v)))
			if odd != (number == nil && v != nil) {
				t.Fatalf("add(%v) says odd: %v", v, odd)
			}
			if number == nil {
				continue
			}
			n++
			sum = new(big.Rat).Add(sum, number)
			if least == nil || number.Cmp(least) < 0 {
				least = number
			}
			if most == nil || number.Cmp(most) > 0 {
				most = number
			}
		}
		want := map[string]*big.Rat{"sum": sum, "min": least, "max": most}
		if n > 0 {
			want["avg"] = new(big.Rat).Quo(sum, new(big.Rat).SetInt64(int64(n)))
		}
		for name, a := range all {
			result, err := a.result(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := value.Number(result)
			if n == 0 && got != nil || n > 0 && (got == nil || got.Cmp(want[name]) != 0) {
				t.Errorf("%s of %d numbers is %v, want %v", name, n, got, want[name])
			}
		}
	}
}

// A sum whose common denominator is huge is refused, and one that is given up ends.
func TestHugeSum(t *testing.T) {
	a := aggregate{name: "sum"}
	for i := range int64(1000) { // fractions of 1000 and more bits that have no factor in common
		of := new(big.Int).Lsh(big.NewInt(1), 1000)
		a.add(new(big.Rat).SetFrac(big.NewInt(1), of.Add(of, big.NewInt(2*i+1))), 1)
	}
	if got, err := a.result(t.Context()); !errors.Is(err, api.ErrTooLarge) {
		t.Errorf("a sum of huge fractions: %.40v, %v, want ErrTooLarge", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.result(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a sum that is given up: %v", err)
	}
}

// A cell is exact if its digits are few, else the nearest float64.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		in, want any
	}{
		{int64(3), int64(3)}, {big.NewRat(3, 10), json.Number("0.3")}, {big.NewRat(-1, 8), json.Number("-0.125")},
		{big.NewRat(1, 3), 1.0 / 3}, {value.Fraction{Num: 4, Den: 2}, int64(2)}, {nil, nil},
		{new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 70)), json.Number("1180591620717411303424")},
	} {
		if got := value.Cell(tt.in); got != tt.want {
			t.Errorf("Cell(%v) = %v, want %v", tt.in, got, tt.want)
		}
	}
}
