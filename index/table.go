package index

// This file keeps the facts of sets in memory, for one writer and many readers.

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Facts is what the index keeps in memory of each set.
type Facts struct {
	measure.Size
	Collisions uint64 // Distinct − cardinality of the folded set
	SimHash    uint64
	Signature  sketch.Signature
}

// Table holds the Facts of a collection's sets by set number, in slabs that
// never move. It has one writer. Readers work on a View, which later writes do
// not change. A number without a set (Distinct 0) is a hole.
//
// A View needs no lock. Everything it can reach was written before it was
// taken, and Put writes only after that. The caller hands a View from the
// writer to the readers under a mutex of its own.
type Table struct {
	// Memory returns n zero words and a function that gives them back. They
	// hold the facts of sets without the number of distinct members. nil means
	// the Go heap. Memory must be safe for concurrent use if slabs are filled
	// at the same time.
	Memory func(n int) (words []uint64, free func())

	slabs []*slab
	n     uint32
}

// A slab holds 1,024 sets, so a small collection costs 60 kB and not megabytes.
// Signatures lie in blocks, in order. A signature never crosses two blocks.
const (
	slabSets   = 1024
	blockWords = 4096
	maxWords   = 128 // of a signature
)

// slab has two pieces. All versions of a slab share what never changes once a
// View may see it. They do not share distinct, because End makes holes.
type slab struct {
	distinct *[slabSets]uint32
	*fixed
}

type fixed struct {
	simHash *[slabSets]uint64 // whole pages of memory for a scan
	sizes   *[slabSets]uint64 // all members, collisions << 32: texts are below 4 GiB
	places  *[slabSets]uint64 // place of the signature, in words, << 8, and its length
	blocks  [slabSets*maxWords/(blockWords-maxWords) + 1]*[blockWords]uint64
	used    uint32 // words; only put looks at it
}

// noSets is the slab of numbers without any set. It is never written.
var noSets = new(Table).newSlab()

func (t *Table) newSlab() *slab {
	f := new(fixed)
	columns := t.words(f, 3*slabSets)
	f.simHash = (*[slabSets]uint64)(columns)
	f.sizes = (*[slabSets]uint64)(columns[slabSets:])
	f.places = (*[slabSets]uint64)(columns[2*slabSets:])
	return &slab{new([slabSets]uint32), f}
}

// words returns memory that lives as long as f. The memory goes when no View
// reaches it any more, so a slice of it is valid only as long as the View.
func (t *Table) words(f *fixed, n int) []uint64 {
	if t.Memory == nil {
		return make([]uint64, n)
	}
	words, free := t.Memory(n)
	if free != nil {
		runtime.AddCleanup(f, func(free func()) { free() }, free)
	}
	return words
}

// Put stores the facts of set i, usually the next number. Numbers that it
// leaves out are holes. Numbers only ascend: Put panics below Len, where
// readers may look. It also panics on a signature of more than 128 words.
func (t *Table) Put(i uint32, f Facts) {
	if i < t.n || len(f.Signature) > maxWords {
		panic(fmt.Sprintf("index: facts of set %d with %d words put behind %d", i, len(f.Signature), t.n))
	}
	t.reach(i / slabSets)
	if uint32(len(t.slabs)) == i/slabSets {
		t.slabs = append(t.slabs, t.newSlab())
	}
	t.put(t.slabs[i/slabSets], i%slabSets, f)
	t.n = i + 1
}

// reach fills the table with holes up to slab k.
func (t *Table) reach(k uint32) {
	for uint32(len(t.slabs)) < k {
		t.slabs = append(t.slabs, noSets)
	}
}

func (t *Table) put(c *slab, j uint32, f Facts) {
	c.distinct[j] = uint32(f.Distinct)
	c.sizes[j] = uint64(uint32(f.Total)) | f.Collisions<<32
	c.simHash[j] = f.SimHash
	if len(f.Signature) > 0 {
		copy(t.signature(c, j, uint32(len(f.Signature))), f.Signature)
	}
}

// signature makes room for the signature of a set, n words.
func (t *Table) signature(c *slab, j, n uint32) []uint64 {
	if c.used%blockWords+n > blockWords {
		c.used += blockWords - c.used%blockWords
	}
	if c.used%blockWords == 0 {
		c.blocks[c.used/blockWords] = (*[blockWords]uint64)(t.words(c.fixed, blockWords))
	}
	c.places[j] = uint64(c.used)<<8 | uint64(n)
	words := c.blocks[c.used/blockWords][c.used%blockWords:][:n]
	c.used += n
	return words
}

// End makes a hole of set i. A View that was taken before still has the set. A
// slab that has only holes gives its memory back.
func (t *Table) End(i uint32) {
	c, j := t.slabs[i/slabSets], i%slabSets
	distinct := *c.distinct
	distinct[j] = 0
	ended := &slab{&distinct, c.fixed}
	if filled := i/slabSets < t.n/slabSets; filled && distinct == *noSets.distinct {
		ended = noSets
	}
	t.slabs = slices.Clone(t.slabs) // a View has the old ones
	t.slabs[i/slabSets] = ended
}

// View returns what readers see: the sets below Len at the time of the call.
func (t *Table) View() View { return View{t.slabs, t.n} }

// View is an immutable state of a Table. A number at or above Len is a hole.
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

// Len returns one more than the largest set number.
func (v View) Len() uint32 { return v.n }

// distinct returns the distinct members of set i.
func (v View) distinct(i uint32) uint32 {
	c, j := v.at(i)
	return c.distinct[j]
}

// Size returns the sizes of set i.
func (v View) Size(i uint32) measure.Size {
	c, j := v.at(i)
	return measure.Size{Distinct: uint64(c.distinct[j]), Total: uint64(uint32(c.sizes[j]))}
}

// Collisions returns how many members fewer the folded set of set i has.
func (v View) Collisions(i uint32) uint64 {
	c, j := v.at(i)
	return c.sizes[j] >> 32
}

// SimHashes returns the fingerprints of set i < Len and of some sets after it,
// and how many distinct members each has: 0 for a hole. Both are read-only.
func (v View) SimHashes(i uint32) (hashes []uint64, distinct []uint32) {
	c, j, end := v.stretch(i, v.n)
	return c.simHash[j:end], c.distinct[j:end]
}

// SimHash returns the fingerprint of set i, 0 for a hole.
func (v View) SimHash(i uint32) uint64 {
	c, j := v.at(i)
	return c.simHash[j]
}

// Signature returns the parity signature of set i. It is read-only, and valid
// only while the View is in use.
func (v View) Signature(i uint32) sketch.Signature {
	c, j := v.at(i)
	return c.signature(j)
}

func (c *slab) signature(j uint32) sketch.Signature {
	n := uint32(c.places[j] & 0xff)
	if n == 0 {
		return nil
	}
	place := uint32(c.places[j] >> 8)
	at := place % blockWords
	return c.blocks[place/blockWords][at : at+n : at+n]
}
