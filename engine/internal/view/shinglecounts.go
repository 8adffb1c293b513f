package view

// How many documents of a collection have each shingle, for questions that weigh by it, and for those that ignore
// what many have. The postings do not tell: they are by tokens, which two shingles may share
// (docs/decisions/0069).

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
)

// ShingleCounts has the shingles of a collection that several documents have, or all of them,
// ascending, with how many documents have each. What has no room in memory is in a file, in blocks.
type ShingleCounts struct {
	shingles []uint64
	counts   []uint32
	file     vfs.File // nil: all is in memory
	first    []uint64 // of each block
	n        int64    // of the file
}

const (
	countBytes = 12  // of a shingle in a file: its hash and its count
	blockItems = 128 // of a block
)

// Of is how many documents have the shingle; 0 or 1 where that is not known. A file that
// cannot be read is index.Unreadable.
func (c *ShingleCounts) Of(shingle uint64) uint64 {
	if c.file == nil {
		if i, ok := c.find(shingle); ok {
			return uint64(c.counts[i])
		}
		return 0
	}
	block, ok := slices.BinarySearch(c.first, shingle)
	if !ok {
		block--
	}
	if block < 0 {
		return 0
	}
	var b [blockItems * countBytes]byte
	from := int64(block) * blockItems
	items := int(min(blockItems, c.n-from))
	if _, err := c.file.ReadAt(b[:items*countBytes], from*countBytes); err != nil {
		panic(&index.Unreadable{Err: fmt.Errorf("the counts of shingles: %w", err)})
	}
	i := sort.Search(items, func(i int) bool { return binary.LittleEndian.Uint64(b[i*countBytes:]) >= shingle })
	if i < items && binary.LittleEndian.Uint64(b[i*countBytes:]) == shingle {
		return uint64(binary.LittleEndian.Uint32(b[i*countBytes+8:]))
	}
	return 0
}

// find guesses the place of a hash from its size, as hashes are spread evenly.
func (c *ShingleCounts) find(shingle uint64) (at int, ok bool) {
	n := len(c.shingles)
	guess, _ := bits.Mul64(shingle, uint64(n))
	low, high, step := int(guess), int(guess), 8
	for low > 0 && c.shingles[min(low, n-1)] > shingle {
		low, step = max(low-step, 0), 2*step
	}
	for step = 8; high < n && c.shingles[high] < shingle; step *= 2 {
		high = min(high+step, n)
	}
	i, ok := slices.BinarySearch(c.shingles[low:high], shingle)
	if !ok && low+i < n && c.shingles[low+i] == shingle {
		ok = true
	}
	return low + i, ok
}

// shingleCounter counts shingles: as many as have room are sorted at a time, and runs of
// them are merged.
type shingleCounter struct {
	m     *Snapshot
	least uint32 // that fewer documents have is left out
	held  []uint64
	room  int
	sort  index.Sorter
	runs  []*countRun
}

func newShingleCounter(m *Snapshot, least uint32) *shingleCounter {
	return &shingleCounter{m: m, least: least, room: int(max(m.MemoryBytes/4/8, 1<<10))}
}

