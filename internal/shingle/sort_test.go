package shingle

// All ways to sort and collapse hashes against each other.

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// shapes are uneven distributions, each derived from an even one: equal hashes, unequal
// hashes with the same high bits, sorted hashes.
var shapes = map[string]func([]uint64){
	"even":         func([]uint64) {},
	"two values":   masked(1 << 63),
	"low bits":     masked(0xff),
	"both ends":    masked(1<<63 | 1),
	"equal":        masked(0),
	"low 50 bits":  masked(1<<50 - 1),
	"high 12 bits": masked(0xfff << 52),
	"greatest": func(h []uint64) {
		for i := range h {
			h[i] |= ^uint64(3)
		}
	},
	"sorted":   slices.Sort[[]uint64],
	"reversed": func(h []uint64) { slices.Sort(h); slices.Reverse(h) },
	"reversed and alike": func(h []uint64) {
		for i := range h {
			h[i] = uint64(len(h) - i)
		}
	},
	"half alike": func(h []uint64) {
		for i := range h[:len(h)/2] {
			h[i] = h[0]&^0xff | h[i]&0xff
		}
	},
	"repeated": func(h []uint64) {
		for i := range h {
			h[i] = h[h[i]%uint64(i+1)]
		}
	},
}

func masked(mask uint64) func([]uint64) {
	return func(hashes []uint64) {
		for i := range hashes {
			hashes[i] &= mask
		}
	}
}

// checkBag describes the first fault of sorting and collapsing, "" if there is none.
func checkBag(s *sorter, hashes []uint64) string {
	want := slices.Sorted(slices.Values(hashes))
	sorted := s.sort(slices.Clone(hashes))
	if !slices.Equal(sorted, want) {
		return "does not sort"
	}
	if len(sorted) == 0 {
		return ""
	}
	counts := make([]uint32, len(sorted))
	n := collapse(sorted, counts)
	if n != len(slices.Compact(slices.Clone(want))) {
		return "does not collapse"
	}
	for i, h := range sorted[:n] {
		if c := int(counts[i]); len(want) < c || want[0] != h || want[c-1] != h {
			return "does not collapse or count"
		}
		want = want[counts[i]:]
	}
	return ""
}

func TestSortAndCollapse(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	var s sorter
	lengths := []int{500, 1<<maxDigit - 1, 1 << maxDigit, 5000, 1 << 13, 1<<13 + 1, 20_000, 70_000}
	for n := 1; n < 300; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		even := make([]uint64, n)
		for i := range even {
			even[i] = rng.Uint64()
		}
		for name, shape := range shapes {
			hashes := slices.Clone(even)
			shape(hashes)
			if wrong := checkBag(&s, hashes); wrong != "" {
				t.Errorf("seed %d: %s %d hashes, %s", seed, wrong, n, name)
			}
		}
	}
}

// The input is a list of hashes; its first byte is the number of their common high
// bits.
func FuzzSortAndCollapse(f *testing.F) {
	f.Add(slices.Repeat([]byte("abcdefgh12345678"), 20))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 {
			return
		}
		shift := in[0] % 64
		var hashes []uint64
		for in = in[1:]; len(in) >= 8; in = in[1:] {
			hashes = append(hashes, binary.BigEndian.Uint64(in)>>shift)
		}
		if wrong := checkBag(new(sorter), hashes); wrong != "" {
			t.Errorf("%s %x", wrong, hashes)
		}
	})
}

// A crafted text with the same high bits in all hashes must not take quadratic time:
// fifty thousand would take seconds.
func BenchmarkSortAlike(b *testing.B) {
	const n = 50_000
	alike := make([]uint64, n)
	for i := range alike {
		alike[i] = uint64(n-i) * 0x9e3779b97f4a7c15 >> 20
	}
	var s sorter
	for b.Loop() {
		s.sort(slices.Clone(alike))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/hash")
}

func BenchmarkSortAndCollapse(b *testing.B) {
	for _, n := range []int{300, 1900, 10_000} {
		rng := rand.New(rand.NewPCG(1, 0))
		hashes := make([]uint64, n)
		for i := range hashes {
			hashes[i] = rng.Uint64()
			if rng.IntN(3) == 0 {
				hashes[i] = hashes[rng.IntN(i+1)]
			}
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var s sorter
			given, counts := make([]uint64, n), make([]uint32, n)
			for b.Loop() {
				copy(given, hashes)
				collapse(s.sort(given), counts)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/hash")
		})
	}
}

// The order in which a text repeats its shingles must not affect the counts.
func TestNewBag(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, 0))
	var s scratch
	for n := 1; n < 300; n++ {
		mask := []uint64{^uint64(0), 0xff << 56, 7, 0}[n%4]
		hashes, want := make([]uint64, n), map[uint64]uint32{}
		for i := range hashes {
			hashes[i] = rng.Uint64() & mask
			want[hashes[i]]++
		}
		bag := s.newBag(hashes)
		if !slices.Equal(bag.Set, slices.Sorted(maps.Keys(want))) || bag.Total != uint64(n) || (bag.Counts == nil) != (len(want) == n) {
			t.Fatalf("seed %d: bag of %d hashes has %d members, %d counts, total %d, want %d", seed, n, len(bag.Set), len(bag.Counts), bag.Total, len(want))
		}
		for i, h := range bag.Set {
			if bag.Count(i) != want[h] {
				t.Fatalf("seed %d: bag of %d hashes counts %x %d times, want %d", seed, n, h, bag.Count(i), want[h])
			}
		}
	}
}
