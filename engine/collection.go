package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/text"
)

// DefaultCollection is where documents go that name none.
const DefaultCollection = "docs"

// collection is a named set of documents read by one analysis. The fields above
// the line never change, the dictionary grows; those below it are guarded by DB.mu.
type collection struct {
	number    uint32
	name      string
	settings  Settings // as given, defaults filled in
	analysis  shingle.Analysis
	minSim    measure.Threshold
	tiers     index.Tiers
	intervals index.Intervals
	folds     bool // folded sets are stored
	kept      kept
	unicode   string // version of the tables that texts are read with

	dictionary atomic.Pointer[dictionary] // nil: none yet

	dropped   bool
	next      uint32 // number of the next set
	documents int64
	textBytes int64
	sets      int64 // live
	tail      int64 // live and without postings
	table     index.Table
	shares    []uint32 // documents with each set; 0 is dead
	index     *postings
	fresh     freshBags
	seen      *seen // nil: anything may be stored
}

// remember notes what must be looked up from now on.
func (c *collection) remember(hash uint64, memory int64) {
	c.seen = c.seen.add(hash, memory/seenShare)
}

// freshBags keeps the bags of the sets that have no postings yet, as far as
// memory allows: they will be needed to build the next segment.
type freshBags struct {
	first uint32 // number of bags[0]
	bags  []shingle.Bag
	bytes int64
}

// get returns the bag of a set if it is kept.
func (f *freshBags) get(set uint32) (shingle.Bag, bool) {
	if set < f.first || int(set-f.first) >= len(f.bags) || f.bags[set-f.first].Set == nil {
		return shingle.Bag{}, false
	}
	return f.bags[set-f.first], true
}

func (f *freshBags) add(bag shingle.Bag, budget int64) {
	if f.bytes+bagBytes(bag) > budget {
		f.bags = append(f.bags, shingle.Bag{})
		return
	}
	f.bytes += bagBytes(bag)
	f.bags = append(f.bags, bag)
}

// fill says whether the bags take so many parts of the budget.
func (f *freshBags) fill(parts, of, budget int64) bool { return f.bytes >= budget/of*parts }

// freshBudget is what fresh bags may take: of texts of 2 kB some 12,000, a segment
// and what comes while it is built; twice that before the first order, which is
// to be made of more, when not much else is in memory. Where texts are kept their
// postings take what the bags do not, and a build reads the texts anyway.
func (c *collection) freshBudget(memory int64) int64 {
	if c.kept.texts() {
		return memory / 32
	}
	if c.index.order == nil {
		return memory / 4
	}
	return memory / 8
}

// drop forgets the bags below set. Views keep their own slice.
func (f *freshBags) drop(set uint32) {
	if set <= f.first {
		return
	}
	n := min(int(set-f.first), len(f.bags))
	for _, b := range f.bags[:n] {
		if b.Set != nil {
			f.bytes -= bagBytes(b)
		}
	}
	f.bags = append([]shingle.Bag(nil), f.bags[n:]...)
	f.first = set
}

func bagBytes(b shingle.Bag) int64 { return int64(8*len(b.Set)+4*len(b.Counts)) + 64 }

// Settings.Sets.
const (
	setsStored  = "stored"
	setsDerived = "derived"
)

// collectionRecord is what the store and the log keep of a collection. Unicode
// is the version of the tables its texts were read with.
type collectionRecord struct {
	Name     string   `json:"name"`
	Settings Settings `json:"settings"`
	Unicode  string   `json:"unicode"`
}

