package index

// This file keeps the facts of sets, for one writer and many readers.

import (
	"fmt"
	"slices"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Table holds the Facts of a collection's sets by set number, in slabs that
// never move. It has one writer. Readers work on a View, which later writes do
// not change. A number without a set (Distinct 0) is a hole.
//
// A View needs no lock. Everything it can reach was written before it was
// taken, and Put writes only after that. The caller hands a View from the
// writer to the readers under a mutex of its own.
//
// Sizes are always in memory. The other facts of a slab may be left to be
// fetched when they are first asked for, and may lie in the memory of a file.
type Table struct {
	// Memory returns n zero words and a function that gives them back. They
	// hold the facts of sets. nil means the Go heap. Memory must be safe for
	// concurrent use if slabs are filled at the same time.
	Memory func(n int) (words []uint64, free func())

	slabs []*slab
	n     uint32
}

// Put stores the facts of set i, usually the next number. Numbers that it
// leaves out are holes. Numbers only ascend: Put panics below Len, where
// readers may look. It also panics on a signature of more than 128 words.
func (t *Table) Put(i uint32, f Facts) {
	if i < t.n || len(f.Signature) > maxWords {
		panic(fmt.Sprintf("index: facts of set %d with %d words put behind %d", i, len(f.Signature), t.n))
	}
	t.Widen(i + 1)
	t.slabs[i/slabSets].put(i%slabSets, f)
}

// reach fills the table with holes up to slab k.
func (t *Table) reach(k uint32) {
	for uint32(len(t.slabs)) < k {
		t.slabs = append(t.slabs, noSets)
	}
}

// Widen lets the numbers below n be numbers of the table: those it did not have are holes.
func (t *Table) Widen(n uint32) {
	if n <= t.n {
		return
	}
	t.reach((n - 1) / slabSets)
	if uint32(len(t.slabs)) == (n-1)/slabSets {
		t.slabs = append(t.slabs, newSlab(t.Memory))
	}
	t.n = n
}

// End makes a hole of set i. A View that was taken before still has the set. A
// slab that has only holes gives its memory back.
//
// Facts that were left to be fetched are fetched first: whoever fetches them
// finds the facts of all sets that any View has. If that fails, End has changed
// nothing.
func (t *Table) End(i uint32) error {
	s, j := t.slabs[i/slabSets], i%slabSets
	facts, err := s.fetch()
	if err != nil {
		return err
	}
	distinct := *s.distinct
	distinct[j] = 0
	ended := &slab{distinct: &distinct, sizes: s.sizes, memory: s.memory}
	ended.now.Store(facts)
	if filled := i/slabSets < t.n/slabSets; filled && distinct == *noSets.distinct {
		ended = noSets
	}
	t.slabs = slices.Clone(t.slabs) // a View has the old ones
	t.slabs[i/slabSets] = ended
	return nil
}

// View returns what readers see: the sets below Len at the time of the call.
func (t *Table) View() View { return View{t.slabs, t.n} }

// View is an immutable state of a Table. A number at or above Len is a hole.
//
// Whoever reads more than sizes does so in a goroutine that catches what it
// meets where facts cannot be read: see CatchUnreadable.
type View struct {
	slabs []*slab
	n     uint32
}

func (v View) at(i uint32) (*slab, uint32) {
	if i >= v.n {
		return noSets, 0
	}
	return v.slabs[i/slabSets], i % slabSets
}

// Len returns one more than the largest set number that was ever given, also if that set
// has ended. Joins of two tables number the sets of the second from here.
func (v View) Len() uint32 { return v.n }

// has says whether set i is there, rather than a hole.
func (v View) has(i uint32) bool {
	c, j := v.at(i)
	return c.distinct[j] > 0
}

// Size returns the sizes of set i.
func (v View) Size(i uint32) measure.Size {
	c, j := v.at(i)
	return c.size(j)
}

// SimHashes returns the fingerprints of set i < Len and of some sets after it, and
// for each whether it is there: 0 for a hole, else more. Both are read-only.
func (v View) SimHashes(i uint32) (hashes []uint64, there []uint16) {
	c, j, end := v.stretch(i, v.n)
	return c.facts().simHash[j:end], c.distinct[j:end]
}

// SimHash returns the fingerprint of set i.
func (v View) SimHash(i uint32) uint64 {
	c, j := v.at(i)
	return c.facts().simHash[j]
}

// Signature returns the parity signature of set i. It is read-only, and valid
// only while the View is in use.
func (v View) Signature(i uint32) sketch.Signature {
	c, j := v.at(i)
	return c.facts().signature(j)
}

// stretch returns the slab of set i, which is below v.n. Places [j, end) of the
// slab hold the sets from i on that are below hi.
func (v View) stretch(i, hi uint32) (c *slab, j, end uint32) {
	j = i % slabSets
	return v.slabs[i/slabSets], j, min(slabSets, j+min(hi, v.n)-i)
}
