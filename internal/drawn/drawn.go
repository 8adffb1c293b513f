// Package drawn generates the sets for tests of the index and of its joins: bags of all
// sizes and degrees of similarity, as pure functions of a seed. It does not import the
// index. Only tests import it. Begin with Bags.
package drawn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// Spaces map member x of an abstract set to a hash. The narrow spaces make tokens
// collide within a set and between sets.
var Spaces = map[string]func(x uint64) uint64{
	"wide":       func(x uint64) uint64 { return (x + 1) * 0x9e3779b97f4a7c15 },
	"tokens":     func(x uint64) uint64 { return x*7%13<<60 | x }, // 13 of them
	"one token":  func(x uint64) uint64 { return x },
	"no spread":  func(x uint64) uint64 { return x << 32 },
	"high half":  func(x uint64) uint64 { return x<<40 | x>>3 },
	"sequential": func(x uint64) uint64 { return x<<31 | x },
}

// Bag returns the bag of members. With an rng, one bag in three has random repetitions.
func Bag(rng *rand.Rand, members []uint64, hash func(uint64) uint64) shingle.Bag {
	var bag shingle.Bag
	for _, x := range members {
		bag.Set = append(bag.Set, hash(x))
	}
	slices.Sort(bag.Set)
	bag.Set = slices.Compact(bag.Set)
	bag.Total = uint64(len(bag.Set))
	if rng != nil && rng.IntN(3) == 0 && len(bag.Set) > 0 {
		bag.Counts = make([]uint32, len(bag.Set))
		bag.Total = 0
		for i := range bag.Counts {
			// Almost half of the counts are 1, the largest 11.
			bag.Counts[i] = 1 + uint32(rng.IntN(3)*rng.IntN(6))
			bag.Total += uint64(bag.Counts[i])
		}
	}
	return bag
}

// Family returns n sets of up to size members: a few bases and edited copies of them,
// with similarities of all degrees, 0 and 1 included.
func Family(rng *rand.Rand, n, size int) [][]uint64 {
	var all [][]uint64
	vocabulary := uint64(4*size + 8)
	// The product of two random numbers favours small members, so sets overlap and the
	// frequencies of members differ.
	member := func() uint64 { return uint64(float64(vocabulary) * rng.Float64() * rng.Float64()) }
	for range n {
		var members []uint64
		if len(all) > 0 && rng.IntN(4) > 0 {
			members = slices.Clone(all[rng.IntN(len(all))])
			// Up to a third of the members change: an edit or a deletion each.
			for range rng.IntN(1 + len(members)/3) {
				if i := rng.IntN(len(members)); rng.IntN(2) == 0 {
					members[i] = member()
				} else {
					members = slices.Delete(members, i, i+1)
				}
				if len(members) == 0 {
					break
				}
			}
		}
		for len(members) == 0 {
			for range 1 + rng.IntN(size) {
				members = append(members, member())
			}
		}
		slices.Sort(members)
		all = append(all, slices.Compact(members))
	}
	return all
}

// Bags returns the bags of a family, with a hole in every tenth place, and a sample of
// bags to build an order from: the same bags or, with drift, others.
func Bags(seed uint64, n, size int, space string, drift bool) (bags, sample []shingle.Bag) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, members := range Family(rng, n, size) {
		bag := Bag(rng, members, Spaces[space])
		// An empty bag stands for a hole, a deleted set.
		if i%10 == 9 {
			bag = shingle.Bag{}
		}
		bags = append(bags, bag)
	}
	if !drift {
		return bags, bags
	}
	// With drift the order comes from other sets than the index, as after many writes.
	for _, members := range Family(rand.New(rand.NewPCG(seed, 2)), n/2+1, size) {
		sample = append(sample, Bag(nil, members, Spaces[space]))
	}
	return bags, sample
}

