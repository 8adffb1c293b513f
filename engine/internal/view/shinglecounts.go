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

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// shingleTables caches the latest counts and tails.
type shingleTables struct {
	mu      sync.Mutex
	kept    []*shingleTable
	counted []*countedTable
	tails   []*tailTable
}

// mostTables is the capacity of kept and of counted, within the room of counts.
const mostTables = 12

// shingleTable caches the counts of one state of a collection, read with its own analysis or
// another.
type shingleTable struct {
	collection uint32
	changed    uint64 // View.Changed
	as         string
	counts     *segment.Once[*ShingleCounts]
	held       heldTable
}

// countedTable holds the count of a collection.
type countedTable struct {
	collection uint32
	use        *semaphore.Weighted // of weight 1, guards the count
	held       heldTable
	*counted
}

// Forget drops all cached counts, bags and recent prefixes. The next query that needs them derives
// them again. No call of the store may run.
func (s *Shared) Forget() {
	s.store = s.Memory.stores.Add(1)
	s.recent.forget()
	s.changes.mu.Lock()
	s.changes.of, s.changes.bytes = nil, 0
	s.changes.mu.Unlock()
	s.forgetTables()
}

// forgetTables drops all cached tables of the store.
func (s *Shared) forgetTables() {
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	for _, t := range s.tables.kept {
		s.counts.release(&t.held)
	}
	for _, t := range s.tables.counted {
		s.counts.release(&t.held)
	}
	for _, t := range s.tables.tails {
		s.tails.release(&t.held)
	}
	s.tables.kept, s.tables.counted, s.tables.tails = nil, nil, nil
}

// keptOf returns the table of a collection, new if necessary, and drops the tables of older states.
func (s *Shared) keptOf(v *View, as string) *shingleTable {
	t := &s.tables
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &shingleTable{collection: v.Number, changed: v.Changed, as: as, counts: segment.NewOnce[*ShingleCounts]()}
	made := x
	x.held.drop = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.kept = slices.DeleteFunc(t.kept, func(o *shingleTable) bool { return o == made })
	}
	t.kept = slices.DeleteFunc(t.kept, func(o *shingleTable) bool {
		switch {
		case o.collection != v.Number || o.as != as || o.changed > v.Changed:
			return false
		case o.changed == v.Changed:
			x = o
		default:
			s.counts.release(&o.held)
		}
		return true
	})
	t.kept = append(t.kept, x)
	if len(t.kept) > mostTables {
		s.counts.release(&t.kept[0].held)
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	return x
}

// keptCounts returns the counts of a collection as a table keeps them, made with count if there are none.
func (s *Shared) keptCounts(ctx context.Context, v *View, as string, count func() (*ShingleCounts, error)) (*ShingleCounts, error) {
	t := s.keptOf(v, as)
	c, err := t.counts.Get(ctx, func() (c *ShingleCounts, err error) {
		err = s.counts.make(ctx, &t.held, func() error { c, err = count(); return err })
		return c, err
	})
	if err == nil {
		s.counts.use(&t.held, c.bytes())
	}
	return c, err
}

// countedOf returns the count of a collection, without one at first.
func (s *Shared) countedOf(v *View) *countedTable {
	t := &s.tables
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.counted, func(c *countedTable) bool { return c.collection == v.Number })
	if i < 0 {
		if len(t.counted) == mostTables {
			s.counts.release(&t.counted[0].held)
			s.changes.end(t.counted[0].collection)
			t.counted = slices.Delete(t.counted, 0, 1)
		}
		i = len(t.counted)
		c := &countedTable{collection: v.Number, use: semaphore.NewWeighted(1)}
		c.held.drop = func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if i := slices.Index(t.counted, c); i >= 0 {
				s.changes.end(c.collection)
				t.counted = slices.Delete(t.counted, i, i+1)
			}
		}
		t.counted = append(t.counted, c)
	}
	return t.counted[i]
}

// withCount calls use with the count of a collection, which includes the state of v. old is true
// if the only count is of a later state.
func (m *Snapshot) withCount(ctx context.Context, v *View, use func(c *counted) error) (old bool, err error) {
	t := m.countedOf(v)
	if err := t.use.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer t.use.Release(1)
	if t.counted != nil && v.Changed < t.since {
		return true, nil
	}
	if t.counted != nil && v.Changed > t.folded {
		ok, err := t.fold(ctx, m, v)
		if err != nil {
			return false, err
		}
		if !ok {
			t.counted = nil
		}
	}
	if t.counted == nil {
		err := m.counts.make(ctx, &t.held, func() error {
			m.changes.keep(v.Number)
			base, err := m.countShingles(ctx, v)
			t.counted = &counted{base: base, since: v.Changed, sets: v.Table.Len(), folded: v.Changed, last: map[uint64]int32{}}
			return err
		})
		if err != nil {
			t.counted = nil
			return false, err
		}
	}
	defer func() { m.counts.use(&t.held, t.counted.bytes()) }()
	return false, use(t.counted)
}

