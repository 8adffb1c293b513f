package text

// Classes of 64 characters at once.

import (
	"math/rand/v2"
	"testing"
)

// badClasses reports whether the classes of a block differ from the table.
func badClasses(block *[64]byte) bool {
	var got, want classBits
	for i, b := range block {
		for j := range want {
			want[j] |= uint64(asciiClass[b]>>j&1) << i
		}
	}
	got.set(block)
	return got != want
}

func TestClassBits(t *testing.T) {
	const seed = 12
	rng := rand.New(rand.NewPCG(seed, 0))
	var block [64]byte
	for first := range 128 { // every character in every place
		for i := range block {
			block[i] = byte((first + i) % 128)
		}
		if badClasses(&block) {
			t.Errorf("wrong classes of %q", block)
		}
	}
	for range 1000 {
		for i := range block {
			block[i] = byte(rng.IntN(128))
		}
		if badClasses(&block) {
			t.Errorf("seed %d: wrong classes of %q", seed, block)
		}
	}
}

func FuzzClassBits(f *testing.F) {
	f.Add([]byte("It's 3.14, a:b; x_y"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var block [64]byte
		for i := range copy(block[:], b) {
			block[i] &= 0x7f
		}
		if badClasses(&block) {
			t.Errorf("wrong classes of %q", block)
		}
	})
}

func BenchmarkClassBits(b *testing.B) {
	var c classBits
	block := [64]byte([]byte("The quick brown fox can't jump 32.3 feet, right? The quick brown"))
	b.SetBytes(64)
	for b.Loop() {
		c.set(&block)
	}
}
