package search

// Location of possible common passages by the stored grams of texts.

import (
	"bytes"
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/sketch"
)

// pieces is a list of byte ranges of a text.
type pieces [][2]int32

// all yields the ranges in order.
func (p pieces) all(yield func(from, to int) bool) {
	for _, x := range p {
		if !yield(int(x[0]), int(x[1])) {
			return
		}
	}
}

// piecesWith returns the sets that can match, with the pieces that may hold passages. runs
// derives the pieces from a set's grams, enough accepts or rejects them; size is the length
// of the other text in bytes.
func piecesWith(ctx context.Context, m *view.Snapshot, v *view.View, sets []uint32, size int, runs func(sketch.Grams) pieces, enough func(pieces) bool) (kept []uint32, where map[uint32]pieces, err error) {
	where = map[uint32]pieces{}
	err = view.EachSet(ctx, m, v, sets, func(r *view.Reader, set uint32) (pieces, error) {
		grams, err := gramsOf(r, set)
		if err != nil {
			return nil, err
		}
		if size+len(grams) >= view.LongText {
			grams = bytes.Clone(grams) // the reader's memory is limited
		}
		return view.Apart(ctx, m.Shared, int64(size+len(grams)), func() (pieces, error) {
			if where := runs(grams); enough(where) {
				return where, nil
			}
			return nil, nil
		})
	}, func(set uint32, p pieces) error {
		if p != nil {
			kept = append(kept, set)
			where[set] = p
		}
		return nil
	})
	return kept, where, err
}

// gramsOf returns the chosen grams of a set. They are valid until the next call.
func gramsOf(r *view.Reader, set uint32) (sketch.Grams, error) {
	b, err := r.Record(record.InGrams, set)
	if err == nil && len(b)%4 != 0 {
		err = fault.Corrupt("grams of set %d: a record of %d bytes", set, len(b))
	}
	return b, err
}

// countGrams counts, for each set with postings, the grams that may lie in a match with the
// text of grams. weigh gives the weight of a gram by its key and its count in the set.
// Workers share grams and count separately.
func countGrams(ctx context.Context, f *Finder, from uint32, grams *sketch.GramSet, weigh func(key uint32, count int) uint32) ([]uint32, error) {
	counts := make([][]uint32, host.Workers())
	g, ctx := errgroup.WithContext(ctx)
	for w := range counts {
		mine := make([]uint32, f.v.Postings.Built)
		counts[w] = mine
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			for _, stored := range f.m.LookFrom(ctx, f.v, from) {
				i := 0
				for low, high := range grams.KeyRanges() {
					// Workers share the key ranges in turn.
					if i++; i%len(counts) != w {
						continue
					}
					if err := f.m.Interrupted(ctx); err != nil {
						return err
					}
					err := index.EachPosting(stored, index.Gram, low, high, func(key, set uint32, count int) {
						if grams.Shares(key) {
							// The cap keeps the sum over all workers within 32 bits.
							mine[set] = min(mine[set]+weigh(key, count), 1<<28)
						}
					})
					if err != nil {
						return segment.PageError(err)
					}
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, more := range counts[1:] {
		for set, n := range more {
			counts[0][set] = min(counts[0][set]+n, 1<<28)
		}
	}
	return counts[0], nil
}
