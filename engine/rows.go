package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"

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
	r := e.s.bags(v)
	defer r.close()
	return e.eachShared(ctx, v, func(set, documents uint32) error {
		score, err := e.same(ctx, r, set)
		if score.Shared > 0 {
			yield(sharedSet{set, documents, fitting(score)})
		}
		return err
	})
}

// eachShared calls yield for the sets of a view that several documents have, ascending.
func (e *edges) eachShared(ctx context.Context, v *view, yield func(set, documents uint32) error) error {
	return scan(e.s.pebble, v.key(keys.Shares), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return corrupt("shares key %x", key)
		}
		if err := yield(n[1], binary.BigEndian.Uint32(value)); err != nil {
			return err
		}
		return e.s.interrupted(ctx)
	})
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
	rows := e.list.n
	err := e.shared(ctx, 0, func(s sharedSet) { rows += int64(s.documents) * int64(s.documents-1) / 2 })
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

// rows expands edges to documents, one level of sim at a time.
func (e *edges) rows(ctx context.Context) iter.Seq2[PairMatch, error] {
	return func(yield func(PairMatch, error) bool) {
		r, err := e.list.reader()
		if err != nil {
			yield(PairMatch{}, err)
			return
		}
		defer r.close()
		l := newLevel(e)
		var list, read []edge
		for equal := false; ; {
			if len(read) == 0 {
				if read, err = r.level(list[:0]); err != nil {
					yield(PairMatch{}, err)
					return
				}
				list = read
			}
			// Documents that share a set are of sim 1, with or without edges of
			// it. There may be more than 1, by patricia.
			edges := read
			top := !equal && (len(read) == 0 || read[0].shared <= read[0].of)
			if top && len(read) > 0 && read[0].shared < read[0].of {
				edges = nil
			}
			if len(edges) == 0 && !top {
				return
			}
			equal = equal || top
			if err := l.fill(ctx, edges, top); err != nil {
				yield(PairMatch{}, err)
				return
			}
			if !l.rows(yield) {
				return
			}
			read = read[len(edges):]
		}
	}
}

// level is the pairs of one sim.
type level struct {
	e       *edges
	edges   []edge
	nodes   []levelNode
	numbers [][]uint32    // by side and set: one more than the place in nodes; 0 if it has none
	members []levelMember // by id
	ends    []uint32      // used again
}

type levelNode struct {
	node
	documents uint32        // 0 if it is not known yet
	members   []uint32      // ascending places in members
	edges     []uint32      // places of its edges, twice the number, and one more where it is the to
	same      measure.Score // of its documents with each other; none if Of is 0
}

type levelMember struct {
	member
	number uint32 // of its id in the order of ids
	node   uint32
}

func newLevel(e *edges) *level {
	l := &level{e: e, numbers: make([][]uint32, len(e.views))}
	for i, v := range e.views {
		l.numbers[i] = make([]uint32, v.next)
	}
	return l
}

// number returns the place of a node in nodes.
func (l *level) number(n node) uint32 {
	at := &l.numbers[n.side][n.set]
	if *at == 0 {
		if len(l.nodes) == cap(l.nodes) { // append alone would leave five times as much behind
			l.nodes = slices.Grow(l.nodes, max(len(l.nodes), 64))
		}
		l.nodes = append(l.nodes, levelNode{node: n})
		*at = uint32(len(l.nodes))
	}
	return *at - 1
}

// fill puts the edges in the level, and at the top the sets of several documents.
func (l *level) fill(ctx context.Context, edges []edge, top bool) error {
	for _, n := range l.nodes {
		l.numbers[n.side][n.set] = 0
	}
	l.edges, l.nodes, l.members = edges, l.nodes[:0], l.members[:0]
	if top {
		for side := range l.e.views {
			err := l.e.shared(ctx, side, func(s sharedSet) {
				n := l.number(node{s.set, uint16(side)})
				l.nodes[n].same, l.nodes[n].documents = s.score, s.documents
			})
			if err != nil {
				return err
			}
		}
	}
	l.findEdges()
	return l.findMembers(ctx)
}

