package pairs

// Sets that several documents share: their documents are similar without an edge, or with one
// from the set to itself where their score is not 1.

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
)

// sharedSet is a set that several documents of a view have, with the score of two of them.
type sharedSet struct {
	set       uint32
	documents uint32
	score     measure.Score
}

// shared calls yield for the sets whose documents have a sim of 1 with each other; in, if not
// nil, restricts the sets. With AGAINST there are none, because rows connect two sides. shared
// streams the sets because there may be half as many as documents: a growing list would leave
// garbage of several times its size.
func (q *question) shared(ctx context.Context, side int, in *roaring.Bitmap, yield func(sharedSet) error) error {
	if search.Partly(q.Search) { // addShared has added their edges
		return nil
	}
	return q.eachScored(ctx, side, in, yield)
}

// addShared adds an edge from each shared set to itself, if the score of its documents may be
// below 1.
func (f *found) addShared(ctx context.Context) error {
	if !search.Partly(f.Search) {
		return nil
	}
	for side := range f.views {
		err := f.eachScored(ctx, side, nil, func(s sharedSet) error {
			if n := (node{s.set, uint16(side)}); s.score.Reaches(f.Min) {
				f.list.add([]edge{newEdge(n, n, s.score, false)})
			}
			return f.list.err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachScored scores the sets that several documents share, and yields those with anything in
// common.
func (q *question) eachScored(ctx context.Context, side int, in *roaring.Bitmap, yield func(sharedSet) error) (err error) {
	defer segment.CatchUnreadable(&err)()
	v := q.views[side]
	if q.against > 0 {
		return nil
	}
	r := q.m.Reader(v)
	defer r.Close()
	r.Heed(ctx)
	return q.eachSharedSince(ctx, side, func(set, documents uint32) error {
		if in != nil && !in.Contains(set) || !q.may(sides{side, side}, set, set) {
			return nil
		}
		score, err := search.SameSet(ctx, r, q.Search, set)
		if err != nil || score.Shared == 0 {
			return err
		}
		return yield(sharedSet{set, documents, score})
	})
}

// eachSharedSince is EachShared restricted to the sets that may have rows under the mark, if
// there is a mark.
func (q *question) eachSharedSince(ctx context.Context, side int, yield func(set, documents uint32) error) error {
	v := q.views[side]
	if q.since == nil {
		return q.m.EachShared(ctx, v, 0, yield)
	}
	for _, set := range q.since[side].Older() {
		b, err := disk.Get(q.m.Pebble, v.Key(keys.Shares, set))
		if err == nil && len(b) == 4 { // otherwise it has one document
			err = yield(set, binary.BigEndian.Uint32(b))
		}
		if err != nil {
			return err
		}
	}
	return q.m.EachShared(ctx, v, q.since[side].Next, yield)
}

// sharers holds set<<32 | documents, ascending, for each set with several documents in a view.
type sharers []uint64

// sharersOf lists the shared sets of a side.
func (q *question) sharersOf(ctx context.Context, side int) (sharers, error) {
	out := sharers{}
	err := q.m.EachShared(ctx, q.views[side], 0, func(set, documents uint32) error {
		out = append(out, uint64(set)<<32|uint64(documents))
		return nil
	})
	return out, err
}

// of returns the number of documents of a live set.
func (s sharers) of(set uint32) uint32 {
	i, _ := slices.BinarySearch(s, uint64(set)<<32)
	if i < len(s) && uint32(s[i]>>32) == set {
		return uint32(s[i])
	}
	return 1
}
