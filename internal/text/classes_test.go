package text

// These tests compare the kernel that finds classes with the portable way.

import (
	"math/rand/v2"
	"testing"
)

// Whatever the processor offers must tell the classes as the portable way does,
// and this as the table does.
func badClasses(block *[64]byte) bool {
	var got, portable, want classBits
	for i, b := range block {
		for j := range want {
			want[j] |= uint64(asciiClass[b]>>j&1) << i
		}
	}
	got.set(block)
	portable.setPortable(block)
	return got != want || portable != want
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
	for _, way := range []struct {
		name string
		set  func(*[64]byte)
	}{{"chosen", c.set}, {"portable", c.setPortable}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(64)
			for b.Loop() {
				way.set(&block)
			}
		})
	}
}
