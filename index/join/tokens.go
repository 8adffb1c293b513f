package join

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/index"
)

// Reading the tokens of all sets from the postings.

// Tokens yields the tokens of all members of some sets, each with the first tier whose prefix
// contains it. So the tokens up to a tier form a prefix.
type Tokens interface {
	// Count estimates the number of tokens in the first parts.
	Count(parts int) int64
	// Read calls yield for each token in [from,end) in a tier of the part, in any order. A token is
	// followed by its suffix, which is zero in other parts than the first. Read must be safe for
	// concurrent use.
	Read(ctx context.Context, part int, from, end uint64, yield func(suffixed uint64, set uint32, tier uint8)) error
}

// TokenOf returns the token of a shingle.
func TokenOf(shingle uint64) uint64 { return shingle >> (64 - index.TokenBits) }

// tokens is the number of distinct tokens without suffixes.
const tokens = 1 << index.TokenBits

// PostedTokens returns the tokens of sets that have a posting for every member.
func PostedTokens(segments []index.Stored, l index.Layout) Tokens {
	return postedTokens{segments, l, &sync.Pool{New: func() any { return &postedReader{pages: make([][index.Kinds]index.Pages, len(segments))} }}}
}

// postedTokens reads tokens from segments.
type postedTokens struct {
	segments []index.Stored
	layout   index.Layout
	readers  *sync.Pool
}

// fewSegments bounds the segments that keep a page buffer each between reads.
const fewSegments = 32

// postedReader is the state of one goroutine.
type postedReader struct {
	pages  [][index.Kinds]index.Pages // by segment, opened on first use
	cursor index.Cursor
}

func (p postedTokens) Count(parts int) (n int64) {
	for _, s := range p.segments {
		for _, k := range index.ShingleKinds {
			if run := s.Runs[k]; run != nil && len(run.First) > 0 { // pages have about equally many postings
				pages, _ := slices.BinarySearch(run.First, index.PartKey(parts, 0))
				n += int64(float64(run.Entries) * float64(pages) / float64(len(run.First)))
			}
		}
	}
	return n
}

func (p postedTokens) Read(ctx context.Context, part int, from, end uint64, yield func(suffixed uint64, set uint32, tier uint8)) error {
	r := p.readers.Get().(*postedReader)
	defer p.readers.Put(r)
	for i, s := range p.segments {
		first := index.PartKey(part, 0)
		for _, k := range index.ShingleKinds {
			if s.Runs[k] == nil {
				continue
			}
			pages := r.pages[i][k]
			if pages == nil {
				pages = s.Pages(k)
			}
			if len(p.segments) <= fewSegments {
				r.pages[i][k] = pages
			}
			if err := r.read(ctx, s, k, pages, p.layout, part, first+from, first+end, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

// read yields the postings of one kind in a segment with lo ≤ key < hi.
func (r *postedReader) read(ctx context.Context, s index.Stored, k index.Kind, pages index.Pages, l index.Layout, part int, lo, hi uint64, yield func(suffixed uint64, set uint32, tier uint8)) error {
	c := &r.cursor
	c.Between(s.Runs[k], pages, lo, hi)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if ok, err := c.Fill(); err != nil || !ok {
			return err
		}
		for i, key := range c.Keys {
			switch set := s.Lo + index.PayloadSet(k, c.Payloads[i]); {
			case key >= hi:
				return nil
			case key >= lo && set < s.Hi: // a damaged page may contain others
				yield(l.Suffixed(part, key, c.Payloads[i]), set, l.Tier(part, c.Payloads[i]))
			}
		}
		c.At = len(c.Keys)
	}
}
