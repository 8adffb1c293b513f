package index

// The slabs of a table: how facts lie in memory, how those that were left in a file are
// fetched, and what becomes of those that cannot be read.

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// SlabSets is how many numbers a slab covers. The first of them is a multiple
// of it.
const SlabSets = slabSets

// A slab holds 1,024 sets, so a small collection costs 60 kB and not megabytes.
// Signatures that are put one by one lie in blocks, in order. A signature never
// crosses two blocks.
const (
	slabSets   = 1024
	blockWords = 4096
	maxWords   = 128 // of a signature
)

// slab is one version of a slab. All versions share what never changes once a
// View may see it. They do not share distinct, because End makes holes.
type slab struct {
	distinct *[slabSets]uint16 // 0 for a hole, at most long
	*sizes
	now  atomic.Pointer[columns] // nil until the facts are fetched
	left func(*SlabWriter) error // fetches them

	memory func(int) ([]uint64, func()) // of the table; for facts that are fetched
}

// sizes are always in memory, and so is distinct as it was at first. Two bytes do for
// nearly all sets.
type sizes struct {
	total *[slabSets]uint16 // all members, at most long
	long  atomic.Pointer[[]longSize]
}

// long stands for the size of a set that has so many members, or more. It lies apart.
const long = math.MaxUint16

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

// size returns the size of a set, no distinct members for a hole.
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
	simHash *[slabSets]uint64 // whole pages of memory for a scan
	places  *[slabSets]uint32 // place of the signature, in words, << 8, and its length
	words   []uint64          // the signatures, if they lie together; else nil
	blocks  *blocks           // the signatures, if they were put one by one
	owner   any               // keeps the memory, if columns do not
}

type blocks struct {
	of   [slabSets*maxWords/(blockWords-maxWords) + 1]*[blockWords]uint64
	used uint32 // words; only put looks at it
}

// noSets is the slab of numbers without any set. It is never written.
var noSets = new(Table).newSlab()

// newSlab returns a slab of holes, to be written.
func (t *Table) newSlab() *slab {
	c := new(columns)
	room := words(c, t.Memory, slabSets+slabSets/2)
	c.simHash = (*[slabSets]uint64)(room)
	c.places = (*[slabSets]uint32)(halvesOf(room[slabSets:]))
	c.blocks = new(blocks)
	s := t.newSizes()
	s.now.Store(c)
	return s
}

// newSizes returns a slab of holes that has no more than its sizes.
func (t *Table) newSizes() *slab {
	s := new(sizes)
	quarters := quartersOf(words(s, t.Memory, slabSets/2))
	s.total = (*[slabSets]uint16)(quarters[slabSets:])
	return &slab{distinct: (*[slabSets]uint16)(quarters), sizes: s, memory: t.Memory}
}

// words returns memory that lives as long as owner. The memory goes when no
// View reaches that any more, so a slice of it is valid only as long as the
// View.
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

func (s *slab) put(j uint32, f Facts) {
	s.setSize(j, f.Size)
	c := s.now.Load()
	c.simHash[j] = f.SimHash
	if len(f.Signature) > 0 {
		copy(c.room(s.memory, j, uint32(len(f.Signature))), f.Signature)
	}
}

// room makes room for the signature of a set, n words.
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

// facts returns the facts of a slab, which it fetches if nobody has done so.
func (s *slab) facts() *columns {
	if c := s.now.Load(); c != nil {
		return c
	}
	return s.need()
}

// need fetches the facts, or panics.
func (s *slab) need() *columns {
	c, err := s.fetch()
	if err != nil {
		panic(&Unreadable{err})
	}
	return c
}

// fetch brings the facts of a slab into reach. Several goroutines may do so at once;
// the first counts.
func (s *slab) fetch() (*columns, error) {
	if c := s.now.Load(); c != nil {
		return c, nil
	}
	p := (&Table{Memory: s.memory}).NewSlab(0)
	p.fetched = s.distinct
	if err := s.left(p); err != nil {
		return nil, err
	}
	c := p.columns
	if c == nil {
		p.slab = cmp.Or(p.slab, noSets)
		c = p.slab.now.Load()
	}
	if err := c.fits(s.distinct); err != nil {
		return nil, err
	}
	s.now.CompareAndSwap(nil, c)
	return s.now.Load(), nil
}

// fits says what the facts lack of those of such sets.
func (c *columns) fits(distinct *[slabSets]uint16) error {
	for j, n := range distinct {
		if !fit(uint64(n), int(c.places[j]&0xff)) {
			return fmt.Errorf("%w: number %d of the slab has %d members", errPiece, j, n)
		}
	}
	return nil
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
		s := &slab{distinct: old.distinct, sizes: old.sizes, left: e.Left, memory: t.Memory}
		if e.Left == nil {
			s.now.Store(e.Facts.slab.now.Load())
		}
		slabs[e.Number] = s
	}
	t.slabs = slabs
}

// Unreadable is what a View panics with if the facts that it was asked for
// cannot be fetched. CatchUnreadable makes an error of it.
type Unreadable struct{ Err error }

func (u *Unreadable) Error() string { return u.Err.Error() }

// CatchUnreadable turns what reading facts may meet into an error: Unreadable,
// and a fault of mapped memory, which a disk that fails or a file that was cut
// off brings about and which would end the process. To be deferred as
// CatchUnreadable(&err)(), in every goroutine that reads more than sizes.
func CatchUnreadable(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if caught := Caught(recover()); caught != nil {
			*err = caught
		}
	}
}

// Caught makes an error of what a goroutine that reads facts has recovered
// from, nil of nil. It panics again with what is neither Unreadable nor a fault.
func Caught(recovered any) error {
	switch r := recovered.(type) {
	case nil:
		return nil
	case *Unreadable:
		return r.Err
	case interface {
		error
		Addr() uintptr
	}:
		return fmt.Errorf("%w: the memory of a file cannot be read: %v", ErrPage, r)
	default:
		panic(r)
	}
}
