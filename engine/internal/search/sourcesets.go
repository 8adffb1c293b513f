package search

// Candidates for sources: sets with runs of grams of a text.

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/sketch"
)

// candidates lists the sets that may have passages of the target, ascending, with the pieces
// of the target that may hold them; nil pieces mean anywhere. Without a usable index it
// returns every set.
func (c *cover) candidates(ctx context.Context, m *view.Snapshot, v *view.View) ([]uint32, map[uint32]pieces, error) {
	row := sketch.FullRun(c.longest + 1)
	if !v.Kept.Posts(index.Gram) || row == 0 || c.min+1 < sketch.MatchBytes {
		return v.Live(0, v.Table.Len()), nil, nil
	}
	grams, err := view.Apart(ctx, m.Shared, int64(len(c.target)), func() (sketch.Grams, error) { return sketch.ChooseGrams(c.masked), nil })
	if err != nil {
		return nil, nil, err
	}
	rows := newGramRows(grams, row)
	stored := m.LookFrom(ctx, v, 0)
	found := make([][]uint32, len(stored))
	g, each := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for i, s := range stored {
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			found[i], err = rows.in(each, m, s)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	var sets []uint32
	for _, part := range found {
		sets = append(sets, part...)
	}
	sets = append(v.LiveOf(sets, 0), v.Live(v.Postings.Built, v.Table.Len())...) // sets of the tail have no postings
	places, err := view.Apart(ctx, m.Shared, int64(len(c.target)), func() (*sketch.GramPlaces, error) { return sketch.NewGramPlaces(c.masked), nil })
	if err != nil {
		return nil, nil, err
	}
	return piecesWith(ctx, m, v, sets, len(c.target), func(grams sketch.Grams) pieces { return places.Runs(grams, c.min) }, func(all pieces) bool {
		return slices.ContainsFunc(all, func(x [2]int32) bool { return int(x[1]-x[0]) > c.longest })
	})
}

// gramRows holds the grams of a text in order, and their distinct keys.
type gramRows struct {
	row  int      // least number of consecutive grams in a match
	key  []int32  // of each gram: a place in keys
	keys []uint32 // distinct, ascending
}

// newGramRows returns the grams with their keys.
func newGramRows(grams sketch.Grams, row int) *gramRows {
	r := &gramRows{row: row}
	var each []uint32
	for _, key := range grams.All() {
		each = append(each, key)
	}
	r.keys = slices.Compact(slices.Sorted(slices.Values(each)))
	r.key = make([]int32, len(each))
	for i, key := range each {
		at, _ := slices.BinarySearch(r.keys, key)
		r.key[i] = int32(at)
	}
	return r
}

// in lists the sets of a segment that have enough consecutive grams. It reads postings in
// the order of keys, then walks the grams in the order of the text.
func (r *gramRows) in(ctx context.Context, m *view.Snapshot, s index.Stored) (found []uint32, err error) {
	var sets []uint32                    // of all keys, concatenated
	ends := make([]int32, len(r.keys)+1) // ends of each key's sets
	for i, key := range r.keys {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		err := index.EachPosting(s, index.Gram, key, key, func(_, set uint32, _ int) { sets = append(sets, set-s.Lo) })
		if err != nil {
			return nil, segment.PageError(err)
		}
		ends[i+1] = int32(len(sets))
	}
	type row struct{ n, next int32 } // length, and place of the gram that would extend it
	rows := make([]row, s.Hi-s.Lo)
	for i, key := range r.key {
		if i%1024 == 0 {
			if err := m.Interrupted(ctx); err != nil {
				return nil, err
			}
		}
		for _, set := range sets[ends[key]:ends[key+1]] {
			x := &rows[set]
			if x.next != int32(i) {
				x.n = 0
			}
			x.n, x.next = x.n+1, int32(i)+1
			if int(x.n) == r.row {
				found = append(found, s.Lo+set)
			}
		}
	}
	return found, nil
}
