package join

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// This file makes small collections for the tests of joins, as world_test.go does
// for those of package index.

// memory keeps the pages of a segment.
type memory [index.Kinds]pageList

type pageList [][]byte

func (l pageList) Page(n int) ([]byte, error) {
	if n < 0 || n >= len(l) {
		return nil, fmt.Errorf("no page %d", n)
	}
	return l[n], nil
}

func (m *memory) Pages(k index.Kind) index.Pages { return m[k] }

func (m *memory) emit(k index.Kind, page int, data []byte) error {
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
	layout index.Layout
	table  index.Table
}

// orderOf is the order of bags with as few counters as a test likes, written out as
// an order is encoded: what two bags have stands behind what one has.
func orderOf(logCounters uint8, bags []shingle.Bag) *index.Order {
	encoded := append([]byte{1, logCounters}, make([]byte, 4+1<<logCounters)...)
	binary.LittleEndian.PutUint32(encoded[2:], uint32(len(bags)))
	counts := make([]int, 1<<logCounters)
	for _, bag := range bags {
		for _, h := range bag.Set {
			counts[h>>(64-logCounters)]++
		}
	}
	for i, n := range counts {
		encoded[6+i] = uint8(min(max(n, 1)-1, 127))
	}
	order, err := index.DecodeOrder(encoded)
	if err != nil {
		panic(err)
	}
	return order
}

// newWorld makes a world with every tenth number a hole. With drift the order
// was frozen on other sets.
func newWorld(seed uint64, n, size int, space string, logCounters uint8, drift bool) *world {
	bags, sample := drawn.Bags(seed, n, size, space, drift)
	w := &world{bags: bags}
	for i, bag := range bags {
		if len(bag.Set) > 0 {
			w.table.Put(uint32(i), factsOf(bag))
		}
	}
	if w.layout = (index.Layout{Order: orderOf(logCounters, sample)}); seed%2 > 0 {
		w.layout.Intervals = index.Intervals{1, 3, 7} // which keeps all postings in pages
	}
	return w
}

func factsOf(bag shingle.Bag) index.Facts {
	f := index.Facts{Size: measure.Size{Distinct: uint64(len(bag.Set)), Total: bag.Total}}
	if len(bag.Set) > 0 {
		f.SimHash = sketch.SimHash(bag.Set)
		f.Signature = sketch.NewSignature(nil, bag.Set)
	}
	return f
}

// build makes one segment of the sets in [lo, hi) that live keeps.
func (w *world) build(t testing.TB, lo, hi int, live func(uint32) bool) index.Stored {
	t.Helper()
	b, m := index.NewBuilder(w.layout, uint32(lo)), new(memory)
	for i := lo; i < hi; i++ {
		if live == nil || live(uint32(i)) {
			b.Add(uint32(i), w.bags[i], factsOf(w.bags[i]).SimHash)
		}
	}
	seg, err := b.Finish(uint32(hi), m.emit)
	if err != nil {
		t.Fatalf("Finish [%d,%d): %v", lo, hi, err)
	}
	return index.Stored{Segment: seg, Reader: m}
}

// cut builds the world as n neighbouring segments.
func (w *world) cut(t testing.TB, n int, live func(uint32) bool) []index.Stored {
	var segments []index.Stored
	for i := range n {
		segments = append(segments, w.build(t, len(w.bags)*i/n, len(w.bags)*(i+1)/n, live))
	}
	return segments
}

func score(a, b shingle.Bag) measure.Score { return measure.Resemblance.Score(a, b) }

// pairs returns all pairs with resemblance ≥ t, by comparing each with each.
func (w *world) pairs(t api.Threshold) []Pair {
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
func (w *world) verified(pairs []Pair, t api.Threshold) []Pair {
	var out []Pair
	for _, p := range pairs {
		if s := score(w.bags[p.A], w.bags[p.B]); t.Admits(s.Shared, s.Of) {
			out = append(out, p)
		}
	}
	return out
}
