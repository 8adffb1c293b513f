package index

// The facts of sets, and the slabs that hold them in memory.

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"unsafe"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Facts is the data of a set that filters use.
type Facts struct {
	measure.Size
	SimHash   uint64
	Signature sketch.Signature
}

// SlabSets is the number of set numbers in a slab, which begins at a multiple of it.
const SlabSets = slabSets

// A slab has 1,024 sets, so that a small collection costs 60 kB rather than megabytes.
// Signatures put one by one lie in blocks, in order; none crosses two blocks.
const (
	slabSets   = 1024
	blockWords = 4096
	maxWords   = 128 // of a signature
)

// slab is one version of a slab. Versions share everything that never changes once a View may
// see it; distinct is separate, because End makes holes.
type slab struct {
	distinct *[slabSets]uint16 // 0 for a hole, at most long
	*sizes
	now  atomic.Pointer[columns]  // nil until the facts are fetched
	left func() (*columns, error) // fetches the facts

	memory func(int) ([]uint64, func()) // of the table
}

// sizes are always in memory, like the initial distinct. Two bytes suffice for nearly all sets.
type sizes struct {
	total *[slabSets]uint16 // all members, at most long
	long  atomic.Pointer[[]longSize]
	in    *reserve // keeps the memory alive, unless sizes does
}

// reserve is memory for the sizes of the first slabs of a table.
type reserve struct{ words []uint64 }

// long marks the size of a set with so many members or more, which is stored separately.
const long = math.MaxUint16

// longSize is the size of a long set.
type longSize struct {
	j uint32
	measure.Size
}

// setSize stores the size of a set, once, in ascending order.
func (s *slab) setSize(j uint32, size measure.Size) {
	s.distinct[j], s.total[j] = uint16(min(size.Distinct, long)), uint16(min(size.Total, long))
	if size.Total >= long {
		var all []longSize
		if old := s.long.Load(); old != nil {
			all = *old // readers have the old length
		}
		all = append(all, longSize{j, size})
		s.long.Store(&all)
	}
}

// size returns the size of a set; no distinct members for a hole.
func (s *slab) size(j uint32) measure.Size {
	if s.total[j] < long || s.distinct[j] == 0 {
		return measure.Size{Distinct: uint64(s.distinct[j]), Total: uint64(s.total[j])}
	}
	all := *s.long.Load()
	i, _ := slices.BinarySearchFunc(all, j, func(x longSize, j uint32) int { return int(x.j) - int(j) })
	return all[i].Size
}

// columns are the facts that may be in a file.
type columns struct {
	simHash *[slabSets]uint64 // whole pages of memory, for scans
	places  *[slabSets]uint32 // offset of the signature in words << 8, and its length
	words   []uint64          // the signatures, if they are adjacent; else nil
	blocks  *blocks           // the signatures, if they were put one by one
	owner   any               // keeps the memory alive, unless columns does
}

// blocks holds signatures that were put one by one.
type blocks struct {
	of   [slabSets*maxWords/(blockWords-maxWords) + 1]*[blockWords]uint64
	used uint32 // words; only put reads it
}

// noSets is the slab of numbers without any set. It is never written.
var noSets = newSlab(nil)

// newSlab returns a slab of holes for writing.
func newSlab(memory func(int) ([]uint64, func())) *slab {
	c := new(columns)
	room := words(c, memory, slabSets+slabSets/2)
	c.simHash = (*[slabSets]uint64)(room)
	c.places = (*[slabSets]uint32)(halvesOf(room[slabSets:]))
	c.blocks = new(blocks)
	s := new(sizes)
	slab := newSizes(memory, s, words(s, memory, sizesWords))
	slab.now.Store(c)
	return slab
}

// sizesWords is the memory of the sizes of a slab, in words.
const sizesWords = slabSets / 2

// newSizes returns a slab of holes with sizes only, in words that are zero.
func newSizes(memory func(int) ([]uint64, func()), s *sizes, words []uint64) *slab {
	quarters := quartersOf(words)
	s.total = (*[slabSets]uint16)(quarters[slabSets:])
	return &slab{distinct: (*[slabSets]uint16)(quarters), sizes: s, memory: memory}
}

// words returns memory that lives as long as owner. It is freed when no View reaches owner, so a
// slice of it is valid only as long as the View.
func words[T any](owner *T, memory func(int) ([]uint64, func()), n int) []uint64 {
	if memory == nil {
		return make([]uint64, n)
	}
	words, free := memory(n)
	if free != nil {
		runtime.AddCleanup(owner, func(free func()) { free() }, free)
	}
	return words
}

// put stores the facts of a set.
func (s *slab) put(j uint32, f Facts) {
	s.setSize(j, f.Size)
	c := s.now.Load()
	c.simHash[j] = f.SimHash
	if len(f.Signature) > 0 {
		copy(c.room(s.memory, j, uint32(len(f.Signature))), f.Signature)
	}
}

// room returns n words for the signature of a set.
func (c *columns) room(memory func(int) ([]uint64, func()), j, n uint32) []uint64 {
	b := c.blocks
	if b.used%blockWords+n > blockWords {
		b.used += blockWords - b.used%blockWords
	}
	if b.used%blockWords == 0 {
		b.of[b.used/blockWords] = (*[blockWords]uint64)(words(c, memory, blockWords))
	}
	c.places[j] = b.used<<8 | n
	words := b.of[b.used/blockWords][b.used%blockWords:][:n]
	b.used += n
	return words
}

// signature returns the signature of a set; nil for a hole.
func (c *columns) signature(j uint32) sketch.Signature {
	place, n := c.places[j]>>8, c.places[j]&0xff
	if n == 0 {
		return nil
	}
	if c.words != nil {
		return c.words[place : place+n : place+n]
	}
	at := place % blockWords
	return c.blocks.of[place/blockWords][at : at+n : at+n]
}

// facts returns the facts of a slab, fetching them at the first call.
func (s *slab) facts() *columns {
	if c := s.now.Load(); c != nil {
		return c
	}
	return s.need()
}

// need fetches the facts, or panics with Unreadable.
func (s *slab) need() *columns {
	c, err := s.fetch()
	if err != nil {
		panic(&Unreadable{err})
	}
	return c
}

// fetch makes the facts of a slab available. Safe for concurrent use; the first result wins.
func (s *slab) fetch() (*columns, error) {
	if c := s.now.Load(); c != nil {
		return c, nil
	}
	c, err := s.left()
	if err == nil {
		err = c.fits(s.distinct)
	}
	if err != nil {
		return nil, err
	}
	s.now.CompareAndSwap(nil, c)
	return s.now.Load(), nil
}

// fits returns an error unless each set's signature has the length for its size.
func (c *columns) fits(distinct *[slabSets]uint16) error {
	for j, n := range distinct {
		if !fit(uint64(n), int(c.places[j]&0xff)) {
			return fmt.Errorf("%w: number %d of the slab has %d members", errPiece, j, n)
		}
	}
	return nil
}

// errPiece marks facts that do not decode.
var errPiece = fmt.Errorf("%w: the facts of sets do not decode", ErrPage)

// fit reports whether a set of so many members can have a signature of so many words. A hole can
// have any.
func fit(members uint64, words int) bool {
	return members == 0 || words == sketch.SignatureWords(int(min(members, long)))
}

// bytesOf returns words as bytes.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// quartersOf returns words as 16-bit numbers.
func quartersOf(words []uint64) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// halvesOf returns words as 32-bit numbers.
func halvesOf(words []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
}
