package index

import (
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// What is packed is unpacked, in memory that ends where the arguments do.
func TestPackGroup(t *testing.T) {
	all, entries, back := guard.Memory[byte](t, 1<<10), guard.Memory[uint64](t, pageGroup), guard.Memory[uint64](t, pageGroup)
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		words := pageWords(rng)
		words = words[:min(pageGroup, len(words))]
		group := entries[pageGroup-len(words):]
		copy(group, words)
		f := fields{lowWidth(words[len(words)-1]>>32 - words[0]>>32), setBits, 32, 0}
		if rng.IntN(2) == 0 {
			w := newPlainWriter(payloadsOf(words))
			f.set, f.payload, f.base = w.setBits, w.setBits+w.topBits, w.topBase
		}
		size := groupBytes(len(words), f.low, f.payload)
		got := all[len(all)-size-8:]
		packGroup(got, group, f)
		clear(got[size:])
		p := page{payload: f.payload, setBits: f.set, topBase: f.base}
		g := group1(&p, got, words[0]>>32, f, len(words))
		shift := rng.Uint32N(8)
		if !g.short() {
			t.Fatalf("seed %d: not short", seed)
		}
		if seed%5 == 0 { // keys that may descend
			for i := range (g.n*g.low + 7) / 8 {
				g.lows[i] = byte(rng.Uint32())
			}
		}
		plain := back[pageGroup-len(words):]
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
func group1(p *page, b []byte, first uint64, f fields, n int) group {
	lows := b[8:]
	return group{p, first, f.low, n, le.Uint64(b), lows, lows[(n*f.low+7)/8:]}
}

func payloadsOf(words []uint64) (payloads []uint32) {
	for _, x := range words {
		payloads = append(payloads, uint32(x))
	}
	return payloads
}

func BenchmarkPackGroup(b *testing.B) {
	group := loadedPage()[:pageGroup]
	f := fields{lowWidth(group[pageGroup-1]>>32 - group[0]>>32), 14, 17, 0}
	var dst [1 << 10]byte
	for b.Loop() {
		packGroup(dst[:], group, f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pageGroup), "ns/posting")
}

func BenchmarkUnpackGroup(b *testing.B) {
	words := loadedPage()[:pageGroup]
	f := fields{lowWidth(words[pageGroup-1]>>32 - words[0]>>32), 14, 17, 0}
	var packed [1 << 10]byte
	packGroup(packed[:], words, f)
	p := page{payload: f.payload, setBits: f.set, topBase: f.base}
	g := group1(&p, packed[:], words[0]>>32, f, pageGroup)
	var dst [pageGroup]uint64
	for b.Loop() {
		unpackGroup(dst[:], &g, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pageGroup), "ns/posting")
}
