package run

// Aggregates: sum, avg, min and max of a field over the rows of a group. They are exact.

import (
	"context"
	"fmt"
	"math/big"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/value"
)

const (
	aggregateBytes = 120 // memory of an aggregate
	partBytes      = 250 // memory of one denominator of its sum, without the digits
)

// aggregate is a sum, avg, min or max. It skips NULL and values that are not numbers.
type aggregate struct {
	name string // sum, avg, min or max
	n    int64  // count of numbers added
	best any    // of min and max

	// The sum is whole plus parts. Numerators are added per denominator, and denominators
	// are combined only once, in result, because the similarities of a million rows have
	// very many of them.
	whole int64
	parts map[string]*big.Int // numerators, by the bytes of their denominator
}

// add adds the value of some rows, and returns the memory that it took in bytes. odd
// reports a value that add skipped although it is not NULL.
func (t *aggregate) add(v any, rows int64) (bytes int64, odd bool) {
	number := value.Numeric(value.Of(v))
	if number == nil {
		return 0, v != nil
	}
	t.n += rows
	if t.name == "min" || t.name == "max" {
		if c, _ := value.Compare(number, t.best); t.best == nil || t.name == "min" && c < 0 || t.name == "max" && c > 0 {
			t.best = number
		}
		return 0, false
	}
	if i, ok := number.(int64); ok {
		all := i * rows
		if sum := t.whole + all; all/rows == i && (sum > t.whole) == (i > 0) { // else overflow: use parts
			t.whole = sum
			return 0, false
		}
	}
	return t.part(value.Number(number), rows), false
}

// part adds a number to the numerator of its denominator.
func (t *aggregate) part(r *big.Rat, rows int64) (bytes int64) {
	if t.parts == nil {
		t.parts = map[string]*big.Int{}
	}
	// Addition of integers is cheap as long as the denominator is the same.
	of := string(r.Denom().Bytes())
	sum := t.parts[of]
	if sum == nil {
		bytes = partBytes + 3*int64(len(of))
		sum = new(big.Int)
		t.parts[of] = sum
	}
	sum.Add(sum, new(big.Int).Mul(r.Num(), big.NewInt(rows)))
	return bytes
}

// maxSumBits bounds the common denominator of a sum, because combining two takes time
// quadratic in their bits. All fractions with denominators up to n together need 1.44 n
// bits, so similarities of texts of up to 180,000 shingles fit.
const maxSumBits = 1 << 18

// result returns the aggregate, nil if there were no numbers, or an error past maxSumBits.
func (t *aggregate) result(ctx context.Context) (any, error) {
	switch {
	case t.n == 0:
		return nil, nil
	case t.best != nil:
		return t.best, nil
	}
	// whole has the denominator 1.
	sums := []*big.Rat{new(big.Rat).SetInt64(t.whole)}
	for of, sum := range t.parts {
		sums = append(sums, new(big.Rat).SetFrac(sum, new(big.Int).SetBytes([]byte(of))))
	}
	for len(sums) > 1 { // pairwise, because a sum grows with its denominators
		half := (len(sums) + 1) / 2
		for i, other := range sums[half:] {
			if sums[i].Add(sums[i], other); sums[i].Denom().BitLen() > maxSumBits {
				return nil, fmt.Errorf("%s: its fractions have a common denominator of more than %d bits, which %w", t.name, maxSumBits, api.ErrTooLarge)
			}
			// One addition of long fractions may take milliseconds.
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		sums = sums[:half]
	}
	if t.name == "avg" {
		sums[0].Quo(sums[0], new(big.Rat).SetInt64(t.n))
	}
	return value.Of(sums[0]), nil
}
