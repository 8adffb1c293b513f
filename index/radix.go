package index

// Sorting: of entries by their keys, digit by digit; of the postings of a segment under
// construction, in a radix buffer; and of items, until a context ends: the sort of a few
// million numbers takes longer than its caller may be kept waiting.

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// For sortFew entries or fewer, counting digits is not worth it.
	sortFew = 64
)

// Sorter sorts entries; it keeps the memory for that.
type Sorter struct{ tmp []uint64 }

// Sort sorts entries, key<<32 | payload. Entries that agree in the bits from
// setBits on must ascend in the bits below. The result is in a or in memory of
// the sorter, and the next sort writes over both. It sorts by the digits of the
// keys, the lowest first, and only by those that vary. Then it looks at equal
// keys.
func (s *Sorter) Sort(a []uint64) []uint64 {
	if len(a) <= sortFew {
		slices.Sort(a)
		return a
	}
	if cap(s.tmp) < len(a) {
		s.tmp = make([]uint64, len(a))
	}
	a = distribute(a, s.tmp[:len(a)], 32, highest(a))
	for i := 1; i < len(a); i++ {
		if a[i] < a[i-1] {
			i = s.settle(a, i)
		}
	}
	return a
}

// settle sorts the entries that have the key of a[i], and returns the last of
// them. The ones below i ascend already.
func (s *Sorter) settle(a []uint64, i int) int {
	key := a[i] >> 32
	first, last := i-1, i
	for first > 0 && a[first-1]>>32 == key {
		first--
	}
	for last+1 < len(a) && a[last+1]>>32 == key {
		last++
	}
	equal := a[first : last+1]
	if len(equal) <= digits {
		slices.Sort(equal)
		return last
	}
	sorted := distribute(equal, make([]uint64, len(equal)), setBits, 32)
	copy(equal, sorted)
	return last
}

// highest returns how many bits, at least 32, cover all bits that vary in a.
func highest(a []uint64) int {
	all, any := a[0], a[0]
	for _, x := range a {
		all &= x
		any |= x
	}
	return max(bits.Len64(all^any), 32)
}

// distribute sorts a stably by the bits from low to high. tmp has the same
// length. The result is the one of both that holds the entries in the end.
func distribute(a, tmp []uint64, low, high int) []uint64 {
	passes := (high - low + digitBits - 1) / digitBits
	for left := passes; left > 0; left-- {
		width := (high - low + left - 1) / left
		mask := uint64(1)<<width - 1
		var at [digits]uint32
		for _, x := range a {
			at[x>>(low&63)&mask%digits]++
		}
		sum := uint32(0)
		for d := range mask + 1 {
			n := at[d%digits]
			at[d%digits] = sum
			sum += n
		}
		tmp = tmp[:len(a)]
		for _, x := range a {
			to := &at[x>>(low&63)&mask%digits]
			tmp[*to] = x
			*to++
		}
		a, tmp = tmp, a
		low += width
	}
	return a
}

// A radix buffer holds the entries of a run, key<<32 | payload, before they are sorted.
// It keeps them in buckets, so that each bucket can be sorted in the cache. The
// highest bits of an entry choose its bucket. A bucket is a chain of links that
// never move. A new entry is written after the last one of its bucket, and
// nothing is copied as the buffer grows.
type radixBuffer struct {
	few    []uint64 // all entries, while they are few
	shift  uint     // shifting an entry by so much gives the number of its bucket
	ends   []uint32 // by bucket: the place behind its last entry, 0 if it has none
	first  []uint32 // by bucket: its first link
	sizes  []uint32 // by bucket: links
	next   []uint32 // by link: the one that follows in the bucket
	most   uint32   // links of the longest bucket
	blocks []*[bufferBlock]uint64
}

const (
	bufferFew     = 1 << 14 // more entries are kept in buckets
	bufferBits    = 9
	bufferBuckets = 1 << bufferBits
	bufferLink    = 1 << 6  // entries
	bufferBlock   = 1 << 13 // entries allocated at once
)

// add puts entries into the buffer.
func (p *radixBuffer) add(words []uint64) {
	if p.ends == nil {
		p.few = append(p.few, words...)
		if len(p.few) < bufferFew {
			return
		}
		p.spread()
		words, p.few = p.few, nil
	}
	ends := (*[bufferBuckets]uint32)(p.ends)
	for _, x := range words {
		b := min(x>>(p.shift&63), bufferBuckets-1)
		at := ends[b]
		if at%bufferLink == 0 {
			at = p.grow(b)
		}
		p.blocks[at/bufferBlock][at%bufferBlock] = x
		ends[b] = at + 1
	}
}

