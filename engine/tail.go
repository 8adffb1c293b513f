package engine

import (
	"context"

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

// withTail adds to the collection's segments, as one more, its tail, built
// in memory: what a join and a lossy filter need, where a signature scan will
// not do. Without an order yet it makes one from the tail.
func (s *Snapshot) withTail(ctx context.Context, v *view, segments []index.Stored) ([]index.Stored, index.Layout, error) {
	numbers := v.live(v.index.built, v.next)
	order := v.index.order
	if order == nil {
		var members uint64
		for _, set := range numbers {
			members += v.table.Size(set).Distinct
		}
		counts := index.NewOrderBuilder(members)
		err := eachSet(ctx, s, v, numbers, (*bagReader).once, func(_ uint32, bag shingle.Bag) error {
			counts.Add(bag.Set)
			return nil
		})
		if err != nil {
			return nil, index.Layout{}, err
		}
		order = counts.Order()
	}
	l, out := v.layout(order), segments
	for lo := v.index.built; lo < v.next; {
		var pages memoryPages
		hi := min(v.next, lo+index.MaxSegmentSpan)
		seg, err := s.buildSegment(ctx, v, l, lo, hi, v.live(lo, hi), pages.emit)
		if err != nil {
			return nil, l, err
		}
		out = append(out, index.Stored{Segment: seg, Reader: &pages})
		lo = seg.Hi
	}
	return out, l, nil
}