// newCollection checks the settings and fills in their defaults.
func (o *Options) newCollection(number uint32, name string, s Settings) (*collection, error) {
	if name == "" || len(name) > 200 || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return nil, invalid("collection name %q: want 1 to 200 bytes of printable text", name)
	}
	c := &collection{number: number, name: name, index: &postings{}, table: index.Table{Memory: offHeap}}
	if s.Unit == "" {
		s.Unit = text.Word.String()
	}
	unit, err := text.ParseUnit(s.Unit)
	if err != nil {
		return nil, invalid("%w", err)
	}
	if s.K == 0 {
		s.K = 3
		if unit == text.Char {
			s.K = 5
		}
	}
	if s.K < 1 || s.K > 100 {
		return nil, invalid("k = %d: want 1 to 100", s.K)
	}
	c.analysis = shingle.Analysis{Unit: unit, K: s.K}
	if s.MinSim == "" {
		s.MinSim = "0.5"
	}
	if c.minSim, err = measure.ParseThreshold(s.MinSim); err != nil {
		return nil, invalid("min_sim: %w", err)
	}
	if c.minSim.Cmp(measure.Ratio(1, 10)) < 0 {
		return nil, invalid("min_sim = %s: want at least 0.1, below that the index would hold everything", s.MinSim)
	}
	c.tiers = index.NewTiers(c.minSim)
	if c.intervals, err = index.ParseIntervals(s.Intervals); err != nil {
		return nil, invalid("intervals: %w", err)
	}
	switch s.Sets {
	case "", setsStored:
		s.Sets, c.folds = setsStored, true
	case setsDerived:
	default:
		return nil, invalid("sets = %q: want %q or %q", s.Sets, setsStored, setsDerived)
	}
	s.MinSim, s.Intervals = c.minSim.String(), c.intervals.String()
	if c.kept, err = parseKept(&s); err != nil {
		return nil, err
	}
	c.settings, c.unicode = s, o.unicode
	return c, nil
}

func (c *collection) layout(o *index.Order) index.Layout {
	return index.Layout{Order: o, Tiers: c.tiers, Intervals: c.intervals, Lists: c.kept.kinds()}
}

func (c *collection) key(s keys.Space, numbers ...uint32) []byte {
	return append(keys.Of(s, c.number), keys.Of(s, numbers...)[1:]...)
}

func (c *collection) encodeCounters() []byte {
	b := binary.AppendUvarint(nil, uint64(c.next))
	b = binary.AppendUvarint(b, uint64(c.documents))
	b = binary.AppendUvarint(b, uint64(c.textBytes))
	return binary.AppendUvarint(b, uint64(c.sets))
}

// decodeCounters leaves in c.sets how many there should be.
func (c *collection) decodeCounters(b []byte) error {
	d := decoder{b: b}
	c.next, c.documents, c.textBytes = uint32(d.uvarint()), int64(d.uvarint()), int64(d.uvarint())
	c.sets = int64(d.uvarint())
	if d.err != nil {
		return corrupt("counters of collection %q: %w", c.name, d.err)
	}
	return nil
}

// loadCollections reads every collection's settings, counters, sets in memory
// and manifest.
func (db *DB) loadCollections() error {
	db.collections = map[string]*collection{}
	prefix := keys.Of(keys.Collection)
	err := scan(db.pebble, prefix, func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 1)
		if err != nil {
			return corrupt("%w", err)
		}
		var r collectionRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return corrupt("settings of collection %d: %w", n[0], err)
		}
		c, err := db.opts.newCollection(n[0], r.Name, r.Settings)
		if err != nil {
			return corrupt("settings of collection %d: %w", n[0], err)
		}
		if r.Unicode != db.opts.unicode {
			db.outdated = append(db.outdated, c)
		}
		db.collections[c.name] = c
		db.lastCollection = max(db.lastCollection, c.number)
		return nil
	})
	if err != nil {
		return err
	}
	if err := db.removeLeftovers(); err != nil {
		return err
	}
	for _, c := range db.collections {
		if err := db.loadCollection(c); err != nil {
			return fmt.Errorf("collection %q: %w", c.name, err)
		}
	}
	return db.retireOrphans()
}

// removeLeftovers deletes what lies under numbers without settings: a build may
// have written after its collection was dropped, and the process ended. Such
// numbers, of collections and of segments, are not given again.
func (db *DB) removeLeftovers() error {
	b := db.pebble.NewBatch()
	defer b.Close()
	settled := map[uint32]bool{}
	for _, c := range db.collections {
		settled[c.number] = true
	}
	for _, space := range keys.PerCollection {
		err := collectionNumbers(db.pebble, space, func(n uint32) error {
			db.lastCollection = max(db.lastCollection, n)
			if settled[n] {
				return nil
			}
			settled[n] = true
			db.opts.Logger.Info("removing what is left of a dropped collection", "number", n)
			// for the numbers of its orders
			if err := db.removeOrders(&collection{number: n, index: &postings{}}); err != nil {
				return err
			}
			return removeCollection(b, n)
		})
		if err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// collectionNumbers calls yield with each collection number that has keys in
// a space, in order.
func collectionNumbers(r pebble.Reader, space keys.Space, yield func(uint32) error) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: keys.Of(space), UpperBound: keys.End(keys.Of(space))})
	if err != nil {
		return storeError(err)
	}
	for ok := it.First(); ok; {
		n, _, err := keys.Numbers(it.Key(), 1)
		if err != nil {
			return errors.Join(corrupt("%w", err), it.Close())
		}
		if err := yield(n[0]); err != nil {
			return errors.Join(err, it.Close())
		}
		next := keys.End(keys.Of(space, n[0]))
		if !bytes.HasPrefix(next, keys.Of(space)) { // the greatest number there is
			break
		}
		ok = it.SeekGE(next)
	}
	return storeError(it.Close())
}

