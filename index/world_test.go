package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
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
	bags, sample := drawn.Bags(seed, n, size, space, drift)
	w := &world{bags: bags}
	for i, bag := range bags {
		if len(bag.Set) > 0 {
			w.table.Put(uint32(i), factsOf(bag))
		}
	}
	w.layout = Layout{
		Order:     orderOf(logCounters, sample),
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

func score(a, b shingle.Bag) measure.Score { return measure.Resemblance.Score(a, b) }
