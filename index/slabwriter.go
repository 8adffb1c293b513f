package index

// Filling slabs of facts outside of their table, at once or on first use.

import (
	"fmt"

	"cmp"
	"slices"
	"unsafe"
)

// SlabWriter fills one slab outside of its Table, so that several slabs can be filled
// concurrently. Each writer serves one goroutine.
type SlabWriter struct {
	table *Table
	slab  *slab // nil: nothing was put yet
	first uint32
	n     uint32 // the largest number put, plus 1; 0: none

	fetched *[slabSets]uint16 // distinct members of the sets to fetch facts for; else nil
	columns *columns          // facts fetched by Map
}

// NewSlab returns a writer for the numbers from k·SlabSets on. It is safe for concurrent use
// while the table does not change.
func (t *Table) NewSlab(k uint32) *SlabWriter {
	return &SlabWriter{table: t, first: k * SlabSets}
}

// Put stores the facts of set i. It panics if the slab does not cover i.
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

// PutSizes stores the sizes of all sets of an empty slab, encoded by AppendSizes, except those
// for which ended, unless nil, returns true. left fetches the other facts on first use, on any
// goroutine, and stores them with Map or Put in a writer of its own. On error nothing is stored.
func (p *SlabWriter) PutSizes(encoded []byte, ended func(set uint32) bool, left func(*SlabWriter) error) error {
	sizes, err := cutSizes(encoded, slabSets)
	if err != nil {
		return err
	}
	c, n := p.table.reserved(p.first/slabSets), uint32(0)
	for j := range slabSets {
		size, set := sizes.at(j), p.first+uint32(j)
		if size.Distinct > 0 && (ended == nil || !ended(set)) {
			c.setSize(uint32(j), size)
			n = set + 1
		}
	}
	if n > 0 {
		c.left = p.table.fetchLater(c.distinct, left)
		p.slab, p.n = c, n
	}
	return nil
}

// Reserve allocates memory for PutSizes of the first n slabs at once: ten million sets have ten
// thousand slabs, each with a system call and a page fault of its own otherwise.
func (t *Table) Reserve(n int) {
	t.reserve = new(reserve)
	t.reserve.words = words(t.reserve, t.Memory, n*sizesWords)
}

// reserved returns slab k with holes only, in the reserved memory if it is large enough.
func (t *Table) reserved(k uint32) *slab {
	s, r := new(sizes), t.reserve
	if r == nil || int(k+1)*sizesWords > len(r.words) {
		return newSizes(t.Memory, s, words(s, t.Memory, sizesWords))
	}
	s.in = r
	return newSizes(t.Memory, s, r.words[k*sizesWords:][:sizesWords])
}

// fetchLater returns a function that fetches the facts of the given sets with left into a separate
// slab.
func (t *Table) fetchLater(distinct *[slabSets]uint16, left func(*SlabWriter) error) func() (*columns, error) {
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

// Room returns n bytes of the table's memory for a piece for Map, and their owner.
func (p *SlabWriter) Room(n int) (b []byte, owner any) {
	o := new(struct{ words []uint64 })
	o.words = words(o, p.table.Memory, (n+7)/8)
	return bytesOf(o.words)[:n], o
}

// Live sets shares[j] to 1 for each set put and 0 for each hole, and returns the number of sets.
// shares begins with the first number of the slab, and may be shorter.
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

// Append adds a slab after all sets of the table. The writer must not be used afterwards. It
// panics for a slab of another table, or out of order.
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

// Elsewhere is a slab with new storage for its facts.
type Elsewhere struct {
	Number uint32
	Facts  *SlabWriter             // has the facts, or
	Left   func(*SlabWriter) error // fetches them, as in PutSizes
}

// Move changes the storage of the facts of slabs. Sizes stay. Earlier Views keep the previous
// storage. All numbers of the slabs must be below Len.
func (t *Table) Move(all []Elsewhere) {
	if len(all) == 0 {
		return
	}
	slabs := slices.Clone(t.slabs) // Views have the old slice
	for _, e := range all {
		if e.Number >= t.n/slabSets {
			panic(fmt.Sprintf("index: slab %d moved of a table of %d sets", e.Number, t.n))
		}
		old := slabs[e.Number]
		if old == noSets || e.Left == nil && e.Facts.slab == nil {
			continue // only holes
		}
		s := &slab{distinct: old.distinct, sizes: old.sizes, memory: t.Memory}
		if e.Left != nil {
			s.left = t.fetchLater(s.distinct, e.Left)
		} else {
			s.now.Store(e.Facts.slab.now.Load())
		}
		slabs[e.Number] = s
	}
	t.slabs = slabs
}

// PutPiece stores the facts of the sets in [lo, hi), encoded by AppendSizes and AppendPiece,
// except sets for which ended returns true. The slab must cover these sets. On error nothing is
// stored.
func (p *SlabWriter) PutPiece(lo, hi uint32, encodedSizes, encoded []byte, ended func(set uint32) bool) error {
	n := int(hi - lo)
	sizes, err := cutSizes(encodedSizes, n)
	if err != nil {
		return err
	}
	columns, err := cutPiece(encoded, n)
	if err != nil {
		return err
	}
	for i := range n {
		if _, words := columns.place(i); !fit(sizes.at(i).Distinct, words) {
			return errPiece
		}
	}
	var f Facts
	for i := range n {
		f.Size = sizes.at(i)
		if set := lo + uint32(i); f.Size.Distinct > 0 && (ended == nil || !ended(set)) {
			columns.decode(i, &f)
			p.Put(set, f)
		}
	}
	return nil
}

// Map takes the facts of a whole slab from an encoded piece, in place if the machine can read it
// there. It is for writers that fetch. owner stays reachable as long as the piece may be read.
// On error nothing is stored.
func (p *SlabWriter) Map(encoded []byte, owner any) error {
	all, err := cutPiece(encoded, slabSets)
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
