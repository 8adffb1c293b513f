package index

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/drawn"
)

func TestRadiiCoverEveryDistance(t *testing.T) {
	for dist := range 65 {
		sum := 0
		for b := range Blocks {
			sum += Radius(b, dist) + 1
		}
		if sum != dist+1 {
			t.Errorf("radii for dist %d, each plus one, sum to %d", dist, sum)
		}
	}
}

func TestRangesAreTheBall(t *testing.T) {
	for _, lead := range []uint64{0, 0xffff, 0x8001, 0x1234} {
		for radius := -1; radius <= 16; radius++ {
			in := map[uint64]bool{}
			last := int64(-2) // ranges ascend and leave a gap
			for lo, hi := range ranges(lead<<48|77, radius) {
				if lo<<16 != 0 || hi<<16>>16 != 1<<48-1 || int64(lo>>48) <= last+1 {
					t.Fatalf("ranges(%x, %d) gives [%x, %x] after %x", lead, radius, lo, hi, last)
				}
				last = int64(hi >> 48)
				for x := lo >> 48; x <= hi>>48; x++ {
					in[x] = true
				}
			}
			for x := range uint64(Leads) {
				if near := bits.OnesCount64(x^lead) <= radius; near != in[x] {
					t.Fatalf("ranges(%x, %d): %x in is %v", lead, radius, x, in[x])
				}
			}
		}
	}
}

// Near and ScanNear are brute force, for every distance.
func TestNearEqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := newWorld(1, 1300, 12, "wide", 12, false)
	b, m := NewBuilder(w.layout, 100), new(memory)
	var hashes []uint64
	w.table = Table{}
	for i, bag := range w.bags {
		h := rng.Uint64()
		if i > 0 && rng.IntN(4) > 0 {
			h = hashes[rng.IntN(i)]
			for range rng.IntN(16) {
				h ^= 1 << rng.IntN(64)
			}
		}
		hashes = append(hashes, h)
		if f := factsOf(bag); f.Distinct > 0 {
			f.SimHash = h
			w.table.Put(uint32(i), f)
		}
		if i >= 100 {
			b.Add(uint32(i), bag, h)
		}
	}
	seg, err := b.Finish(uint32(len(w.bags)), m.emit)
	if err != nil {
		t.Fatal(err)
	}
	view := w.table.View()
	for dist := range 65 {
		for q := range 8 {
			if dist > 12 && q > 2 { // there are thousands of ranges
				break
			}
			probe := rng.Uint64() >> (q % 3 * 20) // holes have hash 0
			if q%2 == 0 {
				probe = hashes[rng.IntN(len(hashes))]
			}
			want := []uint32{3}
			for i, h := range hashes[100:] {
				if len(w.bags[i+100].Set) > 0 && bits.OnesCount64(h^probe) <= dist {
					want = append(want, uint32(i+100))
				}
			}
			if got := ScanNear(view, 100, 5000, probe, dist, []uint32{3}); !slices.Equal(got, want) {
				t.Fatalf("ScanNear(%x, %d) = %v, want %v", probe, dist, got, want)
			}
			got, lookups, err := Near([]Stored{{seg, m}}, view, probe, dist, []uint32{3})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("Near(%x, %d) = %v, %v, want %v", probe, dist, got, err, want)
			}
			if most := min(dist+1, Blocks); lookups < 1 || dist <= 3 && lookups != most {
				t.Fatalf("Near(%x, %d) reads %d ranges", probe, dist, lookups)
			}
		}
	}
}

// Near finds the same in several segments and in what they are merged into, and refuses packed pages.
func TestNearInSegments(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, 0))
	var table Table
	var segments []Stored
	var hashes []uint64
	for _, n := range []int{1, 3000, 2, 1500} {
		lo := len(hashes)
		b, m := NewBuilder(Layout{Order: NewOrderBuilder(0).Order()}, uint32(lo)), new(memory)
		for i, h := range drawn.Fingerprints(rng, n) {
			hashes = append(hashes, h)
			f := Facts{SimHash: h}
			f.Distinct = uint64(rng.IntN(8))
			table.Put(uint32(lo+i), f)
			b.hashes = append(b.hashes, hashed{h, uint32(i)})
		}
		b.next = uint64(len(hashes))
		seg, err := b.Finish(uint32(len(hashes)), m.emit)
		if err != nil {
			t.Fatal(err)
		}
		segments = append(segments, Stored{seg, m})
	}
	view := table.View()
	merged := new(memory)
	seg, err := Merge(context.Background(), Layout{}, segments, func(set uint32) bool { return view.has(set) }, merged.emit)
	if err != nil {
		t.Fatal(err)
	}
	for dist := range 65 {
		if dist > 12 && dist < 64 {
			continue
		}
		for range 6 {
			q := hashes[rng.IntN(len(hashes))] ^ 1<<rng.IntN(64)
			var want []uint32
			for i, h := range hashes {
				if view.has(uint32(i)) && bits.OnesCount64(h^q) <= dist {
					want = append(want, uint32(i))
				}
			}
			for what, in := range map[string][]Stored{"several": segments, "merged": {{seg, merged}}} {
				if got, _, err := Near(in, view, q, dist, nil); err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s: Near(%x, %d) = %v, %v, want %v", seed, what, q, dist, got, err, want)
				}
			}
		}
	}
	if got, _, err := Near(nil, view, 0, 64, []uint32{7}); err != nil || len(got) != 1 {
		t.Errorf("Near in no segments = %v, %v", got, err)
	}
	merged[Rotated0][0] = plainKeys(1)
	if _, _, err := Near([]Stored{{seg, merged}}, view, 0, 64, nil); !errors.Is(err, ErrPage) {
		t.Errorf("Near in a packed page = %v, want ErrPage", err)
	}
}

