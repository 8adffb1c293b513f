package sketch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSum(t *testing.T) {
	if got := sum([]int32{math.MinInt32, math.MinInt32, -1, 5}); got != -(1<<32)+4 {
		t.Errorf("sum = %d, want %d", got, -(1<<32)+4)
	}
	if got := sum(nil); got != 0 {
		t.Errorf("sum(nil) = %d, want 0", got)
	}
}

// polynomials over GF(2) in a big.Int, bit i for xⁱ.

func polynomial() *big.Int { return new(big.Int).SetUint64(rabinPolynomial) }

func modulo(a, p *big.Int) *big.Int {
	a = new(big.Int).Set(a)
	for a.BitLen() >= p.BitLen() {
		a.Xor(a, new(big.Int).Lsh(p, uint(a.BitLen()-p.BitLen())))
	}
	return a
}

// xToTheTwoTo returns x to the power of 2ⁿ modulo p.
func xToTheTwoTo(n int, p *big.Int) *big.Int {
	x := big.NewInt(2)
	for range n {
		square := new(big.Int) // over GF(2), the square of a sum is the sum of the squares
		for i := range x.BitLen() {
			square.SetBit(square, 2*i, x.Bit(i))
		}
		x = modulo(square, p)
	}
	return x
}

// Rabin's test: p of degree n is irreducible iff it divides x^2ⁿ − x and has no common
// divisor with x^2^(n/q) − x for any prime q that divides n.
func irreducible(p *big.Int, primes ...int) bool {
	n, x := p.BitLen()-1, big.NewInt(2)
	if xToTheTwoTo(n, p).Cmp(x) != 0 {
		return false
	}
	for _, q := range primes {
		a, b := p, xToTheTwoTo(n/q, p)
		for b = b.Xor(b, x); b.Sign() != 0; {
			a, b = b, modulo(a, b)
		}
		if a.BitLen() != 1 {
			return false
		}
	}
	return true
}

func TestRabinPolynomialIsIrreducible(t *testing.T) {
	if !irreducible(polynomial(), 3, 7) {
		t.Errorf("%x is not irreducible", uint64(rabinPolynomial))
	}
	for below := uint64(0x121fb54442d18469); below != rabinPolynomial&(1<<63-1); below += 2 {
		if p := new(big.Int).SetUint64(1<<63 | below); irreducible(p, 3, 7) {
			t.Errorf("%x comes first", p)
		}
	}
}

func TestRabin(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 500 {
		hashes := randomHashes(rng)
		bits := big.NewInt(1)
		for _, h := range hashes {
			bits.Lsh(bits, 32).Or(bits, big.NewInt(int64(uint32(h))))
		}
		if got, want := rabin(hashes), modulo(bits, polynomial()).Int64(); got != want || got < 0 {
			t.Fatalf("seed %d: rabin(%v) = %d, want %d", seed, hashes, got, want)
		}
	}
	if a, b := rabin([]int32{0, 7}), rabin([]int32{7}); a == b {
		t.Errorf("a leading 0 does not change the hash %d", a)
	}
}

func TestSuperShingle(t *testing.T) {
	plain := func(hashes []int32, k int) int64 {
		for len(hashes) > 1 {
			var next []int32
			for i := 0; i == 0 || i+k <= len(hashes); i++ {
				var h int32
				for _, v := range hashes[i:min(i+k, len(hashes))] {
					h = 31*h + v
				}
				next = append(next, h)
			}
			hashes = next
		}
		return int64(hashes[0])
	}
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 2000 {
		hashes, k := append(randomHashes(rng), 1), 2+rng.IntN(10)
		if got, want := superShingle(slices.Clone(hashes), k), plain(hashes, k); got != want {
			t.Fatalf("seed %d: superShingle(%v, %d) = %d, want %d", seed, hashes, k, got, want)
		}
	}
}
