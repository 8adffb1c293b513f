package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/internal/shingle"
)

func TestRankIsBySteps(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(seed, 60, 50, "wide", uint8(1+seed), false)
		for _, bag := range w.bags {
			want := slices.Clone(bag.Set)
			slices.SortFunc(want, func(a, b uint64) int {
				return cmp.Or(cmp.Compare(w.layout.Order.class(a), w.layout.Order.class(b)), cmp.Compare(a, b))
			})
			if got := w.layout.Order.Rank([]uint64{1, 2}, bag.Set); !slices.Equal(got[2:], want) || got[1] != 2 {
				t.Fatalf("seed %d: Rank(%x) = %x, want %x", seed, bag.Set, got, want)
			}
			for k := range len(want) + 2 {
				if got := w.layout.Order.First([]uint64{1, 2}, bag.Set, k); !slices.Equal(got[2:], want[:min(k, len(want))]) || got[1] != 2 {
					t.Fatalf("seed %d: First(%x, %d) = %x, want %x", seed, bag.Set, k, got, want)
				}
			}
		}
	}
}

func TestRankPutsRareFirst(t *testing.T) {
	b := NewOrderBuilder(10)
	rare, common := uint64(9)<<60, uint64(1)<<60
	b.Add(shingle.Set{common, rare})
	for range 70_000 { // beyond what a counter holds
		b.Add(shingle.Set{common})
	}
	o := b.Order()
	if got := o.Rank(nil, shingle.Set{common, rare}); got[0] != rare {
		t.Errorf("Rank put the common shingle first")
	}
	if f := o.Frequency(common, 140_000); f < 120_000 || f > 140_000 {
		t.Errorf("Frequency of a shingle in all of 140,000 sets = %v", f)
	}
	if f := o.Frequency(rare, 140_000); f > 10 {
		t.Errorf("Frequency of a rare shingle = %v", f)
	}
}

func TestOrderCounters(t *testing.T) {
	for members, want := range map[uint64]int{0: 1 << 12, 5000: 1 << 12, 1 << 20: 1 << 20, 1<<21 - 1: 1 << 20, math.MaxUint64: 1 << 24} {
		if got := len(NewOrderBuilder(members).counts); got != want {
			t.Errorf("NewOrderBuilder(%d) has %d counters, want %d", members, got, want)
		}
	}
}

func TestOrderEncode(t *testing.T) {
	w := newWorld(1, 60, 50, "wide", 13, false)
	b := w.layout.Order.Encode()
	o, err := DecodeOrder(b)
	if err != nil {
		t.Fatal(err)
	}
	if o.bits != 13 || o.sampled != w.layout.Order.sampled || !slices.Equal(o.classes, w.layout.Order.classes) {
		t.Errorf("DecodeOrder(Encode()) differs")
	}
	for _, n := range []int{0, 1, 5, 6, 100, len(b) - 1} {
		if _, err := DecodeOrder(b[:n]); !errors.Is(err, ErrPage) {
			t.Errorf("DecodeOrder of %d bytes = %v, want ErrPage", n, err)
		}
	}
	b[100] = 200
	if _, err := DecodeOrder(b); !errors.Is(err, ErrPage) {
		t.Errorf("DecodeOrder with class 200 = %v, want ErrPage", err)
	}
}

func TestStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(0, math.MaxUint32-1).Draw(t, "n")
		c := step(n)
		if step(n+1) < c {
			t.Fatalf("step(%d) = %d, step(%d) = %d", n, c, n+1, step(n+1))
		}
		if s := stepStart(c); s > n || step(s) != c || s > 0 && step(s-1) != c-1 {
			t.Fatalf("stepStart(%d) = %d", c, s)
		}
	})
	if got := step(math.MaxUint16) - 1; got >= orderClasses {
		t.Errorf("the class of the largest count is %d", got)
	}
}

