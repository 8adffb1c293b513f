package pairs

// Input for groupings: for each set, the similar sets of smaller numbers.

import (
	"cmp"
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// EachAlike calls yield, in ascending order, for each set of one collection that is similar
// to sets with smaller numbers; alike holds these sets. It stops at the first error.
func EachAlike(ctx context.Context, m *view.Snapshot, q search.Search, yield func(set uint32, alike *roaring.Bitmap) error) error {
	question, err := newQuestion(ctx, m, q)
	if err != nil {
		return err
	}
	f, err := findEdges(ctx, question)
	if err != nil {
		return err
	}
	list, err := f.byLater(ctx, func(n node) uint32 { return n.set })
	if err != nil {
		return err
	}
	return list.each(func(list []edge) error {
		alike := roaring.New()
		for _, x := range list {
			alike.Add(x.toSet)
		}
		return yield(list[0].fromSet, alike)
	})
}

// byLater moves the edges to a list ordered by their set of higher rank, which becomes from.
// f has no edges afterwards.
func (f *found) byLater(ctx context.Context, rank func(node) uint32) (*edgeList, error) {
	out := newEdgeList(ctx, f.m)
	out.by = func(a, b edge) int { return cmp.Compare(rank(a.from()), rank(b.from())) }
	err := f.list.pieces(func(list []edge) error {
		for i := range list {
			if x := &list[i]; rank(x.from()) < rank(x.to()) {
				x.fromSet, x.fromSide, x.toSet, x.toSide = x.toSet, x.toSide, x.fromSet, x.fromSide
			}
		}
		out.add(list)
		return f.m.Interrupted(ctx)
	})
	f.list.free()
	f.list = nil
	if err != nil {
		return nil, err
	}
	return out, out.sort()
}
