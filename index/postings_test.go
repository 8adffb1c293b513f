package index

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// What this processor packs and unpacks is what plain Go does, in memory that
// ends where the arguments do.
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
		got, want := all[len(all)-size-8:], make([]byte, size+8)
		packGroup(got, group, f)
		packPlain(want, group, f)
		if !bytes.Equal(got[:size], want[:size]) {
			t.Fatalf("seed %d: %d entries packed into %x, want %x", seed, len(words), got[:size], want[:size])
		}
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
		plain := make([]uint64, len(words))
		largest, ok := unpackPlain(plain, &g, shift)
		mine := back[pageGroup-len(words):]
		myLargest, myOk := unpackGroup(mine, &g, shift)
		if ok != myOk || ok && (largest != myLargest || !slices.Equal(mine, plain)) {
			t.Fatalf("seed %d: %d entries unpacked into %x, %d, %v, want %x, %d, %v", seed, len(words), mine, myLargest, myOk, plain, largest, ok)
		}
		if seed%5 != 0 {
			for i, x := range words {
				if !ok || plain[i] != x+uint64(shift) {
					t.Fatalf("seed %d: entry %d unpacked as %x, want %x", seed, i, plain[i], x)
				}
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
	for name, pack := range map[string]func([]byte, []uint64, fields){"Go": packPlain, "here": packGroup} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				pack(dst[:], group, f)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pageGroup), "ns/posting")
		})
	}
}

func BenchmarkUnpackGroup(b *testing.B) {
	words := loadedPage()[:pageGroup]
	f := fields{lowWidth(words[pageGroup-1]>>32 - words[0]>>32), 14, 17, 0}
	var packed [1 << 10]byte
	packPlain(packed[:], words, f)
	p := page{payload: f.payload, setBits: f.set, topBase: f.base}
	g := group1(&p, packed[:], words[0]>>32, f, pageGroup)
	var dst [pageGroup]uint64
	for name, unpack := range map[string]func([]uint64, *group, uint32) (uint64, bool){"Go": unpackPlain, "here": unpackGroup} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				unpack(dst[:], &g, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pageGroup), "ns/posting")
		})
	}
}
