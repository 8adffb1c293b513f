package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/sketch"
)

// memory keeps the pages of a segment.
type memory [Kinds]pageList

type pageList [][]byte

func (l pageList) Page(n int) ([]byte, error) {
	if n < 0 || n >= len(l) {
		return nil, fmt.Errorf("no page %d", n)
	}
	return l[n], nil
}

func (m *memory) Pages(k Kind) Pages { return m[k] }

func (m *memory) emit(k Kind, page int, data []byte) error {
	if page != len(m[k]) {
		return fmt.Errorf("page %d of kind %d comes after %d pages", page, k, len(m[k]))
	}
	m[k] = append(m[k], slices.Clone(data))
	return nil
}

// A world is a small collection: its bags by number (some are holes), the table
// and the order.
type world struct {
	bags   []shingle.Bag
	layout Layout
	table  Table
}

// hashSpaces say how member x of an abstract set becomes a hash. The narrow ones
// make tokens collide within a set and between sets.
var hashSpaces = map[string]func(x uint64) uint64{
	"wide":       func(x uint64) uint64 { return (x + 1) * 0x9e3779b97f4a7c15 },
	"tokens":     func(x uint64) uint64 { return x*7%13<<60 | x }, // 13 of them
	"one token":  func(x uint64) uint64 { return x },
	"no spread":  func(x uint64) uint64 { return x << 32 },
	"high half":  func(x uint64) uint64 { return x<<40 | x>>3 },
	"sequential": func(x uint64) uint64 { return x<<31 | x },
}

// bagOf makes a bag of members; repeats repetitions come from rng, if any.
func bagOf(rng *rand.Rand, members []uint64, hash func(uint64) uint64) shingle.Bag {
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
			bag.Counts[i] = 1 + uint32(rng.IntN(3)*rng.IntN(6))
			bag.Total += uint64(bag.Counts[i])
		}
	}
	return bag
}

// family returns n sets of up to size members: a few bases and edited copies of
// them, so that similarities of all degrees occur, 0 and 1 too.
func family(rng *rand.Rand, n, size int) [][]uint64 {
	var all [][]uint64
	vocabulary := uint64(4*size + 8)
	member := func() uint64 { return uint64(float64(vocabulary) * rng.Float64() * rng.Float64()) }
	for range n {
		var members []uint64
		if len(all) > 0 && rng.IntN(4) > 0 {
			members = slices.Clone(all[rng.IntN(len(all))])
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

func orderOf(logCounters uint8, bags []shingle.Bag) *Order {
	b := &OrderBuilder{bits: logCounters, counts: make([]uint16, 1<<logCounters)}
	for _, bag := range bags {
		b.Add(bag.Set)
	}
	return b.Order()
}

// newWorld makes a world with every tenth number a hole. With drift the order
// was frozen on other sets.
func newWorld(seed uint64, n, size int, space string, logCounters uint8, drift bool) *world {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &world{}
	for i, members := range family(rng, n, size) {
		bag := bagOf(rng, members, hashSpaces[space])
		if i%10 == 9 {
			bag = shingle.Bag{}
		}
		w.bags = append(w.bags, bag)
		if len(bag.Set) > 0 {
			w.table.Put(uint32(i), factsOf(bag))
		}
	}
	sample := w.bags
	if drift {
		sample = nil
		for _, members := range family(rand.New(rand.NewPCG(seed, 2)), n/2+1, size) {
			sample = append(sample, bagOf(nil, members, hashSpaces[space]))
		}
	}
	w.layout = Layout{
		Order:     orderOf(logCounters, sample),
		Tiers:     NewTiers(measure.Ratio(1, 2)),
		Intervals: Intervals{1, 3, 7},
	}
	return w
}

func factsOf(bag shingle.Bag) Facts {
	f := Facts{Size: measure.Size{Distinct: uint64(len(bag.Set)), Total: bag.Total}}
	if len(bag.Set) > 0 {
		f.SimHash = sketch.SimHash(bag.Set)
		f.Signature = sketch.NewSignature(nil, bag.Set)
	}
	return f
}

// build makes one segment of the sets in [lo, hi) that live keeps.
func (w *world) build(t testing.TB, lo, hi int, live func(uint32) bool) Stored {
	t.Helper()
	b, m := NewBuilder(w.layout, uint32(lo)), new(memory)
	for i := lo; i < hi; i++ {
		if live == nil || live(uint32(i)) {
			b.Add(uint32(i), w.bags[i], factsOf(w.bags[i]).SimHash)
		}
	}
	seg, err := b.Finish(uint32(hi), m.emit)
	if err != nil {
		t.Fatalf("Finish [%d,%d): %v", lo, hi, err)
	}
	return Stored{seg, m}
}

// cut builds the world as n neighbouring segments.
func (w *world) cut(t testing.TB, n int, live func(uint32) bool) []Stored {
	var segments []Stored
	for i := range n {
		segments = append(segments, w.build(t, len(w.bags)*i/n, len(w.bags)*(i+1)/n, live))
	}
	return segments
}

func score(a, b shingle.Bag) measure.Score { return measure.Jaccard.Score(a, b) }

// pairs returns all pairs with resemblance ≥ t, by comparing each with each.
func (w *world) pairs(t measure.Threshold) []Pair {
	var out []Pair
	for a := range w.bags {
		for b := a + 1; b < len(w.bags); b++ {
			if s := score(w.bags[a], w.bags[b]); s.Shared > 0 && t.Admits(s.Shared, s.Of) {
				out = append(out, Pair{uint32(a), uint32(b)})
			}
		}
	}
	return out
}

// verified keeps the pairs with resemblance ≥ t.
func (w *world) verified(pairs []Pair, t measure.Threshold) []Pair {
	var out []Pair
	for _, p := range pairs {
		if s := score(w.bags[p.A], w.bags[p.B]); t.Admits(s.Shared, s.Of) {
			out = append(out, p)
		}
	}
	return out
}

// thresholds returns fixed ones from ½ up, and the very similarities of some
// pairs, so that sim = threshold is met.
func (w *world) thresholds(rng *rand.Rand) []measure.Threshold {
	var ts []measure.Threshold
	for _, p := range []uint64{100, 95, 90, 85, 80, 73, 65, 50} {
		ts = append(ts, measure.Ratio(p, 100))
	}
	for range 200 {
		a, b := rng.IntN(len(w.bags)), rng.IntN(len(w.bags))
		if s := score(w.bags[a], w.bags[b]); a != b && s.Of > 0 && s.Shared*2 >= s.Of && len(ts) < 14 {
			ts = append(ts, measure.Ratio(s.Shared, s.Of))
		}
	}
	return ts
}

// worlds calls test with small worlds of every kind.
func worlds(t *testing.T, test func(t *testing.T, seed uint64, w *world)) {
	for space := range hashSpaces {
		for _, size := range []int{1, 5, 40} {
			for _, logCounters := range []uint8{1, 14} {
				name := fmt.Sprintf("%s/size %d/2^%d counters", space, size, logCounters)
				t.Run(name, func(t *testing.T) {
					for seed := range uint64(3) {
						test(t, seed, newWorld(seed, 90, size, space, logCounters, seed == 1))
					}
				})
			}
		}
	}
}

// missing returns the members of want that got lacks.
func missing[T comparable](got, want []T) (lost []T) {
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
