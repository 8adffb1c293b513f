package index

// This file fills slabs of facts apart from their table, and encodes facts for
// the file of a segment.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// SlabSets is how many numbers a slab covers. The first of them is a multiple
// of it.
const SlabSets = slabSets

// A SlabWriter fills one slab apart from its Table, so that several slabs can
// be filled at the same time.
type SlabWriter struct {
	table *Table
	slab  *slab // nil: nothing was put yet
	first uint32
	n     uint32 // one more than the largest number put; 0: none
}

// NewSlab returns a writer for the numbers from k·SlabSets on. Several
// goroutines may call it and fill their slabs, as long as the table does not
// change.
func (t *Table) NewSlab(k uint32) *SlabWriter {
	return &SlabWriter{table: t, first: k * SlabSets}
}

// Put stores the facts of set i. It panics if the slab does not cover that set.
func (p *SlabWriter) Put(i uint32, f Facts) {
	if i < p.first || i-p.first >= SlabSets || len(f.Signature) > maxWords {
		panic(fmt.Sprintf("index: facts of set %d with %d words put into the slab from %d", i, len(f.Signature), p.first))
	}
	if p.slab == nil {
		p.slab = p.table.newSlab()
	}
	p.table.put(p.slab, i-p.first, f)
	p.n = max(p.n, i+1)
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

// A piece encodes the facts of sets with neighbouring numbers, all of one slab:
//
//	for each number its distinct members, 0 for a hole; for a set then how many more members
//	                there are with repetitions, and its collisions: varints
//	for each set    its SimHash, 8 bytes, little-endian like
//	for each set    the words of its signature, as many as its distinct members ask for

// AppendPiece encodes the facts of the sets in [lo, hi) for which keep says so.
func (v View) AppendPiece(dst []byte, lo, hi uint32, keep func(set uint32) bool) []byte {
	kept := make([]uint32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		size := v.Size(i)
		if size.Distinct == 0 || !keep(i) {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, size.Distinct)
		dst = binary.AppendUvarint(dst, size.Total-size.Distinct)
		dst = binary.AppendUvarint(dst, v.Collisions(i))
		kept = append(kept, i)
	}
	for _, i := range kept {
		dst = binary.LittleEndian.AppendUint64(dst, v.SimHash(i))
	}
	for _, i := range kept {
		for _, w := range v.Signature(i) {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return dst
}

var errPiece = errors.New("the facts of sets do not decode")

// PutPiece stores the facts of the sets in [lo, hi) from a piece that
// AppendPiece has encoded. The slab must cover these sets. It leaves out the
// sets for which ended is true. If it returns an error, it has stored nothing.
func (p *SlabWriter) PutPiece(lo, hi uint32, piece []byte, ended func(set uint32) bool) error {
	var sets [SlabSets]measure.Size
	var collisions [SlabSets]uint32
	b, sizes, words := piece, sets[:hi-lo], 0
	number := func() uint64 {
		if len(b) > 0 && b[0] < 0x80 {
			n := uint64(b[0])
			b = b[1:]
			return n
		}
		n, l := binary.Uvarint(b)
		if l <= 0 {
			b = nil
			return math.MaxUint64 // is too much of anything
		}
		b = b[l:]
		return n
	}
	live := 0
	for i := range sizes {
		distinct := number()
		if distinct == 0 {
			continue
		}
		more, collided := number(), number()
		if distinct > math.MaxUint32 || more > math.MaxUint32-distinct || collided >= distinct {
			return errPiece
		}
		sizes[i] = measure.Size{Distinct: distinct, Total: distinct + more}
		collisions[i] = uint32(collided)
		words += sketch.SignatureWords(int(distinct))
		live++
	}
	if len(b) != 8*(live+words) {
		return errPiece
	}
	hashes, b := b[:8*live], b[8*live:]
	for i, size := range sizes {
		if size.Distinct == 0 {
			continue
		}
		set, n := lo+uint32(i), sketch.SignatureWords(int(size.Distinct))
		if !ended(set) {
			p.Put(set, Facts{Size: size, Collisions: uint64(collisions[i]), SimHash: binary.LittleEndian.Uint64(hashes)})
			signature := p.table.signature(p.slab, set-p.first, uint32(n))
			for w := range signature {
				signature[w] = binary.LittleEndian.Uint64(b[8*w:])
			}
		}
		hashes, b = hashes[8:], b[8*n:]
	}
	return nil
}