// Worlds calls test with newWorld's result for small bags of every space and size. Each
// combination has two numbers of counters and several seeds; under -short it has one of each.
func Worlds[W any](t *testing.T, newWorld func(seed uint64, n, size int, space string, logCounters uint8, drift bool) W, test func(t *testing.T, seed uint64, w W)) {
	turn := 0
	for _, space := range slices.Sorted(maps.Keys(Spaces)) {
		for _, size := range []int{1, 5, 40} {
			for _, logCounters := range []uint8{1, 14} {
				seeds := []uint64{0, 1, 2}
				turn++
				if testing.Short() {
					if seeds = seeds[turn/2%3:][:1]; (turn-1)/2%2 == turn%2 {
						continue
					}
				}
				t.Run(fmt.Sprintf("%s/size %d/2^%d counters", space, size, logCounters), func(t *testing.T) {
					for _, seed := range seeds {
						test(t, seed, newWorld(seed, 90, size, space, logCounters, seed == 1))
					}
				})
			}
		}
	}
}

// Thresholds returns fixed thresholds from ½ up, and the exact similarities of some
// pairs of bags, so that tests cover similarities equal to the threshold.
func Thresholds(rng *rand.Rand, bags []shingle.Bag) []api.Threshold {
	var ts []api.Threshold
	for _, p := range []uint64{100, 95, 90, 85, 80, 73, 65, 50} {
		ts = append(ts, api.Ratio(p, 100))
	}
	for range 200 {
		a, b := rng.IntN(len(bags)), rng.IntN(len(bags))
		if s := measure.Resemblance.Score(bags[a], bags[b]); a != b && s.Of > 0 && s.Shared*2 >= s.Of && len(ts) < 14 {
			ts = append(ts, api.Ratio(s.Shared, s.Of))
		}
	}
	return ts
}

// Missing returns the members of want that got lacks.
func Missing[T comparable](got, want []T) (lost []T) {
	have := map[T]bool{}
	for _, x := range got {
		have[x] = true
	}
	for _, x := range want {
		if !have[x] {
			lost = append(lost, x)
		}
	}
	return lost
}

// FromTexts returns the distinct bags of texts as word 3-shingles.
func FromTexts(texts []string) (bags []shingle.Bag) {
	words := shingle.Analysis{Unit: text.Word, K: 3}
	seen := map[[16]byte]bool{}
	for _, t := range texts {
		bag := words.Bag(t)
		if d := bag.Digest(); len(bag.Set) > 0 && !seen[d] {
			seen[d] = true
			bags = append(bags, bag)
		}
	}
	return bags
}

// Fingerprints returns random fingerprints, copies with some bits changed, and
// fingerprints with common blocks.
func Fingerprints(rng *rand.Rand, n int) []uint64 {
	var out []uint64
	for i := range n {
		h := rng.Uint64()
		switch k := rng.IntN(6); {
		case i > 0 && k < 3:
			h = out[rng.IntN(i)]
			for range rng.IntN(12) {
				h ^= 1 << rng.IntN(64)
			}
		case k == 3:
			h &= 0xffff << (16 * rng.IntN(4))
		}
		out = append(out, h)
	}
	return out
}

// Formulas returns the formulas of all measures of bags that depend on the two texts
// alone, by name, and Tversky's with several weights.
func Formulas() map[string]measure.Formula {
	out := map[string]measure.Formula{}
	for _, m := range api.Measures() {
		if m.OfBags() && !m.Weighs() {
			out[m.String()] = measure.FormulaOf(m, api.Args{})
		}
	}
	for _, w := range [][2]string{{"1", "1/2"}, {"0.3", "2"}, {"1/3", "2"}, {"0", "0"}} {
		alpha, err := api.ParseWeight(w[0])
		beta, other := api.ParseWeight(w[1])
		if err != nil || other != nil {
			panic(w[0] + ", " + w[1])
		}
		out["tversky "+w[0]+" "+w[1]] = measure.FormulaOf(api.Tversky, api.Args{Alpha: alpha, Beta: beta})
	}
	return out
}
