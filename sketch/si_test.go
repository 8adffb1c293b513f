package sketch

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/text"
)

// plainJavaHash is the definition in unbounded integers.
func plainJavaHash(s string) int32 {
	h := new(big.Int)
	for _, u := range utf16.Encode([]rune(s)) {
		h.Mul(h, big.NewInt(31)).Add(h, big.NewInt(int64(u)))
	}
	return int32(uint32(h.Mod(h, big.NewInt(1<<32)).Uint64()))
}

func TestJavaHash(t *testing.T) {
	for s, want := range map[string]int32{
		"": 0, "a": 97, "Aa": 2112, "BB": 2112, "hello": 99162322, "four": 3149094,
		"polygenelubricants": math.MinInt32, "\U0001F600": 1772899,
	} {
		if got := JavaHash(s); got != want || got != plainJavaHash(s) {
			t.Errorf("JavaHash(%q) = %d, want %d, by the definition %d", s, got, want, plainJavaHash(s))
		}
	}
}

func TestGramHashes(t *testing.T) {
	const doc = "Four score and \U0001F600 seven \U0001D400x years \xff ago, our fathers brought forth"
	for _, kind := range []text.StreamKind{text.CharStream, text.WordStream, text.SoundexStream} {
		s := text.ReadStream(doc, kind, 'A')
		for k := 1; k < 60; k++ {
			var want []int32
			for g := range s.Grams(k) {
				want = append(want, plainJavaHash(string(g)))
			}
			if got := gramHashes(s, k); !slices.Equal(got, want) {
				t.Errorf("gramHashes(stream %d, %d) = %v, want %v", kind, k, got, want)
			}
		}
	}
}

// randomHashes returns up to 60 hashes, often equal ones.
func randomHashes(rng *rand.Rand) []int32 {
	hashes := make([]int32, rng.IntN(60))
	for i := range hashes {
		if hashes[i] = int32(rng.Uint32()); rng.IntN(2) == 0 {
			hashes[i] %= 60
		}
	}
	return hashes
}

// The selectors again, each as its sentence says it.
func plainSelectors(n int) map[string]struct{ fast, plain func([]int32) []int32 } {
	return map[string]struct{ fast, plain func([]int32) []int32 }{
		"zeroMod25": {zeroMod25, func(hashes []int32) (kept []int32) {
			for _, h := range hashes {
				if h == h/25*25 {
					kept = append(kept, h)
				}
			}
			return kept
		}},
		"winnow": {func(hashes []int32) []int32 { return winnow(hashes, n) }, func(hashes []int32) (kept []int32) {
			last := -1
			for i := 0; i+min(n, len(hashes)) <= len(hashes) && len(hashes) > 0; i++ {
				least := i
				for j := i; j < i+min(n, len(hashes)); j++ {
					if hashes[j] <= hashes[least] {
						least = j
					}
				}
				if least != last {
					kept = append(kept, hashes[least])
				}
				last = least
			}
			return kept
		}},
		"lowest": {func(hashes []int32) []int32 { return lowest(hashes, n) }, func(hashes []int32) (kept []int32) {
			return selectionSort(hashes, n, func(a, b int32) bool { return a < b })
		}},
		"highest": {func(hashes []int32) []int32 { return highest(hashes, n) }, func(hashes []int32) []int32 {
			return selectionSort(hashes, n, func(a, b int32) bool { return a > b })
		}},
	}
}

// selectionSort takes the first of all in order, n times, without its equals.
func selectionSort(hashes []int32, n int, before func(a, b int32) bool) (kept []int32) {
	for len(kept) < n {
		var first *int32
		for i, h := range hashes {
			if !slices.Contains(kept, h) && (first == nil || before(h, *first)) {
				first = &hashes[i]
			}
		}
		if first == nil {
			break
		}
		kept = append(kept, *first)
	}
	return kept
}

func TestSelectors(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 3000 {
		hashes, n := randomHashes(rng), 1+rng.IntN(20)
		for name, s := range plainSelectors(n) {
			got, want := s.fast(slices.Clone(hashes)), s.plain(slices.Clone(hashes))
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s(%v), n or w %d = %v, want %v", seed, name, hashes, n, got, want)
			}
		}
	}
}

func TestZeroMod25OfNegatives(t *testing.T) {
	if got := zeroMod25([]int32{-50, -49, -25, -1, 0, 24, 25, math.MinInt32, math.MaxInt32}); !slices.Equal(got, []int32{-50, -25, 0, 25}) {
		t.Errorf("zeroMod25 = %v, want [-50 -25 0 25]", got)
	}
}

func TestRandomThird(t *testing.T) {
	hashes := make([]int32, 30000)
	for i := range hashes {
		hashes[i] = int32(i)
	}
	kept := randomThird(slices.Clone(hashes))
	if n := len(kept); n < 9600 || n > 10400 { // 10,000 with a deviation of 82
		t.Errorf("randomThird keeps %d of 30,000", n)
	}
	if want := []int32{3, 4, 10, 11, 16}; !slices.Equal(kept[:5], want) {
		t.Errorf("randomThird keeps the places %v first, want %v: the seed is part of the method", kept[:5], want)
	}
	if again := randomThird(slices.Clone(hashes[:300])); !slices.Equal(again, kept[:len(again)]) {
		t.Error("randomThird of a beginning is not the beginning of randomThird")
	}
}

