package index

// The facts of sets, with one writer and many readers.

import (
	"fmt"
	"slices"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Table holds the Facts of a collection's sets by set number, in slabs that never move. It has
// one writer. Readers use a View, which later writes do not change. A number without a set
// (Distinct 0) is a hole.
//
// A View needs no lock: everything reachable from it was written before it was taken, and later
// writes go elsewhere. The caller hands a View from the writer to the readers under its own
// mutex.
//
// Sizes are always in memory. The other facts of a slab may be fetched on first use, and may lie
// in a mapped file.
type Table struct {
	// Memory returns n zero words for facts, and a function that frees them. nil means the Go
	// heap. It must be safe for concurrent use if slabs are filled concurrently.
	Memory func(n int) (words []uint64, free func())

	slabs   []*slab
	n       uint32
	reserve *reserve // nil: none
}

// Put stores the facts of set i, usually the next number; skipped numbers are holes. Numbers
// must ascend: Put panics below Len, where readers may look, and on a signature of more than 128
// words.
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

// Widen extends the table to the numbers below n; new numbers are holes.
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

// End makes set i a hole. Earlier Views keep the set. A slab of holes frees its memory, except sizes in
// reserved memory.
//
// End first fetches facts that are not fetched yet, so that the fetch finds the facts of all
// sets of any View. If that fails, nothing has changed.
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
	t.slabs = slices.Clone(t.slabs) // Views have the old slice
	t.slabs[i/slabSets] = ended
	return nil
}

// View returns the state for readers: the sets below Len at the time of the call.
func (t *Table) View() View { return View{t.slabs, t.n} }

// View is an immutable state of a Table. A number at or above Len is a hole.
//
// A goroutine that reads more than sizes must defer CatchUnreadable.
type View struct {
	slabs []*slab
	n     uint32
}

// at returns the slab and place of set i.
func (v View) at(i uint32) (*slab, uint32) {
	if i >= v.n {
		return noSets, 0
	}
	return v.slabs[i/slabSets], i % slabSets
}

// Len returns the largest set number ever given plus 1, even if that set has ended. Joins of two
// tables number the sets of the second from here.
func (v View) Len() uint32 { return v.n }

// has reports whether set i exists.
func (v View) has(i uint32) bool {
	c, j := v.at(i)
	return c.distinct[j] > 0
}

// Size returns the size of set i; no members for a hole.
func (v View) Size(i uint32) measure.Size {
	c, j := v.at(i)
	return c.size(j)
}

// upTo reports whether set i may have at most so many members. It compares sizes that take two
// bytes.
func (v View) upTo(i uint32, most uint64) bool {
	c, j := v.at(i)
	n := c.distinct[j]
	return uint64(n) <= most || n == long
}

// SimHashes returns the fingerprints of set i < Len and some sets after it, and for each 0 if it
// is a hole, else more. Both slices are read-only.
func (v View) SimHashes(i uint32) (hashes []uint64, there []uint16) {
	c, j, end := v.stretch(i, v.n)
	return c.facts().simHash[j:end], c.distinct[j:end]
}

// SimHash returns the fingerprint of set i.
func (v View) SimHash(i uint32) uint64 {
	c, j := v.at(i)
	return c.facts().simHash[j]
}

// Signature returns the parity signature of set i, read-only, valid only while the View is in
// use.
func (v View) Signature(i uint32) sketch.Signature {
	c, j := v.at(i)
	return c.facts().signature(j)
}

// stretch returns the slab of set i < v.n. Places [j, end) of the slab hold the sets from i on
// that are below hi.
func (v View) stretch(i, hi uint32) (c *slab, j, end uint32) {
	j = i % slabSets
	return v.slabs[i/slabSets], j, min(slabSets, j+min(hi, v.n)-i)
}
