package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
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
	documents int64
	score     measure.Score
}

// shared lists the sets whose documents are similar to each other; across two
// sides they make no pair.
func (e *edges) shared(ctx context.Context, side int) (out []sharedSet, err error) {
	v := e.views[side]
	if e.against > 0 {
		return nil, nil
	}
	r := e.s.bags(v)
	defer r.close()
	err = scan(e.s.pebble, v.key(keys.Shares), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return corrupt("shares key %x", key)
		}
		score, err := e.same(ctx, r, n[1])
		if score.Shared > 0 {
			out = append(out, sharedSet{n[1], int64(binary.BigEndian.Uint32(value)), fitting(score)})
		}
		return errors.Join(err, e.s.interrupted(ctx))
	})
	return out, err
}

// same is the score of documents that share a set.
func (e *edges) same(ctx context.Context, r *bagReader, set uint32) (measure.Score, error) {
	size := r.v.table.Size(set)
	n := size.Distinct
	switch e.q.Measure {
	case measure.SimHash:
		n = 64
	case measure.Multiset:
		n = size.Total
	case measure.Repetition:
		n = 2 * size.Total
	}
	if !e.q.Measure.OfTexts() {
		return measure.Score{Shared: n, Union: n, Of: n}, nil
	}
	doc, err := r.text(set)
	if err != nil {
		return measure.Score{}, err
	}
	p, err := e.s.textProbe(ctx, r.v, Method{e.q.Measure, e.q.Args}, doc)
	if err != nil {
		return measure.Score{}, err
	}
	return p.scoreSet(r, set)
}

// atLeast says whether the edges, and the sets that several documents have,
// make at least n rows. Only for one view and a symmetric measure.
func (e *edges) atLeast(ctx context.Context, n int64) (bool, error) {
	shared, err := e.shared(ctx, 0)
	rows := int64(len(e.list))
	for _, s := range shared {
		rows += s.documents * (s.documents - 1) / 2
	}
	return rows >= n, err
}

