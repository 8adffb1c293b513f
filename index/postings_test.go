package index

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// What is packed is unpacked, in memory that ends where the arguments do.
func TestPackGroup(t *testing.T) {
	all, entries, back := guard.Memory[byte](t, 1<<10), guard.Memory[uint64](t, groupEntries), guard.Memory[uint64](t, groupEntries)
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		words := pageWords(rng)
		of := groupOf(words)
		words = words[:of.n]
		group := entries[groupEntries-len(words):]
		copy(group, words)
		f := fields{lowWidth(words[len(words)-1]>>32 - words[0]>>32), setBits, 32, 0}
		if rng.IntN(2) == 0 {
			w := newPlainWriter(payloadsOf(words))
			f.set, f.payload, f.base = w.setBits, w.setBits+w.topBits, w.topBase
		}
		size := groupBytes(len(words), bits.OnesCount64(of.heads), f.low, f.payload)
		got := all[len(all)-size-8:]
		if n := packGroup(got, group, &of, f); n != size {
			t.Fatalf("seed %d: %d bytes packed, want %d", seed, n, size)
		}
		clear(got[size:])
		p := page{payload: f.payload, setBits: f.set, topBase: f.base}
		g := group1(&p, got, words[0]>>32, f, &of)
		shift := rng.Uint32N(8)
		if !g.short() {
			t.Fatalf("seed %d: not short", seed)
		}
		if seed%5 == 0 { // keys that may descend
			for i := range (g.keys*g.low + 7) / 8 {
				g.lows[i] = byte(rng.Uint32())
			}
		}
		plain := back[groupEntries-len(words):]
		largest, ok := unpackGroup(plain, &g, shift)
		if seed%5 == 0 {
			continue
		}
		for i, x := range words {
			if !ok || plain[i] != x+uint64(shift) || largest < x&setMask {
				t.Fatalf("seed %d: entry %d unpacked as %x, want %x, largest %d", seed, i, plain[i], x, largest)
			}
		}
	}
}

// group1 is a group of a page that begins at b.
func group1(p *page, b []byte, first uint64, f fields, of *grouped) group {
	keys := bits.OnesCount64(of.heads)
	lows := b[8+(of.n+7)/8:]
	return group{p, first, f.low, of.n, keys, le.Uint64(b), of.heads, lows, lows[(keys*f.low+7)/8:]}
}

func payloadsOf(words []uint64) (payloads []uint32) {
	for _, x := range words {
		payloads = append(payloads, uint32(x))
	}
	return payloads
}

func BenchmarkPackGroup(b *testing.B) {
	words := loadedPage()
	of := groupOf(words)
	group := words[:of.n]
	f := fields{lowWidth(group[of.n-1]>>32 - group[0]>>32), 14, 17, 0}
	var dst [1 << 10]byte
	for b.Loop() {
		packGroup(dst[:], group, &of, f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*of.n), "ns/posting")
}

func BenchmarkUnpackGroup(b *testing.B) {
	words := loadedPage()
	of := groupOf(words)
	words = words[:of.n]
	f := fields{lowWidth(words[of.n-1]>>32 - words[0]>>32), 14, 17, 0}
	var packed [1 << 10]byte
	packGroup(packed[:], words, &of, f)
	p := page{payload: f.payload, setBits: f.set, topBase: f.base}
	g := group1(&p, packed[:], words[0]>>32, f, &of)
	var dst [groupEntries]uint64
	for b.Loop() {
		unpackGroup(dst[:of.n], &g, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*of.n), "ns/posting")
}
