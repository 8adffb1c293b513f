package search

// Where sources can be: the sets whose grams stand in rows in a text.

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

// candidates lists the sets that may have passages of the target, ascending, and in which
// pieces of it they are; nil pieces mean anywhere. Where no index serves, that is every set.
func (c *cover) candidates(ctx context.Context, m *view.Moment, v *view.View) ([]uint32, map[uint32]pieces, error) {
	row := sketch.FullRun(c.min + 1)
	if !v.Kept.Patricia || row == 0 {
		return v.Live(0, v.Next), nil, nil
	}
	grams, err := view.Apart(ctx, m.Shared, int64(len(c.target)), func() (sketch.Grams, error) { return sketch.ChooseGrams(c.target), nil })
	if err != nil {
		return nil, nil, err
	}
	rows := newGramRows(grams, row)
	stored := m.LookFrom(ctx, v, 0)
	found := make([]map[uint32]pieces, len(stored))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for i, s := range stored {
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			found[i], err = rows.in(ctx, m, s)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	where := map[uint32]pieces{}
	var sets []uint32
	for _, part := range found {
		for set, p := range part {
			sets = append(sets, set)
			where[set] = p
		}
	}
	sets = v.LiveOf(sets, 0)
	for _, set := range v.Live(v.Postings.Built, v.Next) { // no postings yet
		sets, where[set] = append(sets, set), pieces{{0, int32(len(c.target))}}
	}
	return sets, where, nil
}

// gramRows are the grams of a text in its order, and what they are looked up by.
type gramRows struct {
	row  int      // how many in a row a match has at least
	at   []int32  // where each gram starts
	key  []int32  // of each gram: a place in keys
	keys []uint32 // distinct, ascending
}

func newGramRows(grams sketch.Grams, row int) *gramRows {
	r := &gramRows{row: row}
	var each []uint32
	for at, key := range grams.All() {
		r.at, each = append(r.at, int32(at)), append(each, key)
	}
	r.keys = slices.Compact(slices.Sorted(slices.Values(each)))
	r.key = make([]int32, len(each))
	for i, key := range each {
		at, _ := slices.BinarySearch(r.keys, key)
		r.key[i] = int32(at)
	}
	return r
}

// in finds the rows of grams that the sets of a segment have. It reads the postings in the
// order of their keys, and then goes through the grams in the order of the text.
func (r *gramRows) in(ctx context.Context, m *view.Moment, s index.Stored) (map[uint32]pieces, error) {
	var sets []uint32                    // of all keys, one after another
	ends := make([]int32, len(r.keys)+1) // of the sets of each key
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
	type rowOf struct{ first, next int32 } // grams; next is 0 before the first
	rows := make([]rowOf, s.Hi-s.Lo)
	where := map[uint32]pieces{}
	end := func(set uint32, x rowOf) {
		if int(x.next-x.first) < r.row {
			return
		}
		from, to := sketch.Reach(int(r.at[x.first]), int(r.at[x.next-1]))
		where[s.Lo+set] = append(where[s.Lo+set], [2]int32{int32(from), int32(to)})
	}
	for i, key := range r.key {
		if i%1024 == 0 {
			if err := m.Interrupted(ctx); err != nil {
				return nil, err
			}
		}
		for _, set := range sets[ends[key]:ends[key+1]] {
			x := &rows[set]
			if x.next != int32(i) || x.next == 0 {
				end(set, *x)
				x.first = int32(i)
			}
			x.next = int32(i) + 1
		}
	}
	for set, x := range rows {
		end(uint32(set), x)
	}
	return where, nil
}
