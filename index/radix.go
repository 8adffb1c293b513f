package index

// Sorting: entries by radix of their keys; the postings of a segment under construction, in a
// radix buffer; and items with cancellation, since sorting a few million numbers takes longer than
// a cancelled caller may wait.

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// At or below sortFew entries, counting digits does not pay off.
	sortFew = 64
)

// Sorter sorts entries and reuses its memory. Not safe for concurrent use.
type Sorter struct{ tmp []uint64 }

// Sort sorts entries key<<32 | payload. Entries that agree in the bits from setBits on must already
// ascend in the bits below. The result is in a or in memory of the sorter, which the next Sort
// overwrites; the other of the two is scratch space. Sort sorts by the varying digits of the keys,
// lowest first, and then fixes the order of equal keys.
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

// settle sorts the entries with the key of a[i] and returns the index of the last. The entries
// below i already ascend.
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

// highest returns the number of bits, at least 32, that cover all varying bits of a.
func highest(a []uint64) int {
	all, any := a[0], a[0]
	for _, x := range a {
		all &= x
		any |= x
	}
	return max(bits.Len64(all^any), 32)
}

// distribute sorts a stably by the bits from low to high. tmp must be as long as a. The result is
// in a or in tmp.
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

// radixBuffer holds the unsorted entries of a run, key<<32 | payload, in buckets that can be
// sorted in the cache. The highest bits of an entry select its bucket, a chain of links that
// never move. New entries go to the end of their bucket, so growing copies nothing.
type radixBuffer struct {
	few    []uint64 // all entries, while they are few
	shift  uint     // shifts an entry to the number of its bucket
	ends   []uint32 // by bucket: index after its last entry, 0 if empty
	first  []uint32 // by bucket: its first link
	sizes  []uint32 // by bucket: number of links
	next   []uint32 // by link: the next in the bucket
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

// add adds entries to the buffer.
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

// spread chooses the bits that select buckets from the entries so far. Later entries with higher
// bits share the last bucket.
func (p *radixBuffer) spread() {
	p.shift = uint(max(highest(p.few)-bufferBits, 0))
	p.ends = make([]uint32, bufferBuckets)
	p.first = make([]uint32, bufferBuckets)
	p.sizes = make([]uint32, bufferBuckets)
}

// grow appends a link to a bucket and returns its first index.
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

// bytes returns the memory of the buffer, plus the memory for sorting: three times its longest
// bucket.
func (p *radixBuffer) bytes() int {
	if p.ends == nil {
		return 8 * (cap(p.few) + 2*len(p.few))
	}
	return 8*len(p.blocks)*bufferBlock + 12*bufferBuckets + 4*cap(p.next) + 3*8*bufferLink*int(p.most)
}

// drain calls yield with the entries, ascending, some at a time; a slice is valid until yield
// returns. Entries that agree in the bits from setBits on must have been added in the order of
// their lower bits. The buffer is empty afterwards.
func (p *radixBuffer) drain(yield func(words []uint64) error) error {
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

// link returns the entries of a link.
func (p *radixBuffer) link(c uint32) *[bufferLink]uint64 {
	const perBlock = bufferBlock / bufferLink
	at := c % perBlock * bufferLink
	return (*[bufferLink]uint64)(p.blocks[c/perBlock][at : at+bufferLink])
}

// SortUntil sorts items. It calls stop every few milliseconds, and returns its error. Items may
// then be lost and others repeated.
func SortUntil[T cmp.Ordered](stop func() error, items []T) error {
	return sortUntil(stop, items, nil, cmp.Compare[T], slices.Sort[[]T])
}

// SortFuncUntil is SortUntil with a comparison function. It is not stable.
func SortFuncUntil[T any](stop func() error, items []T, by func(a, b T) int) error {
	return sortUntil(stop, items, nil, by, func(s []T) { slices.SortFunc(s, by) })
}

// sortStretch is the number of items sorted between calls of stop; with a comparison function
// some 20 ms.
const sortStretch = 1 << 17

// sortUntil sorts and merges both halves. spare has room for one half, or is nil.
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
	for i := 0; len(low) > 0 && len(high) > 0; i++ { // writes stay behind the reads of high
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
	copy(items[len(items)-len(high)-len(low):], low) // the rest of high is in place
	return nil
}