// The page that the rule of three leads to is the one that a binary search finds.
func TestPageNear(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 60 {
		for _, narrow := range []int{0, 1, 40, 62} {
			r := &Run{First: make([]uint64, n+1)}
			for i := range r.First {
				r.First[i] = rng.Uint64() >> narrow << (narrow / 2)
			}
			slices.Sort(r.First)
			for _, key := range append(slices.Clone(r.First), 0, 1<<64-1, rng.Uint64(), rng.Uint64()>>narrow) {
				if got, want := r.pageNear(key), r.pageBefore(key); got != want {
					t.Fatalf("seed %d: pageNear(%x) of %x = %d, want %d", seed, key, r.First, got, want)
				}
				if at := r.share(r.pageNear(key), key); at < 0 || at >= flatEntries {
					t.Fatalf("seed %d: share of %x in %x is %d", seed, key, r.First, at)
				}
			}
		}
	}
}

// Sets that the view does not know are not found, not even as hash 0.
func TestNearKeepsToItsView(t *testing.T) {
	w := newWorld(1, 50, 12, "wide", 12, false)
	s := w.build(t, 0, 50, nil)
	if got, _, err := Near([]Stored{s}, View{}, 0, 64, nil); err != nil || len(got) > 0 {
		t.Errorf("Near in an empty view = %v, %v", got, err)
	}
}

func TestScanNearRange(t *testing.T) {
	var table Table
	rng := rand.New(rand.NewPCG(2, 2))
	var hashes []uint64
	for i := range uint32(2*slabSets + 10) {
		h := rng.Uint64() & 0xff
		hashes = append(hashes, h)
		f := Facts{SimHash: h}
		f.Distinct = uint64(i % 5)
		table.Put(i, f)
	}
	v := table.View()
	for range 300 {
		lo, hi := rng.Uint32N(v.Len()+5), rng.Uint32N(v.Len()+5)
		var want []uint32
		for i := lo; i < min(hi, v.Len()); i++ {
			if i%5 > 0 && bits.OnesCount64(hashes[i]) <= 2 {
				want = append(want, i)
			}
		}
		if got := ScanNear(v, lo, hi, 0, 2, nil); !slices.Equal(got, want) {
			t.Fatalf("ScanNear [%d,%d) = %v, want %v", lo, hi, got, want)
		}
	}
}

func TestNearCost(t *testing.T) {
	for _, c := range []struct {
		n, segments, dist int
		near              bool
	}{{1_000_000, 5, 3, true}, {1_000_000, 5, 6, true}, {1_000_000, 5, 9, true}, {1_000_000, 5, 10, false}, {10_000_000, 8, 9, true}, {2000, 1, 3, false}, {1_000_000, 1, 64, false}} {
		if near, flat := NearCost(c.n, c.segments, c.dist); (near < flat) != c.near {
			t.Errorf("NearCost(%d, %d, %d) = %.0f, %.0f", c.n, c.segments, c.dist, near, flat)
		}
	}
	for dist := range 64 {
		a, _ := NearCost(1000, 1, dist)
		if b, _ := NearCost(1000, 1, dist+1); a > b {
			t.Errorf("NearCost falls from dist %d to %d", dist, dist+1)
		}
	}
}

// BenchmarkNearOfMillion searches a million sets in segments as merging leaves them.
func BenchmarkNearOfMillion(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 1))
	var segments []Stored
	var table Table
	lo := uint32(0)
	for _, n := range []uint32{1 << 19, 1 << 18, 1 << 17, 1 << 14, 1 << 12} {
		builder, m := NewBuilder(Layout{Order: NewOrderBuilder(0).Order()}, lo), new(memory)
		for i := range n {
			f := Facts{SimHash: rng.Uint64()}
			f.Distinct = 1
			table.Put(lo+i, f)
			builder.hashes = append(builder.hashes, hashed{f.SimHash, i})
		}
		builder.next = uint64(lo + n)
		seg, err := builder.Finish(lo+n, m.emit)
		if err != nil {
			b.Fatal(err)
		}
		segments = append(segments, Stored{seg, m})
		lo += n
	}
	v := table.View()
	for _, dist := range []int{3, 6, 9, 12} {
		b.Run(fmt.Sprint("d", dist), func(b *testing.B) {
			var dst []uint32
			var err error
			for b.Loop() {
				q := rng.Uint64()
				if dst, _, err = Near(segments, v, q, dist, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
