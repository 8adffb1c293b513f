package pairs

// What a grouping is built of: for each set those of a smaller number that are similar to it.

import (
	"cmp"
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// EachAlike calls yield with the sets of one collection that are similar to others of smaller
// numbers, ascending.
func EachAlike(ctx context.Context, m *view.Snapshot, q search.Search, yield func(set uint32, alike *roaring.Bitmap) error) error {
	question, err := newQuestion(ctx, m, q)
	if err != nil {
		return err
	}
	f, err := findEdges(ctx, question)
	if err != nil {
		return err
	}
	byLater := newEdgeList(ctx, m)
	byLater.by = func(a, b edge) int { return cmp.Compare(max(a.fromSet, a.toSet), max(b.fromSet, b.toSet)) }
	err = f.list.each(func(list []edge) error {
		byLater.add(list)
		return m.Interrupted(ctx)
	})
	if err == nil {
		err = byLater.sort()
	}
	if err != nil {
		return err
	}
	return byLater.each(func(list []edge) error {
		alike := roaring.New()
		for _, x := range list {
			alike.Add(min(x.fromSet, x.toSet))
		}
		return yield(max(list[0].fromSet, list[0].toSet), alike)
	})
}