// Worth returns a lower bound on the total weight of each set's shingles, where of maps the
// document frequency of a shingle to its weight, and what is the cache key of that function.
// It reads the postings once, and corrects the bounds with each change; sets that were added
// since have none. It returns nil for an older state of the collection.
func (m *Snapshot) Worth(ctx context.Context, v *View, what string, of func(documents uint64) uint32) ([]uint32, error) {
	return m.bounds(ctx, v, worthTable{what: what, of: of})
}

// Own is like Worth for the number of shingles that no other set has.
func (m *Snapshot) Own(ctx context.Context, v *View) ([]uint32, error) {
	return m.bounds(ctx, v, worthTable{what: "own", own: true, of: func(sets uint64) uint32 {
		if sets > 1 {
			return 0
		}
		return 1
	}})
}

// bounds returns the sums of a table, read from the postings if there is none yet.
func (m *Snapshot) bounds(ctx context.Context, v *View, w worthTable) (sums []uint32, err error) {
	_, err = m.withCount(ctx, v, func(c *counted) (err error) {
		if c.folded != v.Changed {
			return nil
		}
		i := slices.IndexFunc(c.worth, func(x worthTable) bool { return x.what == w.what })
		if i < 0 {
			if w.sums, err = m.sumWorth(ctx, v, w); err != nil {
				return err
			}
			c.worth = append(c.worth, w)
			most := m.MemoryBytes / 8 / int64(4*len(w.sums)+1)
			c.worth = slices.Delete(c.worth, 0, int(max(0, int64(len(c.worth))-max(1, min(most, mostTables)))))
			i = len(c.worth) - 1
		}
		sums = c.worth[i].sums
		return nil
	})
	return sums, err
}

// sumWorth computes the bounds from the postings.
func (m *Snapshot) sumWorth(ctx context.Context, v *View, w worthTable) (_ []uint32, err error) {
	defer segment.CatchUnreadable(&err)()
	documents := make([]uint8, v.Table.Len())
	for _, set := range v.Live(0, v.Table.Len()) {
		documents[set] = 1
	}
	err = m.EachShared(ctx, v, 0, func(set, n uint32) error {
		if !w.own {
			documents[set] = uint8(min(n, math.MaxUint8))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	segments, _, err := m.Whole(ctx, v, 0)
	if err != nil {
		return nil, err
	}
	worth, err := index.Worth(append(m.ReadThrough(ctx, v), segments[len(v.Postings.Segments):]...), documents, w.of)
	return worth, segment.PageError(err)
}

// ShingleCounts returns the documents of each shingle. It counts a collection once, and then adds
// the changes since.
func (m *Snapshot) ShingleCounts(ctx context.Context, v *View) (out *Counts, err error) {
	old, err := m.withCount(ctx, v, func(c *counted) error {
		out = &Counts{c, v.Changed, len(c.versions) > 0}
		return nil
	})
	if !old {
		return out, err
	}
	base, err := m.keptCounts(ctx, v, "", func() (*ShingleCounts, error) { return m.countShingles(ctx, v) })
	return &Counts{of: &counted{base: base}}, err
}

// countShingles counts the documents of each shingle that at least two documents share.
func (m *Snapshot) countShingles(ctx context.Context, v *View) (_ *ShingleCounts, err error) {
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
}

// ShinglesOf lists every shingle of v with a positive count, where the analysis of as reads the
// texts. It counts sets if v has the same analysis, else documents.
func (m *Snapshot) ShinglesOf(ctx context.Context, v, as *View) (*ShingleCounts, error) {
	if as.OwnTokens() != v.OwnTokens() || as.Lexes() != v.Lexes() || as.Settings.Language != v.Settings.Language {
		return nil, fault.Invalid("collections %q and %q have different tokens (unit or language): neither can be ignored in the other", v.Name, as.Name)
	}
	alike := as.Analysis == v.Analysis
	return m.keptCounts(ctx, v, fmt.Sprint(as.Analysis), func() (*ShingleCounts, error) {
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
// filter takes at most an eighth of the memory setting.
func (m *Snapshot) tokensTwice(ctx context.Context, v *View) (*twice, error) {
	members := uint64(0)
	for _, set := range v.Live(0, v.Table.Len()) {
		members += v.Table.Size(set).Distinct
	}
	width := min(max(bits.Len64(members)+1, 12), max(bits.Len64(uint64(m.MemoryBytes))-2, 12), index.TokenBits)
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
