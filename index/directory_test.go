package index

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// The directory leads where a binary search leads, however keys are spread.
func TestDirectory(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 100 {
		for _, narrow := range []int{0, 1, 33, 40, 62, 64} {
			first := make([]uint64, n)
			for i := range first {
				first[i] = rng.Uint64() >> narrow << (narrow / 2)
				if rng.IntN(3) == 0 { // one page out of three in a clump
					first[i] = first[0]&^0xff | rng.Uint64()&0xff>>(narrow/8)
				}
			}
			slices.Sort(first)
			plain, quick := &Run{First: first}, &Run{First: first, directory: newDirectory(first)}
			if len(quick.directory.starts) > n/2+3 {
				t.Fatalf("seed %d: %d cells for %d pages", seed, len(quick.directory.starts), n)
			}
			tried := append(slices.Clone(first), 0, 1, 1<<64-1, rng.Uint64(), rng.Uint64()>>narrow)
			for _, key := range first {
				tried = append(tried, key+1, key-1)
			}
			for _, key := range tried {
				if got, want := quick.pageBefore(key), plain.pageBefore(key); got != want {
					t.Fatalf("seed %d: pageBefore(%x) of %x = %d, want %d", seed, key, first, got, want)
				}
			}
		}
	}
}

func TestSelectBit(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 1000 {
		x := rng.Uint64() | rng.Uint64()<<(i%64)
		switch i % 4 {
		case 1:
			x &= rng.Uint64() & rng.Uint64()
		case 2:
			x = ^uint64(0) << (i / 4 % 64)
		case 3:
			x = 1<<(i/4%64) | 1<<63
		}
		rest := x
		for k := range bits.OnesCount64(x) {
			if got, want := selectBit(x, k), bits.TrailingZeros64(rest); got != want {
				t.Fatalf("seed %d: selectBit(%x, %d) = %d, want %d", seed, x, k, got, want)
			}
			rest &= rest - 1
		}
	}
}

// The group before a key is the last that starts below it, in pages full and not.
func TestGroupBefore(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, mask := range []uint64{0, 1, 7, 0xff, 0xffff, 0xffff_ffff, 0x3f << 26} {
		for _, n := range []int{1, 32, 33, 500, pageGroups*groupKeys - 1, pageGroups * groupKeys, pageEntries} {
			entries := randomEntries(rng, n, mask)
			_, pages := writeRun(t, entries)
			p, err := openPage(pages[0])
			if err != nil {
				t.Fatal(err)
			}
			for q := range 200 {
				key := rng.Uint64() & mask
				switch q % 4 {
				case 1:
					key = entries[rng.IntN(n)].key
				case 2:
					key = p.first(rng.IntN(p.groups)) + rng.Uint64N(3) - 1
				case 3:
					key = rng.Uint64() >> rng.IntN(64)
				}
				want := 0
				for g := range p.groups {
					if p.first(g) < key {
						want = g
					}
				}
				if got := p.groupBefore(key); got != want {
					t.Fatalf("seed %d: mask %x, %d entries: groupBefore(%x) = %d, want %d", seed, mask, n, key, got, want)
				}
			}
		}
	}
}
