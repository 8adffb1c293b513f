package index

// This file fills slabs of facts apart from their table.

import (
	"fmt"

	"github.com/simdb/simdb/internal/measure"
)

// A SlabWriter fills one slab apart from its Table, so that several slabs can
// be filled at the same time.
type SlabWriter struct {
	table *Table
	slab  *slab // nil: nothing was put yet
	first uint32
	n     uint32 // one more than the largest number put; 0: none

	fetched *[slabSets]uint16 // the sets whose facts it fetches, of any slab; else nil
	columns *columns          // what it has fetched, by Map
}

// NewSlab returns a writer for the numbers from k·SlabSets on. Several
// goroutines may call it and fill their slabs, as long as the table does not
// change.
func (t *Table) NewSlab(k uint32) *SlabWriter {
	return &SlabWriter{table: t, first: k * SlabSets}
}

// Put stores the facts of set i. It panics if the slab does not cover that set.
func (p *SlabWriter) Put(i uint32, f Facts) {
	if p.fetched != nil {
		i %= SlabSets
	}
	if i < p.first || i-p.first >= SlabSets || len(f.Signature) > maxWords {
		panic(fmt.Sprintf("index: facts of set %d with %d words put into the slab from %d", i, len(f.Signature), p.first))
	}
	if p.slab == nil {
		p.slab = p.table.newSlab()
	}
	p.slab.put(i-p.first, f)
	p.n = max(p.n, i+1)
}

// PutSizes stores the sizes of all sets of the slab, which has nothing yet, as
// AppendSizes has encoded them, without the sets for which ended is true. The
// other facts are left. The function left is called when they are first asked for, on
// whatever goroutine does so, and puts them with Map, or with Put set by set,
// into a writer of its own. If PutSizes returns an error, it has stored nothing.
func (p *SlabWriter) PutSizes(encoded []byte, ended func(set uint32) bool, left func(*SlabWriter) error) error {
	c, n := p.table.newSizes(), uint32(0)
	err := decodeSizes(encoded, slabSets, func(j int, size measure.Size) {
		if set := p.first + uint32(j); size.Distinct > 0 && !ended(set) {
			c.setSize(uint32(j), size)
			n = set + 1
		}
	})
	if err != nil {
		return err
	}
	if n > 0 {
		c.left = left
		p.slab, p.n = c, n
	}
	return nil
}

// Room returns n bytes of the table's memory for a piece that Map is to take, and
// their owner.
func (p *SlabWriter) Room(n int) (b []byte, owner any) {
	o := new(struct{ words []uint64 })
	o.words = words(o, p.table.Memory, (n+7)/8)
	return bytesOf(o.words)[:n], o
}

// Live writes 1 for each set that was put, and 0 for each hole, and counts the
// sets. shares begin with the first number of the slab, and may end before it.
func (p *SlabWriter) Live(shares []uint8) (sets int64) {
	c := noSets
	if p.slab != nil {
		c = p.slab
	}
	for j := range min(len(shares), SlabSets) {
		if shares[j] = uint8(min(c.distinct[j], 1)); shares[j] > 0 {
			sets++
		}
	}
	return sets
}

// Append adds a slab of this table after all sets that the table has. The
// writer of the slab must not be used after that.
func (t *Table) Append(p *SlabWriter) {
	if p.n == 0 {
		return
	}
	if p.table != t || p.first < t.n {
		panic(fmt.Sprintf("index: slab from %d appended behind %d", p.first, t.n))
	}
	t.reach(p.first / slabSets)
	t.slabs = append(t.slabs, p.slab)
	t.n = p.n
}