// spread chooses the bits that tell buckets apart, by the entries so far. Later
// entries with higher bits share the last bucket.
func (p *radixBuffer) spread() {
	p.shift = uint(max(highest(p.few)-bufferBits, 0))
	p.ends = make([]uint32, bufferBuckets)
	p.first = make([]uint32, bufferBuckets)
	p.sizes = make([]uint32, bufferBuckets)
}

// grow gives a bucket one more link, and returns where the link begins.
func (p *radixBuffer) grow(b uint64) uint32 {
	c := uint32(len(p.next))
	if c%(bufferBlock/bufferLink) == 0 {
		p.blocks = append(p.blocks, new([bufferBlock]uint64))
	}
	p.next = append(p.next, 0)
	if end := p.ends[b]; end > 0 {
		p.next[end/bufferLink-1] = c
	} else {
		p.first[b] = c
	}
	p.sizes[b]++
	p.most = max(p.most, p.sizes[b])
	return c * bufferLink
}

// bytes is the memory that the buffer takes, plus what sorting will need: three
// times the room for its longest bucket.
func (p *radixBuffer) bytes() int {
	if p.ends == nil {
		return 8 * (cap(p.few) + 2*len(p.few))
	}
	return 8*len(p.blocks)*bufferBlock + 12*bufferBuckets + 4*cap(p.next) + 3*8*bufferLink*int(p.most)
}

// sorted calls yield with the entries, ascending, some at a time. A slice is
// valid until yield returns. Entries that agree in the bits from setBits on
// must have been added in the order of their lower bits. Sorting empties the
// buffer.
func (p *radixBuffer) sorted(yield func(words []uint64) error) error {
	var s Sorter
	defer func() { *p = radixBuffer{} }()
	if p.ends == nil {
		return yield(s.Sort(p.few))
	}
	bucket := make([]uint64, 0, p.most*bufferLink)
	for b, end := range p.ends {
		if end == 0 {
			continue
		}
		bucket = bucket[:0]
		c := p.first[b]
		for n := p.sizes[b]; n > 1; n-- {
			bucket = append(bucket, p.link(c)[:]...)
			c = p.next[c]
		}
		bucket = append(bucket, p.link(c)[:(end-1)%bufferLink+1]...)
		if err := yield(s.Sort(bucket)); err != nil {
			return err
		}
	}
	return nil
}

func (p *radixBuffer) link(c uint32) *[bufferLink]uint64 {
	const perBlock = bufferBlock / bufferLink
	at := c % perBlock * bufferLink
	return (*[bufferLink]uint64)(p.blocks[c/perBlock][at : at+bufferLink])
}

// SortUntil sorts. stop is called every few milliseconds, and its error ends the sorting;
// then the items are in some order.
func SortUntil[T cmp.Ordered](stop func() error, items []T) error {
	return sortUntil(stop, items, nil, cmp.Compare[T], slices.Sort[[]T])
}

// SortFuncUntil is SortUntil by a function. Equal items may change their order.
func SortFuncUntil[T any](stop func() error, items []T, by func(a, b T) int) error {
	return sortUntil(stop, items, nil, by, func(s []T) { slices.SortFunc(s, by) })
}

// sortStretch is how many items are sorted at once. Those that are compared by a function
// take some 20 ms.
const sortStretch = 1 << 17

// sortUntil sorts the halves and merges them; spare has room for one of them, or is nil.
func sortUntil[T any](stop func() error, items, spare []T, by func(a, b T) int, sort func([]T)) error {
	if err := stop(); err != nil {
		return err
	}
	if len(items) <= sortStretch {
		sort(items)
		return nil
	}
	half := len(items) / 2
	if spare == nil {
		spare = make([]T, half)
	}
	for _, part := range [][]T{items[:half], items[half:]} {
		if err := sortUntil(stop, part, spare, by, sort); err != nil {
			return err
		}
	}
	low, high := spare[:copy(spare, items[:half])], items[half:]
	for i := 0; len(low) > 0 && len(high) > 0; i++ { // what is written of high has been read
		if i%sortStretch == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		if by(high[0], low[0]) < 0 {
			items[i], high = high[0], high[1:]
		} else {
			items[i], low = low[0], low[1:]
		}
	}
	copy(items[len(items)-len(high)-len(low):], low) // what is left of high is in its place
	return nil
}
