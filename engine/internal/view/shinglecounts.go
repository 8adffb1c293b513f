package view

// How many documents of a collection have each shingle, for questions that weigh by it, and for those that ignore
// what many have. The postings do not tell: they are by tokens, which two shingles may share
// (docs/decisions/0069).

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
)

// ShingleCounts has the shingles of a collection that several documents have, and of some
// collections all. It is a table with open addressing, in the order of the hashes: so the
// members of a set, which ascend, are found from its front to its back.
type ShingleCounts struct {
	shingles []uint64
	counts   []uint32 // 0: the place is free
	n        int
	most     int // places
}

// countBytes is what a place takes.
const countBytes = 12

// newShingleCounts has room for so many shingles.
func newShingleCounts(n int, memory int64) *ShingleCounts {
	c := &ShingleCounts{most: int(memory / countBytes)}
	c.resize(min(max(n+n/2, 64), max(c.most, 64)))
	return c
}

func (c *ShingleCounts) resize(places int) {
	c.shingles, c.counts, c.n = make([]uint64, places), make([]uint32, places), 0
}

// place is where a shingle is, or would be.
func (c *ShingleCounts) place(shingle uint64) int {
	at, _ := bits.Mul64(shingle, uint64(len(c.shingles)))
	for c.counts[at] != 0 && c.shingles[at] != shingle {
		if at++; at == uint64(len(c.shingles)) {
			at = 0
		}
	}
	return int(at)
}

// Of is how many documents have the shingle; 0 or 1 where that is not known.
func (c *ShingleCounts) Of(shingle uint64) uint64 { return uint64(c.counts[c.place(shingle)]) }

// add counts documents that have the shingle.
func (c *ShingleCounts) add(shingle uint64, documents uint32) error {
	at := c.place(shingle)
	if c.counts[at] == 0 {
		if 8*(c.n+1) > 7*len(c.shingles) {
			if err := c.grow(); err != nil {
				return err
			}
			at = c.place(shingle)
		}
		c.n++
	}
	c.shingles[at] = shingle
	c.counts[at] += documents
	return nil
}

func (c *ShingleCounts) grow() error {
	places := 2 * len(c.shingles)
	if places > c.most {
		return fmt.Errorf("%w: the counts of shingles take more than %d MB: open the store with more MemoryBytes", api.ErrTooLarge, int64(c.most)*countBytes>>20)
	}
	shingles, counts := c.shingles, c.counts
	c.resize(places)
	for i, n := range counts {
		if n == 0 {
			continue
		}
		at := c.place(shingles[i])
		c.shingles[at], c.counts[at] = shingles[i], n
		c.n++
	}
	return nil
}

// shingleTables keeps the counts that were made last.
type shingleTables struct {
	mu   sync.Mutex
	kept []*shingleTable
}

// mostTables is how many are kept.
const mostTables = 4

// shingleTable is the counts of a collection in one state, read as the collection does or as another.
type shingleTable struct {
	collection uint32
	changed    uint64 // as in View
	as         string
	making     *semaphore.Weighted
	counts     *ShingleCounts
}

// of returns the table of a collection, which may be empty. It drops those of older states.
func (t *shingleTables) of(v *View, as string) *shingleTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &shingleTable{v.Number, v.Changed, as, semaphore.NewWeighted(1), nil}
	t.kept = slices.DeleteFunc(t.kept, func(o *shingleTable) bool {
		if o.collection != v.Number || o.as != as {
			return false
		}
		if o.changed == v.Changed {
			x = o
		}
		return o.changed <= v.Changed
	})
	t.kept = append(t.kept, x)
	t.kept = t.kept[max(0, len(t.kept)-mostTables):]
	return x
}

// get returns the counts, or makes them.
func (x *shingleTable) get(ctx context.Context, count func() (*ShingleCounts, error)) (*ShingleCounts, error) {
	if err := x.making.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer x.making.Release(1)
	if x.counts == nil {
		counts, err := count()
		if err != nil {
			return nil, err
		}
		x.counts = counts
	}
	return x.counts, nil
}

// ShingleCounts counts the shingles that two documents have, or more. Others have 0 or 1.
func (m *Snapshot) ShingleCounts(ctx context.Context, v *View) (*ShingleCounts, error) {
	return m.tables.of(v, "").get(ctx, func() (c *ShingleCounts, err error) {
		defer segment.CatchUnreadable(&err)()
		several, err := m.severalDocuments(v)
		if err != nil {
			return nil, err
		}
		twice, err := m.tokensTwice(ctx, v)
		if err != nil {
			return nil, err
		}
		c = newShingleCounts(twice.several(), m.MemoryBytes)
		return c, EachSet(ctx, m, v, v.Live(0, v.Table.Len()), func(r *Reader, set uint32) (shingle.Set, error) {
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
		}, func(set uint32, members shingle.Set) error {
			for _, h := range members {
				if err := c.add(h, max(several[set], 1)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// ShinglesOf counts all shingles of a collection, its texts read as another one does.
func (m *Snapshot) ShinglesOf(ctx context.Context, v, as *View) (*ShingleCounts, error) {
	if as.OwnTokens() != v.OwnTokens() || as.Lexes() != v.Lexes() {
		return nil, fault.Invalid("collections %q and %q have other tokens (unit): the one cannot be ignored in the other", v.Name, as.Name)
	}
	return m.tables.of(v, fmt.Sprint(as.Analysis)).get(ctx, func() (*ShingleCounts, error) {
		c := newShingleCounts(0, m.MemoryBytes)
		return c, EachSet(ctx, m, v, v.Live(0, v.Table.Len()), func(r *Reader, set uint32) (out []shingle.Set, err error) {
			if as.Analysis == v.Analysis {
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
				for _, h := range s {
					if err := c.add(h, 1); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// severalDocuments says of the sets that several documents share how many these are.
func (m *Snapshot) severalDocuments(v *View) (map[uint32]uint32, error) {
	several := map[uint32]uint32{}
	err := disk.Scan(m.Pebble, v.Key(keys.Shares), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return fault.Corrupt("shares key %x", key)
		}
		several[n[1]] = binary.BigEndian.Uint32(value)
		return nil
	})
	return several, err
}

// twice says which shingles several sets may have: each falls on a bit by the high bits of
// its hash, and what falls on a bit a second time is marked.
type twice struct {
	shift       uint
	once, again []uint64
}

// tokensTwice reads the tokens of all postings, and the bags of the tail.
func (m *Snapshot) tokensTwice(ctx context.Context, v *View) (*twice, error) {
	members := uint64(0)
	for _, set := range v.Live(0, v.Table.Len()) {
		members += v.Table.Size(set).Distinct
	}
	width := min(max(bits.Len64(members)+1, 12), index.TokenBits)
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

// several is how many bits are marked.
func (t *twice) several() (n int) {
	for _, word := range t.again {
		n += bits.OnesCount64(word)
	}
	return n
}