// limited ends a sequence after n items; 0 means all.
func limited[T any](seq iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	if n <= 0 {
		return seq
	}
	return func(yield func(T, error) bool) {
		left := n
		for item, err := range seq {
			if !yield(item, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// rows expands edges to documents, one level of sim at a time. The edges are
// sorted by sim descending.
func (e *edges) rows(ctx context.Context) iter.Seq2[PairMatch, error] {
	return func(yield func(PairMatch, error) bool) {
		list := e.list
		for equal := false; !equal || len(list) > 0; {
			n := 0
			for n < len(list) && compareScores(list[n].score(), list[0].score()) == 0 {
				n++
			}
			// Documents that share a set are of sim 1, with or without edges of
			// it. There may be more than 1, by patricia.
			top := !equal && (n == 0 || list[0].shared <= list[0].of)
			if top && n > 0 && list[0].shared < list[0].of {
				n = 0
			}
			equal = equal || top
			l, err := e.level(ctx, list[:n], top)
			if err != nil {
				yield(PairMatch{}, err)
				return
			}
			if !l.rows(yield) {
				return
			}
			list = list[n:]
		}
	}
}

// level is the pairs of one sim: documents in order, and for each set those
// that it is paired with.
type level struct {
	e        *edges
	members  []levelMember     // by id
	ids      map[node][]member // documents of each set, by id
	partners map[node][]partner
}

type levelMember struct {
	member
	node node
}

type partner struct {
	node
	score  measure.Score
	onlyTo bool // the edge is directed, and this node is its from
}

func (e *edges) level(ctx context.Context, list []edge, top bool) (*level, error) {
	l := &level{e: e, ids: map[node][]member{}, partners: map[node][]partner{}}
	for _, x := range list {
		l.partners[x.from()] = append(l.partners[x.from()], partner{node: x.to(), score: x.score()})
		l.partners[x.to()] = append(l.partners[x.to()], partner{node: x.from(), score: x.score(), onlyTo: x.directed})
	}
	if top {
		for side := range e.views {
			shared, err := e.shared(ctx, side)
			if err != nil {
				return nil, err
			}
			for _, s := range shared {
				n := node{s.set, uint16(side)}
				l.partners[n] = append(l.partners[n], partner{node: n, score: s.score})
			}
		}
	}
	read, err := e.readIDs(ctx, slices.Collect(maps.Keys(l.partners)))
	if err != nil {
		return nil, err
	}
	for n := range l.partners {
		ids, ok := read[n]
		if !ok {
			ids = e.ids[n]
		}
		members := make([]member, len(ids))
		for i, id := range ids {
			members[i] = member{id, n.side}
			if e.against == 0 || int(n.side) < e.against {
				l.members = append(l.members, levelMember{members[i], n})
			}
		}
		l.ids[n] = members
	}
	slices.SortFunc(l.members, func(a, b levelMember) int { return compareMembers(a.member, b.member) })
	return l, nil
}

// readIDs reads the ids of the documents of those sets that e.ids lacks, on all
// cores.
func (e *edges) readIDs(ctx context.Context, nodes []node) (map[node][]string, error) {
	nodes = slices.DeleteFunc(nodes, func(n node) bool {
		_, ok := e.ids[n]
		return ok
	})
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.set, b.set)) })
	const stretch = 256
	ids := make([][]string, len(nodes))
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers(), (len(nodes)+stretch-1)/stretch) {
		g.Go(func() error {
			readers := make([]*bagReader, len(e.views))
			for i, v := range e.views {
				readers[i] = e.s.bags(v)
				defer readers[i].close()
			}
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= len(nodes) {
					return nil
				}
				for i := from; i < min(from+stretch, len(nodes)); i++ {
					if err := e.s.interrupted(ctx); err != nil {
						return err
					}
					var err error
					if ids[i], err = readers[nodes[i].side].ids(nodes[i].set, nil); err != nil {
						return err
					}
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[node][]string, len(nodes))
	for i, n := range nodes {
		out[n] = ids[i]
	}
	return out, nil
}

// levelPair is a row to be, its sides apart from the ids that sort it.
type levelPair struct {
	a, b  member
	score measure.Score
}

// rows yields the level's pairs by (a, b). Documents of several collections may
// have one id; their rows are put in order together.
func (l *level) rows(yield func(PairMatch, error) bool) bool {
	var rows []levelPair
	for i, a := range l.members {
		if i == 0 || a.id != l.members[i-1].id {
			rows = rows[:0]
		}
		for _, p := range l.partners[a.node] {
			bs := l.ids[p.node]
			switch {
			case l.e.against > 0: // a is always of the first side
			case p.onlyTo:
				continue // a would be the document, but rows name the query first
			default:
				i, found := slices.BinarySearchFunc(bs, a.member, compareMembers)
				if found {
					i++
				}
				bs = bs[i:]
			}
			for _, b := range bs {
				rows = append(rows, levelPair{a.member, b, p.score})
			}
		}
		if i+1 < len(l.members) && l.members[i+1].id == a.id {
			continue // another collection has the id too
		}
		if len(l.partners[a.node]) > 1 || len(l.e.views) > 1 {
			slices.SortFunc(rows, func(x, y levelPair) int {
				return cmp.Or(cmp.Compare(x.b.id, y.b.id), cmp.Compare(x.a.side, y.a.side), cmp.Compare(x.b.side, y.b.side))
			})
		}
		for _, r := range rows {
			if !yield(l.e.row(r.a, r.b, r.score), nil) {
				return false
			}
		}
	}
	return true
}

func (e *edges) row(a, b member, score measure.Score) PairMatch {
	e.plan.Matches++
	m := PairMatch{
		CollectionA: e.views[a.side].name, A: a.id, CollectionB: e.views[b.side].name, B: b.id,
		Sim: score.Sim(), Shared: score.Shared, Union: score.Union, Of: score.Of,
	}
	if e.q.Measure == measure.SimHash {
		m.Dist = int(score.Of - score.Shared)
	}
	return m
}