func FuzzDecodeOrder(f *testing.F) {
	f.Add(orderOf(3, nil).Encode())
	f.Add(newWorld(1, 20, 20, "wide", 5, false).layout.Order.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := DecodeOrder(b)
		if err != nil {
			if !errors.Is(err, ErrPage) {
				t.Errorf("DecodeOrder = %v, want ErrPage", err)
			}
			return
		}
		if !slices.Equal(o.Encode(), b) {
			t.Errorf("Encode(DecodeOrder(%x)) = %x", b, o.Encode())
		}
		set := shingle.Set{1, 1 << 40, math.MaxUint64}
		ranked := o.Rank(nil, set)
		if k := len(set) / 3; !slices.Equal(o.First(nil, set, k), ranked[:k]) {
			t.Errorf("First of %x, %d is not what Rank begins with", set, k)
		}
		o.Frequency(ranked[0], rand.IntN(10))
		slices.Sort(ranked)
		if !slices.Equal(ranked, set) {
			t.Errorf("Rank loses members: %x", ranked)
		}
	})
}

// Long sets with few and with many rare members: First stops early, or does not.
func TestFirstOfLongSets(t *testing.T) {
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, common := range []int{0, 1, 2, 10} { // of ten counters
		b := NewOrderBuilder(1 << 12)
		var often shingle.Set
		for c := range uint64(1 << 12) {
			if rng.IntN(10) < common {
				often = append(often, c<<52)
			}
		}
		for range 3 {
			b.Add(often)
		}
		o := b.Order()
		for _, n := range []int{1, 63, 64, 65, 300, 1024, 1025, 3000} {
			set := make(shingle.Set, n)
			for i := range set {
				set[i] = rng.Uint64()
			}
			slices.Sort(set)
			want := slices.Clone(set)
			slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(o.class(a), o.class(b)) })
			for _, k := range []int{0, 1, n/5 + 1, n / 2, n - 1, n, n + 1} {
				if got := o.First(nil, set, k); !slices.Equal(got, want[:min(k, n)]) {
					t.Fatalf("seed %d: First %d of %d members, %d of ten common, differs from their order", seed, k, n, common)
				}
			}
		}
	}
}

func TestCoarse(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 50 {
		classes := make([]uint8, n)
		for i := range classes {
			classes[i] = uint8(rng.IntN(1 + rng.IntN(orderClasses)))
		}
		c, ok := newCoarse(classes)
		if !ok {
			t.Fatalf("seed %d: newCoarse refuses %v", seed, classes)
		}
		for i, want := range classes {
			if got := c.class(uint64(i)); got != min(want, highClass) {
				t.Fatalf("seed %d: the coarse class of number %d of %v is %d", seed, i, classes, got)
			}
		}
		for i := range classes {
			damaged := slices.Clone(classes)
			damaged[i] = uint8(orderClasses + rng.IntN(256-orderClasses))
			if _, ok := newCoarse(damaged); ok {
				t.Fatalf("seed %d: newCoarse takes %v", seed, damaged)
			}
		}
	}
}

// Four million counters, as of 16,384 texts of 2 kB: they are not in the cache.
func BenchmarkFirst(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 9))
	counts := NewOrderBuilder(1 << 23)
	for i := range counts.counts {
		counts.counts[i] = uint16(max(1, rng.ExpFloat64()*2))
	}
	o := counts.Order()
	sets := make([]shingle.Set, 2000)
	for i := range sets {
		sets[i] = make(shingle.Set, 340)
		for j := range sets[i] {
			sets[i][j] = rng.Uint64()
		}
		slices.Sort(sets[i])
	}
	for _, k := range []int{70, 171} {
		b.Run(fmt.Sprintf("%d of 340", k), func(b *testing.B) {
			var dst []uint64
			i := 0
			for b.Loop() {
				dst = o.First(dst[:0], sets[i%len(sets)], k)
				i++
			}
		})
	}
}
