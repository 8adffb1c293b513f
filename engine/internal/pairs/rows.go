package pairs

// From edges to rows: one level of sim at a time, so that millions of rows stream from
// few edges.

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// member is a document as rows name it: views are searched in one order, so
// (id, side) orders documents of several collections.
type member struct {
	id   string
	side uint16
}

func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.side, b.side))
}

// sharedSet is a set that several documents of a view have. Their similarity is
// 1: a score of 0 means that they have nothing the measure could compare.
type sharedSet struct {
	set       uint32
	documents uint32
	score     measure.Score
}

// shared calls yield for the sets whose documents are similar to each other; across
// two sides they make no pair. There may be as many as half the documents: a list
// of them that grows would leave several times its length behind.
func (e *edges) shared(ctx context.Context, side int, yield func(sharedSet)) error {
	v := e.views[side]
	if e.against > 0 {
		return nil
	}
	r := e.m.Reader(v)
	defer r.Close()
	r.Heed(ctx)
	return e.eachSharedSince(ctx, side, func(set, documents uint32) error {
		if !e.may(leg{side, side}, set, set) {
			return nil
		}
		score, err := search.SameSet(ctx, r, e.q, set)
		if score.Shared > 0 {
			yield(sharedSet{set, documents, fitting(score)})
		}
		return err
	})
}

// eachShared calls yield for the sets of a view, numbered from or above, that several
// documents have, ascending.
func (e *edges) eachShared(ctx context.Context, v *view.View, from uint32, yield func(set, documents uint32) error) error {
	return disk.ScanFrom(e.m.Pebble, v.Key(keys.Shares), v.Key(keys.Shares, from), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return fault.Corrupt("shares key %x", key)
		}
		if v.Table.Size(n[1]).Distinct == 0 { // a view of fewer sets than the store has
			return nil
		}
		if err := yield(n[1], binary.BigEndian.Uint32(value)); err != nil {
			return err
		}
		return e.m.Interrupted(ctx)
	})
}

// eachSharedSince is eachShared for the sets that give rows.
func (e *edges) eachSharedSince(ctx context.Context, side int, yield func(set, documents uint32) error) error {
	v := e.views[side]
	if e.since == nil {
		return e.eachShared(ctx, v, 0, yield)
	}
	for _, set := range e.since[side].Older() {
		b, err := disk.Get(e.m.Pebble, v.Key(keys.Shares, set))
		if err == nil && len(b) == 4 { // else it has one document
			err = yield(set, binary.BigEndian.Uint32(b))
		}
		if err != nil {
			return err
		}
	}
	return e.eachShared(ctx, v, e.since[side].Next, yield)
}

// atLeast says whether the edges, and the sets that several documents have,
// make at least n rows.
func (e *edges) atLeast(ctx context.Context, n int64) (bool, error) {
	rows := int64(0)
	for side := range e.views {
		err := e.shared(ctx, side, func(s sharedSet) {
			n, before := int64(s.documents), int64(0)
			if e.since != nil && s.set < e.since[side].Next {
				before = n - int64(e.since[side].Joined(s.set))
			}
			rows += n*(n-1)/2 - before*(before-1)/2
		})
		if err != nil {
			return false, err
		}
	}
	if !e.directed() {
		return rows+e.list.n >= n, nil
	}
	readers := make([]*view.Reader, len(e.views))
	for i, v := range e.views {
		readers[i] = e.m.Reader(v)
		defer readers[i].Close()
	}
	err := e.list.each(func(list []edge) error {
		for _, x := range list {
			if rows >= n {
				return errEnough
			}
			ok, err := e.gives(ctx, readers, x)
			if err != nil {
				return err
			}
			if ok {
				rows++
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows >= n, err
}

// gives says whether a directed edge has a row: a document of the one set before one of
// the other.
func (e *edges) gives(ctx context.Context, readers []*view.Reader, x edge) (bool, error) {
	if err := e.m.Interrupted(ctx); err != nil {
		return false, err
	}
	from, err := e.idsOf(readers, x.from())
	if err != nil {
		return false, err
	}
	to, err := e.idsOf(readers, x.to())
	if err != nil {
		return false, err
	}
	before := func(from, to []string) bool {
		return len(from) > 0 && len(to) > 0 && compareMembers(member{slices.Min(from), x.fromSide}, member{slices.Max(to), x.toSide}) < 0
	}
	if e.since == nil {
		return before(from, to), nil
	}
	return before(e.written(x.from(), from), to) || before(from, e.written(x.to(), to)), nil
}

// written returns those of a set's documents that were written since the mark.
func (e *edges) written(n node, ids []string) (out []string) {
	for _, id := range ids {
		if e.since[n.side].Document(n.set, id) {
			out = append(out, id)
		}
	}
	return out
}

// rows expands edges to documents, one level of sim at a time.
func (e *edges) rows(ctx context.Context) iter.Seq2[api.PairMatch, error] {
	return func(yield func(api.PairMatch, error) bool) {
		r, err := e.list.reader()
		if err != nil {
			yield(api.PairMatch{}, err)
			return
		}
		l := newLevel(e)
		ctx, stage := progress.Begin(ctx, "pairs of sets put out", e.list.n)
		var list, read []edge
		for equal := false; ; {
			if len(read) == 0 {
				if read, err = r.level(list[:0]); err != nil {
					yield(api.PairMatch{}, err)
					return
				}
				list = read
			}
			// Documents that share a set are of sim 1, with or without edges of
			// it. There may be more than 1, by patricia.
			edges := read
			overOne := -1
			if len(read) > 0 {
				overOne = read[0].score(e.formula.Unit()).Compare(measure.Score{Shared: 1, Of: 1})
			}
			top := !equal && overOne <= 0
			if top && overOne < 0 {
				edges = nil
			}
			if len(edges) == 0 && !top {
				return
			}
			equal = equal || top
			if err := l.fill(ctx, edges, top); err != nil {
				yield(api.PairMatch{}, err)
				return
			}
			if !l.rows(yield) {
				return
			}
			stage.Add(len(edges))
			read = read[len(edges):]
		}
	}
}