func (db *DB) loadCollection(c *collection) error {
	counters, err := get(db.pebble, c.key(keys.Counters))
	if err != nil {
		return err
	}
	if counters != nil {
		if err := c.decodeCounters(counters); err != nil {
			return err
		}
	}
	if err := db.loadDictionary(c); err != nil {
		return err
	}
	c.shares = make([]uint32, c.next)
	if c.documents == 0 {
		c.seen = &seen{}
	}
	c.fresh.first = c.next
	if err := db.loadPostings(c); err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(func() error { return db.loadSets(c) })
	g.Go(func() error { return db.loadOrder(c) })
	if err := g.Wait(); err != nil {
		return err
	}
	if err := db.removeOrders(c); err != nil {
		return err
	}
	err = scan(db.pebble, c.key(keys.Shares), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || n[1] >= c.next || len(value) != 4 {
			return corrupt("shares key %x", key)
		}
		c.shares[n[1]] = binary.BigEndian.Uint32(value)
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range c.index.segments {
		s.countDead(c)
	}
	c.tail = c.liveIn(c.index.built, c.next)
	return nil
}

// storedSet is a set on its way from the store to memory.
type storedSet struct {
	set uint32
	setRecord
}

// readSets reads the sets with lo ≤ number < hi, the last ones with what may
// stand behind them. It may overwrite the signatures that dst has room for.
func (c *collection) readSets(r pebble.Reader, lo, hi uint32, dst []storedSet) ([]storedSet, error) {
	if lo == hi && hi < c.next {
		return dst, nil
	}
	prefix := c.key(keys.Set)
	end := c.key(keys.Set, hi)
	if hi == c.next {
		end = keys.End(prefix)
	}
	err := scanTo(r, c.key(keys.Set, lo), end, func(key, value []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return corrupt("set key %x", key)
		}
		if n[1] >= c.next {
			return corrupt("set %d is not below the next number %d", n[1], c.next)
		}
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, storedSet{})
		}
		s := &dst[len(dst)-1]
		s.set = n[1]
		if err := s.decode(value); err != nil {
			return corrupt("set %d: %w", n[1], err)
		}
		return nil
	})
	return dst, err
}

// tailIsLong says whether the sets without postings should become a segment:
// there are many, or many numbers, most of them of sets that have ended, which
// every scan passes over. db.mu is held.
func (db *DB) tailIsLong(c *collection) bool {
	return tailIsLong(c.tail, c.next-c.index.built, db.cut(c))
}

// loadCut is how many times longer the tail may grow while a load goes on.
const loadCut = 4

// cut is how many sets become a posting segment now: more while a load goes on,
// so that less is merged and the first order is made of more, as long as their
// bags can wait in memory. db.mu is held.
func (db *DB) cut(c *collection) uint32 {
	sets := c.cut(db.opts.segmentSets)
	if db.loads > 0 && !c.kept.texts() && !c.fresh.fill(3, 4, c.freshBudget(db.opts.MemoryBytes)) {
		return loadCut * sets
	}
	return sets
}

// cut is how many sets become a posting segment, given how many do where nothing
// of texts is kept. Where a search reads much of each set of the tail, the tail is
// shorter.
func (c *collection) cut(sets uint32) uint32 {
	if c.kept.words || c.kept.patricia {
		return max(sets/4, 1)
	}
	return sets
}

func tailIsLong(live int64, numbers, cut uint32) bool {
	return live >= int64(cut) || numbers >= 16*cut
}

// liveIn counts the sets in [lo,hi) that some document has; db.mu is held.
func (c *collection) liveIn(lo, hi uint32) (n int64) {
	for set := lo; set < min(hi, uint32(len(c.shares))); set++ {
		if c.shares[set] > 0 {
			n++
		}
	}
	return n
}

// removeCollection deletes everything under the collection's number.
func removeCollection(b *pebble.Batch, number uint32) error {
	for _, s := range keys.PerCollection {
		if err := deleteUnder(b, keys.Of(s, number)); err != nil {
			return err
		}
	}
	return nil
}
