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
	aggregateBytes = 120 // what an aggregate takes
	partBytes      = 250 // and each denominator of its sum, beside the digits
)

// aggregate is a sum, avg, min or max. NULL and what is no number is passed over.
type aggregate struct {
	name string // sum, avg, min or max
	n    int64  // numbers that came
	best any    // of min and max

	// The sum is that of whole and parts. The numerators of a denominator are added up, and the
	// denominators brought together once, because the similarities of a million rows have
	// very many of them.
	whole int64
	parts map[string]*big.Int // numerators, by the bytes of their denominator
}

// add takes the value of some rows, and returns how many bytes that took. odd says that it is
// passed over, and not because it is NULL.
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
		if sum := t.whole + all; all/rows == i && (sum > t.whole) == (i > 0) { // else it is too large
			t.whole = sum
			return 0, false
		}
	}
	return t.part(value.Number(number), rows), false
}

// part adds a number to those of its denominator.
func (t *aggregate) part(r *big.Rat, rows int64) (bytes int64) {
	if t.parts == nil {
		t.parts = map[string]*big.Int{}
	}
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

// maxSumBits bounds the common denominator of a sum. Bringing two together takes the square of
// their bits. That of all fractions with denominators up to n has 1.44 n bits, so similarities
// of texts with 180,000 shingles are within it.
const maxSumBits = 1 << 18

// result returns the number, nil if none came.
func (t *aggregate) result(ctx context.Context) (any, error) {
	switch {
	case t.n == 0:
		return nil, nil
	case t.best != nil:
		return t.best, nil
	}
	sums := []*big.Rat{new(big.Rat).SetInt64(t.whole)}
	for of, sum := range t.parts {
		sums = append(sums, new(big.Rat).SetFrac(sum, new(big.Int).SetBytes([]byte(of))))
	}
	for len(sums) > 1 { // by twos: a sum grows with its denominators
		half := (len(sums) + 1) / 2
		for i, other := range sums[half:] {
			if sums[i].Add(sums[i], other); sums[i].Denom().BitLen() > maxSumBits {
				return nil, fmt.Errorf("%s: its fractions have a common denominator of more than %d bits, which %w", t.name, maxSumBits, api.ErrTooLarge)
			}
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
