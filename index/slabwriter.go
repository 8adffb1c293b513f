package index

// Filling slabs of facts apart from their table, at once or when they are first needed.

import (
	"fmt"

	"cmp"
	"slices"
	"unsafe"

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
		p.slab = newSlab(p.table.Memory)
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
	c, n := newSizes(p.table.Memory), uint32(0)
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
		c.left = p.table.fetching(c.distinct, left)
		p.slab, p.n = c, n
	}
	return nil
}

// fetching returns a function that fetches the facts of such sets by left, into a slab apart.
func (t *Table) fetching(distinct *[slabSets]uint16, left func(*SlabWriter) error) func() (*columns, error) {
	memory := t.Memory
	return func() (*columns, error) {
		p := (&Table{Memory: memory}).NewSlab(0)
		p.fetched = distinct
		if err := left(p); err != nil {
			return nil, err
		}
		if p.columns != nil {
			return p.columns, nil
		}
		return cmp.Or(p.slab, noSets).now.Load(), nil
	}
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

// Elsewhere is a slab whose facts lie somewhere else from now on.
type Elsewhere struct {
	Number uint32
	Facts  *SlabWriter             // they have been put there, or
	Left   func(*SlabWriter) error // they are left to be fetched, as PutSizes means it
}

// Move lets the facts of slabs be read from elsewhere. Their sizes stay. Views
// that were taken before have what they had. All numbers of the slabs must be
// below Len.
func (t *Table) Move(all []Elsewhere) {
	if len(all) == 0 {
		return
	}
	slabs := slices.Clone(t.slabs) // a View has the old ones
	for _, e := range all {
		if e.Number >= t.n/slabSets {
			panic(fmt.Sprintf("index: slab %d moved of a table of %d sets", e.Number, t.n))
		}
		old := slabs[e.Number]
		if old == noSets || e.Left == nil && e.Facts.slab == nil {
			continue // it has only holes
		}
		s := &slab{distinct: old.distinct, sizes: old.sizes, memory: t.Memory}
		if e.Left != nil {
			s.left = t.fetching(s.distinct, e.Left)
		} else {
			s.now.Store(e.Facts.slab.now.Load())
		}
		slabs[e.Number] = s
	}
	t.slabs = slabs
}

// PutPiece stores the facts of the sets in [lo, hi) from what AppendSizes and
// AppendPiece have encoded. The slab must cover these sets. It leaves out the
// sets for which ended is true. If it returns an error, it has stored nothing.
func (p *SlabWriter) PutPiece(lo, hi uint32, encodedSizes, encoded []byte, ended func(set uint32) bool) error {
	n := int(hi - lo)
	sizes := make([]measure.Size, n)
	if err := decodeSizes(encodedSizes, n, func(i int, size measure.Size) { sizes[i] = size }); err != nil {
		return err
	}
	columns, err := cut(encoded, n)
	if err != nil {
		return err
	}
	for i, size := range sizes {
		if _, words := columns.place(i); !fit(size.Distinct, words) {
			return errPiece
		}
	}
	var f Facts
	for i, size := range sizes {
		if set := lo + uint32(i); size.Distinct > 0 && !ended(set) {
			f.Size = size
			columns.decode(i, &f)
			p.Put(set, f)
		}
	}
	return nil
}

// Map lets the facts of a whole slab be those of an encoded piece, where it
// lies if the machine can read it there. It is for writers that fetch. owner is
// held as long as anything of the piece may be read. If Map returns an error, it
// has stored nothing.
func (p *SlabWriter) Map(encoded []byte, owner any) error {
	all, err := cut(encoded, slabSets)
	if err != nil {
		return err
	}
	if !readable(encoded) {
		var f Facts
		for i := range slabSets {
			all.decode(i, &f)
			p.Put(uint32(i), f)
		}
		err := p.slab.now.Load().fits(p.fetched)
		if err != nil {
			p.slab = nil
		}
		return err
	}
	c := &columns{owner: owner, words: unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(all.words))), len(all.words)/8)}
	c.simHash = (*[slabSets]uint64)(unsafe.Pointer(unsafe.SliceData(all.simHash)))
	c.places = (*[slabSets]uint32)(unsafe.Pointer(unsafe.SliceData(all.places)))
	if err := c.fits(p.fetched); err != nil {
		return err
	}
	p.columns = c
	return nil
}
