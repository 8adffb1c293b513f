package pairs

// Expansion of edges to rows, one level of sim at a time, so that millions of rows stream
// from few edges.

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// atLeast reports whether there are at least n rows.
func (f *found) atLeast(ctx context.Context, n int64) (bool, error) {
	err := f.tally(ctx, func(_ measure.Score, of rows) error {
		if n -= of.kept; n <= 0 {
			return disk.ErrEnough
		}
		return nil
	})
	if errors.Is(err, disk.ErrEnough) {
		err = nil
	}
	return n <= 0, err
}

// levelShare bounds the memory of the edges of one sim, in memory settings. Their rows are sorted by
// ids, so all of them are in memory.
const levelShare = 4

// rows expands edges to documents, one level of sim at a time.
func (f *found) rows(ctx context.Context) iter.Seq2[api.PairMatch, error] {
	return disk.Rows(func(yield func(api.PairMatch) error) error {
		r, err := f.list.reader()
		if err != nil {
			return err
		}
		l, most := newLevel(f), max(int(f.m.MemoryBytes/edgeBytes)*levelShare, 1<<18)
		ctx, stage := progress.Begin(ctx, "pairs of sets expanded", f.list.n)
		var list, read []edge
		for equal := false; ; {
			if len(read) == 0 {
				if read, err = r.level(list[:0], most+1); err != nil {
					return err
				}
				if len(read) > most {
					return fmt.Errorf("%w: more than %d pairs of sets have one sim, and their list would take four times the memory setting: raise it, raise the threshold, return count(*), or disregard what a template gives many documents by IGNORING MORE THAN n DOCUMENTS",
						api.ErrTooLarge, most)
				}
				list = read
			}
			// Documents that share a set have sim 1, even if no edge has sim 1. With the
			// measure patricia, sim may exceed 1.
			edges := read
			overOne := -1
			if len(read) > 0 {
				overOne = read[0].score(f.formula.Unit()).Compare(measure.Score{Shared: 1, Of: 1})
			}
			top := !equal && overOne <= 0
			if top && overOne < 0 {
				edges = nil
			}
			if len(edges) == 0 && !top {
				return nil
			}
			equal = equal || top
			parts, err := l.divide(ctx, edges, top)
			if err != nil {
				return err
			}
			for part := range parts.count() {
				if err := l.fill(ctx, edges, top, parts, part); err != nil {
					return err
				}
				if err := l.rows(yield); err != nil {
					return err
				}
			}
			stage.Add(len(edges))
			read = read[len(edges):]
		}
	})
}
