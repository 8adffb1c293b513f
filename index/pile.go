package index

// This file sorts the postings of a segment under construction.

// A pile holds the entries of a run, key<<32 | payload, before they are sorted.
// It keeps them in buckets, so that each bucket can be sorted in the cache. The
// highest bits of an entry choose its bucket. A bucket is a chain of links that
// never move. A new entry is written after the last one of its bucket, and
// nothing is copied as the pile grows.
type pile struct {
	few    []uint64 // all entries, while they are few
	shift  uint     // shifting an entry by so much gives the number of its bucket
	ends   []uint32 // by bucket: the place behind its last entry, 0 if it has none
	first  []uint32 // by bucket: its first link
	sizes  []uint32 // by bucket: links
	next   []uint32 // by link: the one that follows in the bucket
	most   uint32   // links of the longest bucket
	blocks []*[pileBlock]uint64
}

const (
	pileFew     = 1 << 14 // more entries are kept in buckets
	pileBits    = 9
	pileBuckets = 1 << pileBits
	pileLink    = 1 << 6  // entries
	pileBlock   = 1 << 13 // entries allocated at once
)

// add puts entries into the pile.
func (p *pile) add(words []uint64) {
	if p.ends == nil {
		p.few = append(p.few, words...)
		if len(p.few) < pileFew {
			return
		}
		p.spread()
		words, p.few = p.few, nil
	}
	ends := (*[pileBuckets]uint32)(p.ends)
	for _, x := range words {
		b := min(x>>(p.shift&63), pileBuckets-1)
		at := ends[b]
		if at%pileLink == 0 {
			at = p.grow(b)
		}
		p.blocks[at/pileBlock][at%pileBlock] = x
		ends[b] = at + 1
	}
}

// spread chooses the bits that tell buckets apart, by the entries so far. Later
// entries with higher bits share the last bucket.
func (p *pile) spread() {
	p.shift = uint(max(highest(p.few)-pileBits, 0))
	p.ends = make([]uint32, pileBuckets)
	p.first = make([]uint32, pileBuckets)
	p.sizes = make([]uint32, pileBuckets)
}

// grow gives a bucket one more link, and returns where the link begins.
func (p *pile) grow(b uint64) uint32 {
	c := uint32(len(p.next))
	if c%(pileBlock/pileLink) == 0 {
		p.blocks = append(p.blocks, new([pileBlock]uint64))
	}
	p.next = append(p.next, 0)
	if end := p.ends[b]; end > 0 {
		p.next[end/pileLink-1] = c
	} else {
		p.first[b] = c
	}
	p.sizes[b]++
	p.most = max(p.most, p.sizes[b])
	return c * pileLink
}

// bytes is the memory that the pile takes, plus what sorting will need: three
// times the room for its longest bucket.
func (p *pile) bytes() int {
	if p.ends == nil {
		return 8 * (cap(p.few) + 2*len(p.few))
	}
	return 8*len(p.blocks)*pileBlock + 12*pileBuckets + 4*cap(p.next) + 3*8*pileLink*int(p.most)
}

// sorted calls yield with the entries, ascending, some at a time. A slice is
// valid until yield returns. Entries that agree in the bits from setBits on
// must have been added in the order of their lower bits. Sorting empties the
// pile.
func (p *pile) sorted(yield func(words []uint64) error) error {
	var s sorter
	defer func() { *p = pile{} }()
	if p.ends == nil {
		return yield(s.sort(p.few))
	}
	bucket := make([]uint64, 0, p.most*pileLink)
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
		bucket = append(bucket, p.link(c)[:(end-1)%pileLink+1]...)
		if err := yield(s.sort(bucket)); err != nil {
			return err
		}
	}
	return nil
}

func (p *pile) link(c uint32) *[pileLink]uint64 {
	const perBlock = pileBlock / pileLink
	at := c % perBlock * pileLink
	return (*[pileLink]uint64)(p.blocks[c/perBlock][at : at+pileLink])
}
