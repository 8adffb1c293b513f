package pairs

// From edges to rows: one level of sim at a time, so that millions of rows stream from
// few edges.

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// atLeast says whether the edges, and the sets that several documents have,
// make at least n rows.
func (f *found) atLeast(ctx context.Context, n int64) (bool, error) {
	rows := int64(0)
	for side := range f.views {
		err := f.shared(ctx, side, nil, func(s sharedSet) {
			n, before := int64(s.documents), int64(0)
			if f.since != nil && s.set < f.since[side].Next {
				before = n - int64(f.since[side].Joined(s.set))
			}
			pairs := n*(n-1)/2 - before*(before-1)/2
			if rows += pairs; f.Directed {
				rows += pairs
			}
		})
		if err != nil {
			return false, err
		}
	}
	if !f.directed() || f.Directed {
		return rows+f.list.n >= n, nil
	}
	readers := f.readers()
	defer closeAll(readers)
	err := f.list.each(func(list []edge) error {
		for _, x := range list {
			if rows >= n {
				return disk.ErrEnough
			}
			ok, err := f.gives(ctx, readers, x)
			if err != nil {
				return err
			}
			if ok {
				rows++
			}
		}
		return nil
	})
	if errors.Is(err, disk.ErrEnough) {
		err = nil
	}
	return rows >= n, err
}

// gives says whether a directed edge has a row: a document of the one set before one of
// the other.
func (f *found) gives(ctx context.Context, readers []*view.Reader, x edge) (bool, error) {
	if err := f.m.Interrupted(ctx); err != nil {
		return false, err
	}
	from, err := f.idsOf(readers, x.from())
	if err != nil {
		return false, err
	}
	to, err := f.idsOf(readers, x.to())
	if err != nil {
		return false, err
	}
	before := func(from, to []string) bool {
		return len(from) > 0 && len(to) > 0 && compareMembers(member{slices.Min(from), x.fromSide}, member{slices.Max(to), x.toSide}) < 0
	}
	if f.since == nil {
		return before(from, to), nil
	}
	return before(f.written(x.from(), from), to) || before(from, f.written(x.to(), to)), nil
}

// written returns those of a set's documents that were written since the mark.
func (f *found) written(n node, ids []string) (out []string) {
	for _, id := range ids {
		if f.since[n.side].Document(n.set, id) {
			out = append(out, id)
		}
	}
	return out
}

// rows expands edges to documents, one level of sim at a time.
func (f *found) rows(ctx context.Context) iter.Seq2[api.PairMatch, error] {
	return disk.Rows(func(yield func(api.PairMatch) error) error {
		r, err := f.list.reader()
		if err != nil {
			return err
		}
		l := newLevel(f)
		ctx, stage := progress.Begin(ctx, "pairs of sets put out", f.list.n)
		var list, read []edge
		for equal := false; ; {
			if len(read) == 0 {
				if read, err = r.level(list[:0]); err != nil {
					return err
				}
				list = read
			}
			// Documents that share a set are of sim 1, with or without edges of
			// it. There may be more than 1, by patricia.
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
