package index

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// loadSets is how many sets a load puts into a segment.
const loadSets = 1 << 14

// loadedBags makes bags like those of texts of 2 kB by words: most members are
// rare, some are common, and four of ten bags are edited copies.
func loadedBags(seed uint64) []shingle.Bag {
	rng := rand.New(rand.NewPCG(seed, 15))
	common := rand.New(rand.NewPCG(0, 16))
	var vocabulary [1 << 12]uint64
	for i := range vocabulary {
		vocabulary[i] = common.Uint64()
	}
	bags := make([]shingle.Bag, loadSets)
	for i := range bags {
		var set shingle.Set
		if i > 0 && rng.IntN(10) < 4 {
			set = slices.Clone(bags[rng.IntN(i)].Set)
			for range rng.IntN(len(set) / 4) {
				set[rng.IntN(len(set))] = rng.Uint64()
			}
		} else {
			for range 200 + rng.IntN(300) {
				if h := rng.Uint64(); h%16 > 0 {
					set = append(set, h)
				} else {
					set = append(set, vocabulary[min(rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)))])
				}
			}
		}
		slices.Sort(set)
		bags[i] = shingle.Bag{Set: slices.Compact(set)}
	}
	return bags
}

// loadedOrder counts bags as an engine does.
func loadedOrder(bags []shingle.Bag) *Order {
	members := 0
	for _, bag := range bags {
		members += len(bag.Set)
	}
	b := NewOrderBuilder(uint64(members))
	for _, bag := range bags {
		b.Add(bag.Set)
	}
	return b.Order()
}

func buildLoaded(b *testing.B, l Layout, lo uint32, bags []shingle.Bag, hashes []uint64, emit Emit) *Segment {
	posts := NewBuilder(l, lo)
	for i, bag := range bags {
		posts.Add(lo+uint32(i), bag, hashes[i])
	}
	seg, err := posts.Finish(lo+uint32(len(bags)), emit)
	if err != nil {
		b.Fatal(err)
	}
	return seg
}

func simHashes(bags []shingle.Bag) (hashes []uint64) {
	for _, bag := range bags {
		hashes = append(hashes, sketch.SimHash(bag.Set))
	}
	return hashes
}

func nothing(Kind, int, []byte) error { return nil }

// BenchmarkBuildSegment builds a segment as a load does.
func BenchmarkBuildSegment(b *testing.B) {
	bags := loadedBags(1)
	hashes := simHashes(bags)
	l := Layout{Order: loadedOrder(bags)}
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n += buildLoaded(b, l, 0, bags, hashes, nothing).Runs[Prefix].Entries
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/posting")
}

// BenchmarkMergeSegments merges three segments of a load, all live or not.
func BenchmarkMergeSegments(b *testing.B) {
	var parts []Stored
	var l Layout
	for i := range uint32(3) {
		bags := loadedBags(uint64(i + 1))
		if i == 0 {
			l = Layout{Order: loadedOrder(bags)}
		}
		m := new(memory)
		parts = append(parts, Stored{buildLoaded(b, l, i*loadSets, bags, simHashes(bags), m.emit), m})
	}
	for name, live := range map[string]func(uint32) bool{
		"live": func(uint32) bool { return true },
		"dead": func(set uint32) bool { return set%5 != 0 },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := uint64(0)
			for b.Loop() {
				if _, err := Merge(context.Background(), l, parts, live, nothing); err != nil {
					b.Fatal(err)
				}
				for _, s := range parts {
					n += s.Runs[Prefix].Entries
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/posting")
		})
	}
}