// add counts the members of a set that so many documents have.
func (c *shingleCounter) add(set shingle.Set, documents uint32) error {
	for range documents {
		if c.held = append(c.held, set...); len(c.held) >= c.room {
			if err := c.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachHeld sorts what is held, and calls yield for each shingle of it.
func (c *shingleCounter) eachHeld(yield func(shingle uint64, n uint32) error) error {
	sorted := c.sort.Sort(c.held)
	if !slices.IsSorted(sorted) { // hashes that agree in their high bits
		slices.Sort(sorted)
	}
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0] {
			n++
		}
		if err := yield(sorted[0], uint32(n)); err != nil {
			return err
		}
		sorted = sorted[n:]
	}
	c.held = c.held[:0]
	return nil
}

// spill writes what is held as a run.
func (c *shingleCounter) spill() error {
	w, err := newCountWriter(c.m)
	if err != nil {
		return err
	}
	if err := c.eachHeld(w.add); err != nil {
		return err
	}
	run, err := w.finish()
	c.runs = append(c.runs, &countRun{r: bufio.NewReaderSize(io.NewSectionReader(w.file, 0, run.n*countBytes), 1<<16), file: w.file})
	return err
}

// counts ends the counting.
func (c *shingleCounter) counts() (*ShingleCounts, error) {
	if len(c.runs) == 0 {
		out := &ShingleCounts{}
		return out, c.eachHeld(func(shingle uint64, n uint32) error {
			if n >= c.least {
				out.shingles, out.counts = append(out.shingles, shingle), append(out.counts, n)
			}
			return nil
		})
	}
	if err := c.spill(); err != nil {
		return nil, err
	}
	c.held, c.sort = nil, index.Sorter{}
	w, err := newCountWriter(c.m)
	if err != nil {
		return nil, err
	}
	for _, r := range c.runs {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	for {
		least, n := uint64(0), uint32(0)
		for _, r := range c.runs {
			switch {
			case r.n == 0 || n > 0 && r.shingle > least:
			case n > 0 && r.shingle == least:
				n += r.n
			default:
				least, n = r.shingle, r.n
			}
		}
		if n == 0 {
			break
		}
		for _, r := range c.runs {
			if r.n > 0 && r.shingle == least {
				if err := r.next(); err != nil {
					return nil, err
				}
			}
		}
		if n >= c.least {
			if err := w.add(least, n); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range c.runs {
		r.file.Close()
	}
	out, err := w.finish()
	if err == nil && out.n*countBytes <= c.m.MemoryBytes/2 {
		err = out.load()
	}
	if out != nil && out.file != nil {
		runtime.AddCleanup(out, func(f vfs.File) { f.Close() }, out.file)
	}
	return out, err
}

// load brings the file into memory.
func (c *ShingleCounts) load() error {
	r := &countRun{r: bufio.NewReaderSize(io.NewSectionReader(c.file, 0, c.n*countBytes), 1<<16)}
	c.shingles, c.counts = make([]uint64, c.n), make([]uint32, c.n)
	for i := range c.shingles {
		if err := r.next(); err != nil {
			return err
		}
		c.shingles[i], c.counts[i] = r.shingle, r.n
	}
	f := c.file
	c.file, c.first = nil, nil
	return f.Close()
}

// countRun reads a run, one shingle after the other; n is 0 at its end.
type countRun struct {
	r       *bufio.Reader
	file    vfs.File
	shingle uint64
	n       uint32
}

func (r *countRun) next() error {
	var b [countBytes]byte
	if _, err := io.ReadFull(r.r, b[:]); err == io.EOF {
		r.n = 0
		return nil
	} else if err != nil {
		return fmt.Errorf("the counts of shingles: %w", err)
	}
	r.shingle, r.n = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint32(b[8:])
	return nil
}

// countWriter writes shingles with their counts, ascending, to a file.
type countWriter struct {
	ShingleCounts
	w *bufio.Writer
}

func newCountWriter(m *Snapshot) (*countWriter, error) {
	f, err := m.Counting.Create()
	if err != nil {
		return nil, fmt.Errorf("counts of shingles that have no room in memory: %w", err)
	}
	return &countWriter{ShingleCounts{file: f}, bufio.NewWriterSize(f, 1<<16)}, nil
}

func (w *countWriter) add(shingle uint64, n uint32) error {
	if w.n%blockItems == 0 {
		w.first = append(w.first, shingle)
	}
	w.n++
	var b [countBytes]byte
	binary.LittleEndian.PutUint64(b[:], shingle)
	binary.LittleEndian.PutUint32(b[8:], n)
	if _, err := w.w.Write(b[:]); err != nil {
		return fmt.Errorf("counts of shingles that have no room in memory: %w", err)
	}
	return nil
}

func (w *countWriter) finish() (*ShingleCounts, error) {
	if err := w.w.Flush(); err != nil {
		return nil, fmt.Errorf("counts of shingles that have no room in memory: %w", err)
	}
	out := w.ShingleCounts
	return &out, nil
}

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
	making     *semaphore.Weighted
	counts     *ShingleCounts

	whole  []index.Stored // see Whole
	layout index.Layout
}

// Forget drops the counts of shingles, which are made anew when they are asked for.
func (s *Shared) Forget() {
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	s.tables.kept = nil
}

// of returns the table of a collection, which may be empty. It drops those of older states.
func (t *shingleTables) of(v *View, as string) *shingleTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &shingleTable{collection: v.Number, changed: v.Changed, as: as, making: semaphore.NewWeighted(1)}
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

// Whole is the segments of a collection with its tail as one more, in memory, which is made
// once for each state of the collection: for searches that no signature filters well.
func (m *Snapshot) Whole(ctx context.Context, v *View) ([]index.Stored, index.Layout, error) {
	x := m.tables.of(v, "tail")
	if err := x.making.Acquire(ctx, 1); err != nil {
		return nil, index.Layout{}, err
	}
	defer x.making.Release(1)
	if x.layout.Order == nil {
		var err error
		if x.whole, x.layout, err = m.WithTail(ctx, v, nil); err != nil {
			return nil, index.Layout{}, err
		}
	}
	return append(m.LookFrom(ctx, v, 0), x.whole...), x.layout, nil
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
	return m.tables.of(v, "").get(ctx, func() (_ *ShingleCounts, err error) {
		defer segment.CatchUnreadable(&err)()
		several, err := m.severalDocuments(v)
		if err != nil {
			return nil, err
		}
		twice, err := m.tokensTwice(ctx, v)
		if err != nil {
			return nil, err
		}
		c := newShingleCounter(m, 2)
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
	alike := as.Analysis == v.Analysis && as.Settings.Fold == v.Settings.Fold
	return m.tables.of(v, fmt.Sprint(as.Analysis, as.Settings.Fold)).get(ctx, func() (*ShingleCounts, error) {
		c := newShingleCounter(m, 1)
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

// mostTwice bounds the bits: to 64 MB each, of those seen once and again.
const mostTwice = 29

// tokensTwice reads the tokens of all postings, and the bags of the tail.
func (m *Snapshot) tokensTwice(ctx context.Context, v *View) (*twice, error) {
	members := uint64(0)
	for _, set := range v.Live(0, v.Table.Len()) {
		members += v.Table.Size(set).Distinct
	}
	width := min(max(bits.Len64(members)+1, 12), mostTwice)
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
