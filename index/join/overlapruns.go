package join

import (
	"context"
	"slices"

	"github.com/simdb/simdb/index"
)

// This file keeps pairs that rounds have found and will find again, until the last
// round: in sorted runs in scratch, if they are too many.

// pairRun is sorted pairs in scratch, with those that were read of them.
type pairRun struct {
	chunks []extent // not read
	list   []uint64
}

// spill writes the pairs, which are sorted, as a run.
func (j *overlapJoin) spill() error {
	const most = 1 << 12 // pairs that are read at once
	r := &pairRun{}
	for chunk := range slices.Chunk(j.pairs, most) {
		words := make([]uint32, 0, 2*len(chunk))
		for _, x := range chunk {
			words = append(words, uint32(x>>32), uint32(x))
		}
		at, err := j.Scratch.Append(words)
		if err != nil {
			return err
		}
		r.chunks = append(r.chunks, extent{at, uint32(len(words))})
	}
	j.runs, j.pairs = append(j.runs, r), j.pairs[:0]
	return nil
}

// fill makes sure that the list has a pair, if there is one left.
func (r *pairRun) fill(s Scratch) error {
	if len(r.list) > 0 || len(r.chunks) == 0 {
		return nil
	}
	words := make([]uint32, r.chunks[0].n)
	if err := s.Read(words, r.chunks[0].at); err != nil {
		return err
	}
	r.chunks = r.chunks[1:]
	for i := 0; i < len(words); i += 2 {
		r.list = append(r.list, uint64(words[i])<<32|uint64(words[i+1]))
	}
	return nil
}

// finish hands over what is left, each pair once.
func (j *overlapJoin) finish(ctx context.Context) error {
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	j.pairs = slices.Compact(j.pairs)
	if len(j.runs) == 0 {
		return j.handOver()
	}
	runs := append(j.runs, &pairRun{list: j.pairs})
	j.pairs = nil
	for len(runs) > 0 {
		least := runs[0]
		for i := 0; i < len(runs); i++ {
			r := runs[i]
			if err := r.fill(j.Scratch); err != nil {
				return err
			}
			if len(r.list) == 0 {
				runs = slices.Delete(runs, i, i+1)
				i--
			} else if len(least.list) == 0 || r.list[0] < least.list[0] {
				least = r
			}
		}
		if len(runs) == 0 {
			break
		}
		x := least.list[0]
		least.list = least.list[1:]
		if n := len(j.pairs); n > 0 && j.pairs[n-1] == x {
			continue
		} else if n >= j.most { // x is another than the last
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := j.handOver(); err != nil {
				return err
			}
		}
		j.pairs = append(j.pairs, x)
	}
	return j.handOver()
}
