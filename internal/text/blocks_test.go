package text

// These tests compare the kernels that work on 64 bytes at once with the
// portable ways.

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/simdb/simdb/internal/guard"
)

// blocksDiffer reports whether the blocks of a text become anything else than
// the portable way makes of it.
func blocksDiffer(doc []byte) bool {
	lower := appendLowerASCII([]byte("x"), unsafe.String(unsafe.SliceData(doc), len(doc)))
	if !bytes.Equal(lower, appendLowerASCIIPortable([]byte("x"), string(doc))) {
		return true
	}
	want := collapse(bytes.Clone(doc), false)
	return !bytes.Equal(collapse(doc, hasBlocks), want)
}

// Texts of any length, which end where nothing may be read or written.
func TestBlocks(t *testing.T) {
	const seed, most = 14, 300
	rng := rand.New(rand.NewPCG(seed, 0))
	memory := guard.Memory[uint8](t, most)
	pieces := append(strings.Split("a|B|Z|@|[|z|{|1|word|THE|\t|\r\n|\x00|\x7f|\x0e|\x1f|é|\u00a0|\u0085|\u00c2|\u1680|\u2003|\u2019|\u202f|\u205f|\u3000|か|漢|\U0001d400|\xff|\xc2|\xe2\x80", "|"), " ", "  ", "\n\n\n", strings.Repeat(" ", 70))
	for n := range most + 1 {
		for range 40 {
			var b []byte
			for plain := rng.IntN(2) == 0; len(b) < n; {
				if piece := pieces[rng.IntN(len(pieces))]; !plain || piece[0] < 0x80 {
					b = append(b, piece...)
				}
			}
			doc := memory[most-n:]
			copy(doc, b)
			if blocksDiffer(doc) {
				t.Fatalf("seed %d: %q is read in another way", seed, b[:n])
			}
		}
	}
}

// Lower case is written to no more than there is room for.
func TestLowerStaysInside(t *testing.T) {
	const most = 200
	if !hasBlocks {
		t.Skip("this processor has no kernel for it")
	}
	to, from := guard.Memory[uint8](t, most), guard.Memory[uint8](t, most)
	for n := 1; n <= most; n++ {
		for i := range n {
			from[most-n+i] = byte(i % 128)
		}
		if got := lower512(&to[most-n], &from[most-n], n); got != n || !slices.Equal(to[most-n:], appendLowerASCIIPortable(nil, string(from[most-n:]))) {
			t.Fatalf("%d bytes come out as %d, %q", n, got, to[most-n:])
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("  The quick\r\n\tBROWN fox \u00a0 jumps; then, at some sixty bytes,  the  block  ends \u2003 and begins"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if blocksDiffer(bytes.Clone(doc)) {
			t.Errorf("%q is read in another way", doc)
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	doc := strings.Repeat("The quick brown fox can't jump 32.3 feet,\n    right? No two spaces at all. ", 30)
	var dst []byte
	for name, do := range map[string]func(){
		"lower":              func() { dst = appendLowerASCII(dst[:0], doc) },
		"lower, portable":    func() { dst = appendLowerASCIIPortable(dst[:0], doc) },
		"collapse":           func() { dst = collapse(append(dst[:0], doc...), hasBlocks) },
		"collapse, portable": func() { dst = collapse(append(dst[:0], doc...), false) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				do()
			}
		})
	}
}