func TestFrequentTokens(t *testing.T) {
	s := text.ReadStream("b a c b d a e b", text.WordStream, 'A')
	for n, want := range []string{"", "b", "ba", "bac", "bacd", "bacde", "bacde"} {
		var hashes []int32
		for _, r := range want {
			hashes = append(hashes, r)
		}
		if got := frequentTokens(s, n); !slices.Equal(got, hashes) {
			t.Errorf("frequentTokens(…, %d) = %v, want those of %q", n, got, want)
		}
	}
}

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

// Rabin's test: p of degree n is irreducible iff it divides x^2ⁿ − x and has no
// divisor in common with x^2^(n/q) − x for any prime q that divides n.
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

// all yields the 656 indexes of the paper's grid.
func all(yield func(SI) bool) {
	for method := range 55 {
		for v := byte('A'); v <= 'D'; v++ {
			for _, run := range [][2]int{{4, 5}, {8, 12}, {16, 25}, {40, 100}} {
				si := SI{method, v, run[0], run[1], DefaultN}
				if si.Validate() == nil && !yield(si) {
					return
				}
			}
		}
	}
}

func TestEveryMethodWorks(t *testing.T) {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(8, 8))
	for range 600 { // 600 words of which some are stop words, some repeat
		fmt.Fprintf(&b, "%c%c%c ", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
		if rng.IntN(4) == 0 {
			b.WriteString("the ")
		}
	}
	n, empty := 0, 0
	values := map[int64]bool{}
	for si := range all {
		n++
		v, ok := si.Value(b.String())
		if again, okAgain := si.Value(b.String()); again != v || okAgain != ok {
			t.Errorf("%v: two values %d and %d of one text", si, v, again)
		}
		if !ok {
			empty++
			continue
		}
		values[v] = true
		if _, ok := si.Value("too short"); ok && si.base() != 13 && si.K > 9 {
			t.Errorf("%v has a value where there is no k-gram", si)
		}
		if got := Within(v, v, 3, 10); got != (v != 0) {
			t.Errorf("%v: Within(%d, itself) = %v", si, v, got)
		}
	}
	// The 24 repeats of method 13 for other k differ in nothing; a few variations
	// happen to select the same.
	if len(values) < 600 {
		t.Errorf("%d indexes give only %d different values", n, len(values))
	}
	if n != 656 || empty != 0 {
		t.Errorf("%d indexes, %d of them without a value, want 656 and 0", n, empty)
	}
}

// The whole way once more, step by step, for each method.
func TestValueDefinition(t *testing.T) {
	docs := []string{gettysburg, strings.Repeat(gettysburg, 3), "Été à la \U0001F600 mer, the sea", ""}
	for si := range all {
		for _, doc := range docs {
			if si.K > 16 {
				continue
			}
			s := text.ReadStream(doc, text.StreamKind(si.Method/20), text.Variation(si.Variation))
			var hashes []int32
			for g := range s.Grams(si.K) {
				hashes = append(hashes, plainJavaHash(string(g)))
			}
			switch si.Method % 20 {
			case 3, 4:
				hashes = plainSelectors(0)["zeroMod25"].plain(hashes)
			case 5, 6:
				hashes = plainSelectors(si.W)["winnow"].plain(hashes)
			case 7, 8:
				hashes = plainSelectors(si.N)["lowest"].plain(hashes)
			case 9, 10:
				hashes = plainSelectors(si.N)["highest"].plain(hashes)
			case 11, 12:
				hashes = randomThird(hashes)
			case 13:
				hashes = frequentTokens(s, 200)
			}
			var want int64
			switch m := si.Method % 20; {
			case len(hashes) == 0:
			case m == 14:
				want = superShingle(slices.Clone(hashes), si.K)
			case slices.Contains([]int{1, 3, 5, 7, 9, 11, 13}, m):
				for _, h := range hashes {
					want += int64(h)
				}
			default:
				want = rabin(hashes)
			}
			if got, ok := si.Value(doc); got != want || ok != (len(hashes) > 0) {
				t.Errorf("%v of %d bytes = %d, %v, want %d, %v", si, len(doc), got, ok, want, len(hashes) > 0)
			}
		}
	}
}

const gettysburg = "Four score and seven years ago our fathers brought forth on this continent, a new nation, " +
	"conceived in Liberty, and dedicated to the proposition that all men are created equal."

