package view

// How many documents of a collection have each shingle, for questions that weigh by it, and for those that ignore
// what many have. The postings do not tell: they are by tokens, which two shingles may share
// (docs/decisions/0069).

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// shingleTables keeps the counts that were made last.
type shingleTables struct {
	mu   sync.Mutex
	kept []*shingleTable
}

// mostTables is how many are kept.
const mostTables = 12

// shingleTable is the counts of a collection in one state, read as the collection does or as another.
type shingleTable struct {
	collection uint32
	changed    uint64 // as in View
	as         string
	postings   *segment.Postings // of a tail: a build changes them, and no document
	counts     *segment.Once[*ShingleCounts]
	tail       *segment.Once[tailPostings] // see Whole
	worth      *segment.Once[[]uint32]     // see Worth
}

// tailPostings is the tail of a collection as more segments, in memory.
type tailPostings struct {
	segments []index.Stored
	layout   index.Layout
}

// Forget drops the counts of shingles, which are made anew when they are asked for.
func (s *Shared) Forget() {
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	s.tables.kept = nil
}

// of returns the table of a collection, which may be empty. It drops those of older states.
func (t *shingleTables) of(v *View, as string, postings *segment.Postings) *shingleTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &shingleTable{collection: v.Number, changed: v.Changed, as: as, postings: postings,
		counts: segment.NewOnce[*ShingleCounts](), tail: segment.NewOnce[tailPostings](), worth: segment.NewOnce[[]uint32]()}
	t.kept = slices.DeleteFunc(t.kept, func(o *shingleTable) bool {
		if o.collection != v.Number || o.as != as {
			return false
		}
		if o.changed == v.Changed && o.postings == postings {
			x = o
		}
		return o.changed <= v.Changed
	})
	t.kept = append(t.kept, x)
	t.kept = t.kept[max(0, len(t.kept)-mostTables):]
	return x
}

// Whole is the segments of a collection with its tail as one more, in memory, which is made
// once for each state of the collection: for searches that no signature filters well. Only
// segments with sets numbered from or above are there.
func (m *Snapshot) Whole(ctx context.Context, v *View, from uint32) ([]index.Stored, index.Layout, error) {
	tail, err := m.tables.of(v, "tail", v.Postings).tail.Get(ctx, func() (t tailPostings, err error) {
		t.segments, t.layout, err = m.WithTail(ctx, v, nil)
		return t, err
	})
	if err != nil {
		return nil, index.Layout{}, err
	}
	segments := m.LookFrom(ctx, v, from)
	for _, s := range tail.segments {
		if s.Hi > from {
			segments = append(segments, s)
		}
	}
	return segments, tail.layout, nil
}

// Worth is what the shingles of each set are worth, at least, if of says it by how many documents have one; what says
// what of is. It is made once for each state of the collection, from the postings.
func (m *Snapshot) Worth(ctx context.Context, v *View, what string, of func(documents uint64) uint32) ([]uint32, error) {
	return m.tables.of(v, what, v.Postings).worth.Get(ctx, func() (_ []uint32, err error) {
		defer segment.CatchUnreadable(&err)()
		documents := make([]uint8, v.Table.Len())
		for _, set := range v.Live(0, v.Table.Len()) {
			documents[set] = 1
		}
		err = m.EachShared(ctx, v, 0, func(set, n uint32) error {
			documents[set] = uint8(min(n, math.MaxUint8))
			return nil
		})
		if err != nil {
			return nil, err
		}
		segments, _, err := m.Whole(ctx, v, 0)
		if err != nil {
			return nil, err
		}
		worth, err := index.Worth(append(m.ReadThrough(ctx, v), segments[len(v.Postings.Segments):]...), documents, of)
		return worth, segment.PageError(err)
	})
}

