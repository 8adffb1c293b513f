package view

// Document frequency of each shingle, for queries that weigh shingles by it or ignore frequent
// ones. Postings cannot supply it, because their keys are tokens: shortened hashes, which two
// shingles may share (docs/decisions/0069).

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

// shingleTables caches the latest counts.
type shingleTables struct {
	mu   sync.Mutex
	kept []*shingleTable
}

// mostTables is the capacity of the cache in tables.
const mostTables = 12

// shingleTable caches the counts of one state of a collection, read with its own analysis or
// another.
type shingleTable struct {
	collection uint32
	changed    uint64 // View.Changed
	as         string
	postings   *segment.Postings // of tail and worth: a build replaces them without advancing Changed
	counts     *segment.Once[*ShingleCounts]
	tail       *segment.Once[tailPostings] // see Whole
	worth      *segment.Once[[]uint32]     // see Worth
}

// tailPostings is the tail of a collection as additional segments in memory.
type tailPostings struct {
	segments []index.Stored
	layout   index.Layout
}

// Forget drops all cached counts, bags and recent prefixes. The next query that needs them derives
// them again. No call of the store may run.
func (s *Shared) Forget() {
	s.store = s.Memory.stores.Add(1)
	s.recent.forget()
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	s.tables.kept = nil
}

// of returns the table of a collection, new if necessary, and drops the tables of older states.
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

// Whole returns the segments of a collection with sets ≥ from, followed by the tail as segments in
// memory, for searches that signatures filter badly. It builds the tail's segments once per state
// of the collection.
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

// Worth returns a lower bound on the total weight of each set's shingles, where of maps the
// document frequency of a shingle to its weight, and what names that function as the cache key.
// It reads the postings once per state of the collection.
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

// ShingleCounts counts the documents of each shingle that at least two documents share.
func (m *Snapshot) ShingleCounts(ctx context.Context, v *View) (*ShingleCounts, error) {
	return m.tables.of(v, "", nil).counts.Get(ctx, func() (_ *ShingleCounts, err error) {
		defer segment.CatchUnreadable(&err)()
		several := map[uint32]uint32{} // documents of shared sets
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

// ShinglesOf lists every shingle of v with a positive count, where the analysis of as reads the
// texts. It counts sets if v has the same analysis, else documents.
func (m *Snapshot) ShinglesOf(ctx context.Context, v, as *View) (*ShingleCounts, error) {
	if as.OwnTokens() != v.OwnTokens() || as.Lexes() != v.Lexes() || as.Settings.Language != v.Settings.Language {
		return nil, fault.Invalid("collections %q and %q have different tokens (unit or language): neither can be ignored in the other", v.Name, as.Name)
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
			for i := 0; i < len(ids) && err == nil; i++ { // their texts may differ
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

// twice is a filter of shingles that several sets may share. A shingle maps to a bit by the high
// bits of its hash; again marks the bits hit more than once.
type twice struct {
	shift       uint
	once, again []uint64
}

// tokensTwice fills the filter from the tokens of all postings and the bags of the tail. The
// filter takes at most a quarter of the memory setting.
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

// add marks the bit of a hash.
func (t *twice) add(h uint64) {
	h >>= t.shift
	bit := uint64(1) << (h % 64)
	t.again[h/64] |= t.once[h/64] & bit
	t.once[h/64] |= bit
}

// has reports whether several sets may contain a hash.
func (t *twice) has(h uint64) bool {
	h >>= t.shift
	return t.again[h/64]>>(h%64)&1 != 0
}
