package measure_test

// The integer cosine against math/big.

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/measure"
)

func TestWordsOf(t *testing.T) {
	rose, red := measure.WordsOf("rose", 0), measure.WordsOf("RED!", 0)
	if len(rose) != 1 || len(red) != 1 || rose[0].Hash == red[0].Hash || rose[0].Count != 1 {
		t.Fatalf("WordsOf(rose), WordsOf(RED!) = %v, %v, want two different words", rose, red)
	}
	want := measure.Vector{{Hash: rose[0].Hash, Count: 3}, {Hash: red[0].Hash, Count: 1}}
	slices.SortFunc(want, func(a, b measure.Term) int {
		if a.Hash < b.Hash {
			return -1
		}
		return 1
	})
	if got := measure.WordsOf("A rose is a Rose,\nand the ROSE is red.", 0); !slices.Equal(got, want) {
		t.Errorf("WordsOf = %v, want %v", got, want)
	}
	for _, doc := range []string{"", "the and of", "?!"} {
		if got := measure.WordsOf(doc, 0); len(got) != 0 {
			t.Errorf("WordsOf(%q) = %v, want none", doc, got)
		}
	}
}

func terms(counts ...uint32) (v measure.Vector) {
	for i, c := range counts {
		if c > 0 {
			v = append(v, measure.Term{Hash: uint64(i), Count: c})
		}
	}
	return v
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		query, doc measure.Vector
		weight     func(uint64) uint64
		want       uint64
	}{
		{terms(1), terms(1), nil, 1e9},
		{terms(1, 2, 3), terms(2, 4, 6), nil, 1e9}, // the same direction
		{terms(1), terms(0, 1), nil, 0},
		{nil, nil, nil, 0},
		{terms(1), nil, nil, 0},
		{terms(3, 4), terms(1), nil, 6e8}, // 3/5
		{terms(1, 1), terms(1), nil, 707106781},
		{terms(1, 1, 1), terms(1), nil, 577350269},
		{terms(1, 1), terms(1), func(uint64) uint64 { return 0 }, 0},
		{terms(1, 1), terms(1), func(h uint64) uint64 { return h }, 0}, // the common word weighs 0
		{terms(3, 1), terms(1), func(h uint64) uint64 { return 1 + 3*h }, 6e8},
		{terms(math.MaxUint32, math.MaxUint32), terms(math.MaxUint32), func(uint64) uint64 { return math.MaxUint64 }, 707106781},
	} {
		want := measure.Score{Shared: c.want, Union: 1e9, Of: 1e9}
		for _, sides := range [][2]measure.Vector{{c.query, c.doc}, {c.doc, c.query}} {
			if got := measure.Cosine(sides[0], sides[1], c.weight); got != want {
				t.Errorf("Cosine(%v, %v) = %+v, want %+v", sides[0], sides[1], got, want)
			}
		}
	}
}

// cosineIs checks that s is ⌊10⁹·cos⌋: (s/10⁹)² ≤ cos² < ((s+1)/10⁹)², where
// cos² is dot²/(|q|²·|d|²).
func cosineIs(s measure.Score, query, doc measure.Vector, weight func(uint64) uint64) bool {
	component := func(v measure.Vector, hash uint64) *big.Int {
		for _, t := range v {
			if t.Hash == hash {
				return new(big.Int).Mul(big.NewInt(int64(t.Count)), new(big.Int).SetUint64(weight(hash)))
			}
		}
		return new(big.Int)
	}
	product := func(a, b measure.Vector) *big.Int {
		sum := new(big.Int)
		for _, t := range a {
			sum.Add(sum, new(big.Int).Mul(component(a, t.Hash), component(b, t.Hash)))
		}
		return sum
	}
	squares := new(big.Int).Mul(product(query, query), product(doc, doc))
	if squares.Sign() == 0 {
		return s.Shared == 0
	}
	dot := product(query, doc)
	cos := new(big.Rat).SetFrac(new(big.Int).Mul(dot, dot), squares)
	low, high := rat(s.Shared, 1e9), rat(s.Shared+1, 1e9)
	return low.Mul(low, low).Cmp(cos) <= 0 && cos.Cmp(high.Mul(high, high)) < 0 && s.Of == 1e9 && s.Union == 1e9
}

func TestCosineAgainstRat(t *testing.T) {
	const seed = 45
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 500 {
		vector := func() (v measure.Vector) {
			for h := range uint64(10) {
				if rng.IntN(2) == 0 {
					v = append(v, measure.Term{Hash: h, Count: 1 + rng.Uint32()>>rng.IntN(32)})
				}
			}
			return v
		}
		factor := rng.Uint64N(1 << (1 + n%28))
		weight := func(hash uint64) uint64 { return hash*factor + 1 }
		query, doc := vector(), vector()
		if got := measure.Cosine(query, doc, weight); !cosineIs(got, query, doc, weight) {
			t.Fatalf("seed %d: Cosine(%v, %v) = %+v with factor %d", seed, query, doc, got, factor)
		}
	}
}

func TestIDF(t *testing.T) {
	const unit = 1 << 16
	for _, c := range []struct{ n, df, want uint64 }{
		{0, 0, unit}, {10, 10, unit}, {10, 99, unit}, {7, 3, 2 * unit}, {15, 0, 5 * unit}, {1<<63 - 1, 0, 64 * unit}, {math.MaxUint64, 0, 64 * unit},
		{2, 1, unit + 38336}, // log₂(3/2) = 0.58496…
		{5, 4, unit + 17238}, // log₂(6/5) = 0.26303…
		{math.MaxUint64, math.MaxUint64, unit},
	} {
		if got := measure.IDF(c.n, c.df); got != c.want {
			t.Errorf("IDF(%d, %d) = %d, want %d", c.n, c.df, got, c.want)
		}
	}
	const seed = 46
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		n := rng.Uint64() >> (1 + rng.IntN(60))
		df := rng.Uint64N(n + 1)
		exact := unit * (1 + math.Log2(float64(n+1)/float64(df+1)))
		if got := measure.IDF(n, df); float64(got) > exact+0.01 || float64(got) < exact-2 {
			t.Fatalf("seed %d: IDF(%d, %d) = %d, want %f", seed, n, df, got, exact)
		}
		if n > 0 && df < n && measure.IDF(n, df) < measure.IDF(n, df+1) {
			t.Fatalf("seed %d: IDF(%d, %d) is below that of %d", seed, n, df, df+1)
		}
	}
}

func ExampleCosine() {
	query := measure.WordsOf("A rose is a rose.", 0)
	doc := measure.WordsOf("The rose is red.", 0)
	fmt.Printf("%.9f\n", measure.Cosine(query, doc, nil).Sim())
	// Output: 0.707106781
}
