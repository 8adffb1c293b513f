package engine

import (
	"context"
	"errors"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/shingle"
)

// memoryPages holds the pages of a segment that is built for one call.
type memoryPages struct {
	runs [index.Kinds][][]byte
}

func (m *memoryPages) emit(k index.Kind, _ int, data []byte) error {
	m.runs[k] = append(m.runs[k], append([]byte(nil), data...))
	return nil
}

// Pages makes it an index.Reader.
func (m *memoryPages) Pages(k index.Kind) index.Pages { return memoryRun(m.runs[k]) }

type memoryRun [][]byte

// Page returns one page.
func (r memoryRun) Page(n int) ([]byte, error) {
	if n < 0 || n >= len(r) {
		return nil, corrupt("page %d of %d", n, len(r))
	}
	return r[n], nil
}

// withTail returns the collection's segments and, as one more, its tail, built
// in memory: what a join and a lossy filter need, where a signature scan will
// not do. Without an order yet it makes one from the tail.
func (s *Snapshot) withTail(ctx context.Context, v *view) ([]index.Stored, index.Layout, error) {
	var out []index.Stored
	for _, seg := range v.index.segments {
		out = append(out, s.stored(v, seg))
	}
	numbers := v.live(v.index.built, v.next)
	order := v.index.order
	if order == nil {
		var members uint64
		for _, set := range numbers {
			members += v.table.Size(set).Distinct
		}
		counts := index.NewOrderBuilder(members)
		err := s.eachBag(ctx, v, numbers, func(_ uint32, bag shingle.Bag) error {
			counts.Add(bag.Set)
			return nil
		})
		if err != nil {
			return nil, index.Layout{}, err
		}
		order = counts.Order()
	}
	l := v.layout(order)
	for lo := v.index.built; lo < v.next; {
		seg, err := s.tailSegment(ctx, v, l, lo)
		if err != nil {
			return nil, l, err
		}
		out = append(out, seg)
		lo = seg.Hi
	}
	return out, l, nil
}

// tailSegment builds one segment of the tail from lo on, as long as memory allows.
func (s *Snapshot) tailSegment(ctx context.Context, v *view, l index.Layout, lo uint32) (index.Stored, error) {
	hi := min(v.next, lo+index.MaxSegmentSpan)
	posts := index.NewBuilder(l, lo)
	err := s.eachBag(ctx, v, v.live(lo, hi), func(set uint32, bag shingle.Bag) error {
		posts.Add(set, bag, v.table.SimHash(set))
		if int64(posts.Bytes()) > s.db.opts.MemoryBytes/4 {
			hi = set + 1
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return index.Stored{}, err
	}
	var pages memoryPages
	seg, err := posts.Finish(hi, pages.emit)
	return index.Stored{Segment: seg, Reader: &pages}, err
}