// ShingleCounts counts the shingles that two documents have, or more. Others have 0 or 1.
func (m *Snapshot) ShingleCounts(ctx context.Context, v *View) (*ShingleCounts, error) {
	return m.tables.of(v, "", nil).counts.Get(ctx, func() (_ *ShingleCounts, err error) {
		defer segment.CatchUnreadable(&err)()
		several := map[uint32]uint32{} // documents of the sets that several have
		err = m.EachShared(ctx, v, 0, func(set, documents uint32) error {
			several[set] = documents
			return nil
		})
		if err != nil {
			return nil, err
		}
		twice, err := m.tokensTwice(ctx, v)
		if err != nil {
			return nil, err
		}
		c := newShingleCounter(ctx, m, 2)
		defer c.close()
		err = EachSet(ctx, m, v, v.Live(0, v.Table.Len()), func(r *Reader, set uint32) (shingle.Set, error) {
			bag, err := r.Once(set)
			if err != nil || several[set] > 0 {
				return bag.Set, err
			}
			var out shingle.Set
			for _, h := range bag.Set {
				if twice.has(h) {
					out = append(out, h)
				}
			}
			return out, nil
		}, func(set uint32, members shingle.Set) error { return c.add(members, max(several[set], 1)) })
		if err != nil {
			return nil, err
		}
		return c.counts()
	})
}

// ShinglesOf counts all shingles of a collection, its texts read as another one does.
func (m *Snapshot) ShinglesOf(ctx context.Context, v, as *View) (*ShingleCounts, error) {
	if as.OwnTokens() != v.OwnTokens() || as.Lexes() != v.Lexes() || as.Settings.Language != v.Settings.Language {
		return nil, fault.Invalid("collections %q and %q have other tokens (unit or language): the one cannot be ignored in the other", v.Name, as.Name)
	}
	alike := as.Analysis == v.Analysis
	return m.tables.of(v, fmt.Sprint(as.Analysis), nil).counts.Get(ctx, func() (*ShingleCounts, error) {
		c := newShingleCounter(ctx, m, 1)
		defer c.close()
		err := EachSet(ctx, m, v, v.Live(0, v.Table.Len()), func(r *Reader, set uint32) (out []shingle.Set, err error) {
			if alike {
				bag, err := r.Once(set)
				return []shingle.Set{bag.Set}, err
			}
			ids, err := r.IDs(set, nil)
			for i := 0; i < len(ids) && err == nil; i++ { // they may have different texts
				var content string
				if content, err = m.Content(v, set, ids[i]); err == nil {
					out = append(out, as.Bag(content).Set)
				}
			}
			return out, err
		}, func(_ uint32, sets []shingle.Set) error {
			for _, s := range sets {
				if err := c.add(s, 1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return c.counts()
	})
}

// twice says which shingles several sets may have: each falls on a bit by the high bits of
// its hash, and what falls on a bit a second time is marked.
type twice struct {
	shift       uint
	once, again []uint64
}

// tokensTwice reads the tokens of all postings, and the bags of the tail. Its bits take a quarter of the memory setting at most.
func (m *Snapshot) tokensTwice(ctx context.Context, v *View) (*twice, error) {
	members := uint64(0)
	for _, set := range v.Live(0, v.Table.Len()) {
		members += v.Table.Size(set).Distinct
	}
	width := min(max(bits.Len64(members)+1, 12), max(bits.Len64(uint64(m.MemoryBytes))-1, 12), index.TokenBits)
	t := &twice{uint(64 - width), make([]uint64, 1<<width/64), make([]uint64, 1<<width/64)}
	for _, s := range m.ReadThrough(ctx, v) {
		err := index.EachToken(s, func(token uint64, sets int) {
			for range min(sets, 2) {
				t.add(token << (64 - index.TokenBits))
			}
		})
		if err != nil {
			return nil, segment.PageError(err)
		}
	}
	return t, EachSet(ctx, m, v, v.Live(v.Postings.Built, v.Table.Len()), (*Reader).Once, func(_ uint32, bag shingle.Bag) error {
		for _, h := range bag.Set {
			t.add(h)
		}
		return nil
	})
}

func (t *twice) add(h uint64) {
	h >>= t.shift
	bit := uint64(1) << (h % 64)
	t.again[h/64] |= t.once[h/64] & bit
	t.once[h/64] |= bit
}

func (t *twice) has(h uint64) bool {
	h >>= t.shift
	return t.again[h/64]>>(h%64)&1 != 0
}