// The values must never change: stores hold them.
func TestKnownValues(t *testing.T) {
	for s, want := range map[string]int64{
		"m1a k4": 470928500, "m2a k4": 5805026774072276638, "m3b k4": 6891575, "m25a k4 w5": -12240234411, "m27c k4": -4283626911, "m9d k4 n20": 71487470, "m32a k4": 3520711140173768970, "m33a": 1348588252, "m54d k4": -1165242839, "m43a k4": -1223763950,
	} {
		si, err := ParseSI(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := si.Value(gettysburg); got != want || !ok {
			t.Errorf("%s = %d, %v, want %d", s, got, ok, want)
		}
	}
}

func TestParseSI(t *testing.T) {
	for s, want := range map[string]SI{
		"m43b k40":         {43, 'B', 40, 0, 0},
		"m43b k40 w100":    {43, 'B', 40, 0, 0},
		" M43B\tW100  K8 ": {43, 'B', 8, 0, 0},
		"43b":              {43, 'B', 40, 0, 0},
		"m7a k16 n200":     {7, 'A', 16, 0, 200},
		"m7a n200 k16":     {7, 'A', 16, 0, 200},
		"m9":               {9, 'A', 40, 0, 400},
		"m5c":              {5, 'C', 40, 100, 0},
		"m26d w5 k4":       {26, 'D', 4, 5, 0},
		"m33a k7":          {33, 'A', 0, 0, 0},
		"m54d k10000":      {54, 'D', 10000, 0, 0},
	} {
		if got, err := ParseSI(s); got != want || err != nil {
			t.Errorf("ParseSI(%q) = %+v, %v, want %+v", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"": "such as m43b", "b": "such as m43b", "m": "such as m43b", "mb": "such as m43b", "m+3b": "such as m43b", "m4é": "such as m43b", "k40 m43b": "such as m43b",
		"m43e": "no variation 'E'", "m0a": "no method 0", "m15a": "no method 15", "m20a": "no method 20", "m55a": "no method 55", "m99999999999": "such as m43b",
		"m13a": "method 13 counts words", "m14a k1": "k from 2 up",
		"m43b k0": "want k from 1 to 10000", "m43b k10001": "want k from 1", "m43b k": "want k from 1", "m43b k-4": "want k from 1", "m43b w0": "want w from 1", "m7a n0": "want n from 1",
		"m43b k4 k4": "has k twice", "m43b q4": "want k, w or n", "m43b 40": "want k, w or n",
	} {
		if got, err := ParseSI(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSI(%q) = %v, %v, want an error with %q", s, got, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, si := range []SI{{}, {-1, 'A', 4, 5, 4}, {60, 'A', 4, 5, 4}, {1, 'a', 4, 5, 4}, {1, 0, 4, 5, 4}, {1, 'A', 0, 5, 4}, {5, 'A', 4, 0, 4}, {8, 'A', 4, 5, -1}} {
		if si.Validate() == nil {
			t.Errorf("%+v is valid", si)
		}
	}
	for _, si := range []SI{{1, 'A', 1, 0, 0}, {33, 'D', 0, 0, 0}, {5, 'A', 4, 5, 0}, {10, 'A', 4, 0, 7}} {
		if err := si.Validate(); err != nil {
			t.Errorf("%+v: %v", si, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Value of an index that does not exist did not panic")
		}
	}()
	SI{Method: 13, Variation: 'A', K: 4}.Value("x")
}

func TestStringParsesBack(t *testing.T) {
	for si := range all {
		got, err := ParseSI(si.String())
		if err != nil || got != si.used() || got.String() != si.String() {
			t.Errorf("ParseSI(%q) = %+v, %v, want %+v", si.String(), got, err, si.used())
		}
	}
}

func FuzzParseSI(f *testing.F) {
	for _, s := range []string{"m43b k40", "M7A n200 k16", "m33", "m5a w5", "m13a", "é", "m14a k1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		si, err := ParseSI(s)
		if err != nil {
			return
		}
		if err := si.Validate(); err != nil {
			t.Fatalf("ParseSI(%q) = %+v, which is not valid: %v", s, si, err)
		}
		if again, err := ParseSI(si.String()); again != si || err != nil {
			t.Fatalf("ParseSI(%q) = %+v, but %q gives %+v, %v", s, si, si.String(), again, err)
		}
	})
}

// plainWithin is the paper's condition in unbounded rationals.
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

func ExampleSI_Value() {
	si, err := ParseSI("m23a k2")
	if err != nil {
		panic(err)
	}
	a, _ := si.Value("the quick brown fox jumps over the lazy dog and runs far away into the deep dark wood")
	b, _ := si.Value("The quick brown fox jumps over the lazy dog, and runs far away into the deep dark woods.")
	fmt.Println(si, Within(a, b, 3, 10))
	// Output: m23a k2 true
}

func BenchmarkSI(b *testing.B) {
	texts := realtext.Files(b, "roth")
	slices.SortFunc(texts, func(x, y string) int { return cmp.Compare(len(x), len(y)) })
	doc := texts[len(texts)/4]
	for _, name := range []string{"m1a k40", "m3b k40", "m5a k40", "m7a k40", "m14a k4", "m14a k40", "m23b k40", "m33a", "m43b k40", "m44b k40"} {
		si, err := ParseSI(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(name, " ", ""), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				si.Value(doc)
			}
		})
	}
}