// findEdges fills the nodes' edges.
func (l *level) findEdges() {
	l.ends = l.ends[:0]
	count := func(n node) {
		i := l.number(n)
		for int(i) >= len(l.ends) {
			l.ends = append(l.ends, 0)
		}
		l.ends[i]++
	}
	for _, x := range l.edges {
		count(x.from())
		count(x.to())
	}
	all := make([]uint32, 2*len(l.edges))
	for i, n := range l.ends {
		l.nodes[i].edges, all = all[:0:n], all[n:]
	}
	for i, x := range l.edges {
		from, to := &l.nodes[l.number(x.from())], &l.nodes[l.number(x.to())]
		from.edges = append(from.edges, uint32(2*i))
		to.edges = append(to.edges, uint32(2*i+1))
	}
}

// findMembers puts the documents of the nodes in order.
func (l *level) findMembers(ctx context.Context) error {
	l.members = slices.Grow(l.members, len(l.nodes)+len(l.nodes)/8)
	missing := make([][]uint32, len(l.e.views)) // sets whose ids are not known
	for i, n := range l.nodes {
		if ids, ok := l.e.ids[n.side].get(n.set); ok {
			l.addMembers(uint32(i), ids)
		} else {
			missing[n.side] = append(missing[n.side], n.set)
		}
	}
	for side, sets := range missing {
		if len(sets) == 0 {
			continue
		}
		slices.Sort(sets)
		err := eachSet(ctx, l.e.s, l.e.views[side], sets, func(r *bagReader, set uint32) ([]string, error) {
			return r.idsOf(set, l.nodes[l.numbers[side][set]-1].documents, nil)
		}, func(set uint32, ids []string) error {
			l.addMembers(l.number(node{set, uint16(side)}), ids)
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(l.members, func(a, b levelMember) int { return compareMembers(a.member, b.member) })
	places := make([]uint32, len(l.members))
	for i := range l.nodes {
		n := &l.nodes[i]
		n.members, places = places[:0:n.documents], places[n.documents:]
	}
	for i := range l.members {
		m := &l.members[i]
		if i > 0 {
			m.number = l.members[i-1].number + uint32(b2i(m.id != l.members[i-1].id))
		}
		n := &l.nodes[m.node]
		n.members = append(n.members, uint32(i))
	}
	return nil
}

// addMembers adds the documents of a node.
func (l *level) addMembers(place uint32, ids []string) {
	n := &l.nodes[place]
	n.documents = uint32(len(ids))
	for _, id := range ids {
		if len(l.members) == cap(l.members) {
			l.members = slices.Grow(l.members, len(l.members))
		}
		l.members = append(l.members, levelMember{member: member{id, n.side}, node: place})
	}
}

// levelPair is a row to be, of the members at two places.
type levelPair struct {
	order uint64 // by id of b, then by the sides of a and b
	a, b  uint32
	score measure.Score
}

// rows yields the level's pairs by (a, b). Documents of several collections may
// have one id; their rows are put in order together.
func (l *level) rows(yield func(PairMatch, error) bool) bool {
	var rows []levelPair
	for i, a := range l.members {
		if i == 0 || a.number != l.members[i-1].number {
			rows = rows[:0]
		}
		rows = l.pairsOf(uint32(i), rows)
		if i+1 < len(l.members) && l.members[i+1].number == a.number {
			continue // another collection has the id too
		}
		slices.SortFunc(rows, func(x, y levelPair) int { return cmp.Compare(x.order, y.order) })
		for _, r := range rows {
			if !yield(l.e.row(l.members[r.a].member, l.members[r.b].member, r.score), nil) {
				return false
			}
		}
	}
	return true
}

// pairsOf appends the pairs whose a is the member at a place.
func (l *level) pairsOf(place uint32, rows []levelPair) []levelPair {
	a := &l.members[place]
	against := l.e.against > 0
	if against && int(a.side) >= l.e.against {
		return rows
	}
	n := &l.nodes[a.node]
	pair := func(with *levelNode, score measure.Score) {
		bs := with.members
		if !against {
			from, _ := slices.BinarySearch(bs, place+1)
			bs = bs[from:]
		}
		for _, b := range bs {
			m := &l.members[b]
			order := uint64(m.number)<<32 | uint64(a.side)<<16 | uint64(m.side)
			rows = append(rows, levelPair{order, place, b, score})
		}
	}
	if n.same.Of > 0 {
		pair(n, n.same)
	}
	for _, k := range n.edges {
		x, isTo := &l.edges[k/2], k%2 == 1
		switch {
		case !isTo:
			pair(&l.nodes[l.number(x.to())], x.score())
		case against || !x.directed: // else a would be the document, but rows name the query first
			pair(&l.nodes[l.number(x.from())], x.score())
		}
	}
	return rows
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
