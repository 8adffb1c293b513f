package phrase

// These tests compare the kernels with the portable ways.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/simdb/simdb/internal/guard"
)

// guardedSteps are steps in memory that ends behind them.
func guardedSteps(t testing.TB, n int) []step {
	words := guard.Memory[uint64](t, n)
	return unsafe.Slice((*step)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// checkWays compares what this processor does with a text to what plain Go does, in
// memory that ends where the arguments do.
func checkWays(t testing.TB, f *finder, text string) {
	t.Helper()
	padded := guard.Memory[uint8](t, len(text)+pad)
	copy(padded, text)
	var at, end [streams]int
	most := 0
	for k := range streams {
		at[k] = k * len(text) / streams
		end[k] = min(at[k]+len(text)/streams+k, len(text))
		most = max(most, end[k]-at[k])
	}
	if most == 0 {
		return
	}
	steps, want, wantAt := guardedSteps(t, (most+1)*streams), make([]step, (most+1)*streams), at
	n, wantN := inStreams(f, padded, steps, &at, &end), streamPlain(f, padded, want, &wantAt, &end)
	if n != wantN || !slices.Equal(steps[:n*streams], want[:n*streams]) {
		t.Fatalf("%.20q… of %d: %d steps of streams, want %d", text, len(text), n, wantN)
	}

	var c cutter
	c.cut(f, text)
	phrases := guardedSteps(t, len(c.phrases))
	copy(phrases, c.phrases)
	var r, wantR repeats
	r.reset(len(text))
	wantR.reset(len(text))
	for i := 0; i < len(phrases); i++ {
		passed, first := r.candidate(padded, phrases[i:])
		wantPassed, wantFirst := wantR.candidatePlain(padded, phrases[i:])
		if passed != wantPassed || i+passed < len(phrases) && first != wantFirst || r != wantR {
			t.Fatalf("%.20q… of %d: candidate %d at %d, want %d at %d", text, len(text), i+passed, first, i+wantPassed, wantFirst)
		}
		i += passed
	}

	for n := range uint(8) {
		w := bitWriter{out: guard.Memory[uint8](t, 2*len(phrases)+2*pad), held: 1<<n - 1, n: n}
		wantW := w
		wantW.out = make([]byte, len(w.out))
		done, wantDone := w.threes(phrases), wantW.threesPlain(phrases)
		if done != wantDone || w.held != wantW.held || w.n != wantW.n || !slices.Equal(w.out[:w.written], wantW.out[:wantW.written]) {
			t.Fatalf("%.20q… of %d: %d codes are written otherwise behind %d bits", text, len(text), done, n)
		}
	}
}

// hostileBook has phrases of zeros and of one letter beside others, and codes of 15 bits.
func hostileBook() *Book {
	return Learn([]string{strings.Repeat("a", 1000), strings.Repeat("\x00", 1000), strings.Repeat("ab\x00", 300), strings.Join(generated(20), "")}, 1<<14)
}

func TestWays(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	texts := generated(20)
	for n := range 41 {
		texts = append(texts, texts[n%20][:n], strings.Repeat("a", n), strings.Repeat("\x00", n))
	}
	for _, text := range wild(rng) {
		texts = append(texts, text[:min(len(text), 8<<10)])
	}
	for range 200 {
		text := []byte(texts[rng.IntN(20)])
		for range 1 + rng.IntN(40) {
			text[rng.IntN(len(text))] = byte(rng.IntN(256))
		}
		texts = append(texts, string(text[:rng.IntN(len(text))]))
	}
	for _, b := range []*Book{hostileBook(), Learn(generated(30), 2000), Learn(nil, 256)} {
		for _, text := range texts {
			checkWays(t, b.finder, text)
		}
	}
}

func FuzzWays(f *testing.F) {
	for _, text := range append(wild(rand.New(rand.NewPCG(1, 1))), generated(3)...) {
		if len(text) < 3000 {
			f.Add(text)
		}
	}
	b := hostileBook()
	f.Fuzz(func(t *testing.T, text string) { checkWays(t, b.finder, text[:min(len(text), MaxText)]) })
}
