package pairs

// Rows of one level of sim, in the order of ids.

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

// level holds the pairs of one sim, or a part of them.
type level struct {
	rowMaker
	begin, end string // its rows have first ids in [begin, end); "" is unbounded
	edges      []edge
	taken      []edge // buffer
	nodes      []levelNode
	numbers    [][]uint32    // by side and set: place in nodes + 1; 0: none
	members    []levelMember // by id
	ends       []uint32      // buffer
}

// levelNode is a set in a level.
type levelNode struct {
	node
	documents uint32        // number of members; 0 if unknown
	members   []uint32      // places in members, ascending
	written   []uint32      // those newer than the mark, if there is a mark
	edges     []uint32      // 2·place of each of its edges, plus 1 if the node is the to of the edge
	same      measure.Score // of its documents with each other; Of = 0: none
}

// levelMember is a document in a level.
type levelMember struct {
	member
	number  uint32 // place of its id in the order of ids
	node    uint32
	written bool // newer than the mark
}

// levelParts is a division of a level by the first ids of rows.
type levelParts struct {
	begins []string            // part i has first ids in [begins[i], begins[i+1]); "" is unbounded
	edges  []uint64            // by edge: bits of the parts that may have its rows
	shared [][]*roaring.Bitmap // by part and side: sets whose own documents may have rows with each other
}

// count returns the number of parts.
func (p *levelParts) count() int { return len(p.begins) - 1 }

// newLevel returns an empty level, to be filled repeatedly.
func newLevel(f *found) *level {
	l := &level{rowMaker: rowMaker{found: f}, numbers: make([][]uint32, len(f.views))}
	for i, v := range f.views {
		l.numbers[i] = make([]uint32, v.Table.Len())
	}
	return l
}

// number returns the place of a set in nodes, and adds it if missing.
func (l *level) number(n node) uint32 {
	at := &l.numbers[n.side][n.set]
	if *at == 0 {
		if len(l.nodes) == cap(l.nodes) { // append alone would leave garbage of five times the size
			l.nodes = slices.Grow(l.nodes, max(len(l.nodes), 64))
		}
		l.nodes = append(l.nodes, levelNode{node: n})
		*at = uint32(len(l.nodes))
	}
	return *at - 1
}

// bothWays reports whether a row may name the greater id first.
func (l *level) bothWays() bool { return l.against > 0 || l.Directed }

// fill replaces the contents with the edges of a part. At the top level it adds the shared
// sets.
func (l *level) fill(ctx context.Context, edges []edge, top bool, p *levelParts, part int) error {
	// Reset only the entries in use: the tables have an entry for each set of the view.
	for _, n := range l.nodes {
		l.numbers[n.side][n.set] = 0
	}
	l.edges, l.nodes, l.members = edges, l.nodes[:0], l.members[:0]
	l.begin, l.end = p.begins[part], p.begins[part+1]
	if p.count() > 1 {
		l.edges = l.take(edges, p.edges, part)
	}
	for side := range l.views {
		if !top {
			break
		}
		var in *roaring.Bitmap
		if p.count() > 1 {
			in = p.shared[part][side]
		}
		err := l.shared(ctx, side, in, func(s sharedSet) error {
			n := l.number(node{s.set, uint16(side)})
			l.nodes[n].same, l.nodes[n].documents = s.score, s.documents
			return nil
		})
		if err != nil {
			return err
		}
	}
	l.findEdges()
	return l.findMembers(ctx)
}

// take returns the edges of a part.
func (l *level) take(edges []edge, parts []uint64, part int) []edge {
	n := 0
	for _, bits := range parts {
		n += int(bits >> part & 1)
	}
	l.taken = slices.Grow(l.taken[:0], n)
	for i, x := range edges {
		if parts[i]>>part&1 > 0 {
			l.taken = append(l.taken, x)
		}
	}
	return l.taken
}

// findEdges assigns edges to their nodes.
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
		if from == to {
			from.same = x.score(l.formula.Unit())
			continue
		}
		from.edges = append(from.edges, uint32(2*i))
		to.edges = append(to.edges, uint32(2*i+1))
	}
}

// findMembers reads the documents of the nodes and sorts them.
func (l *level) findMembers(ctx context.Context) error {
	l.members = slices.Grow(l.members, len(l.nodes)+len(l.nodes)/8)
	missing := make([][]uint32, len(l.views)) // sets with unread ids
	for i, n := range l.nodes {
		if err := l.m.Interrupted(ctx); err != nil {
			return err
		}
		if ids, ok := l.ids[n.side].get(n.set); ok {
			l.addMembers(uint32(i), ids)
		} else {
			missing[n.side] = append(missing[n.side], n.set)
		}
	}
	err := l.readIDs(ctx, missing, func(side int, set uint32) uint32 { return l.nodes[l.numbers[side][set]-1].documents }, func(side int, set uint32, ids []string) {
		l.addMembers(l.numbers[side][set]-1, ids)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(l.members, func(a, b levelMember) int { return compareMembers(a.member, b.member) })
	places := make([]uint32, len(l.members))
	for i := range l.nodes {
		n := &l.nodes[i]
		n.members, places = places[:0:n.documents], places[n.documents:]
	}
	since := l.since
	for i := range l.members {
		m := &l.members[i]
		if i > 0 {
			m.number = l.members[i-1].number
			if m.id != l.members[i-1].id {
				m.number++
			}
		}
		n := &l.nodes[m.node]
		n.members = append(n.members, uint32(i))
		if since != nil && since[m.side].Document(n.set, m.id) {
			m.written = true
			n.written = append(n.written, uint32(i))
		}
	}
	return nil
}

// addMembers adds the documents of a node that rows may name.
func (l *level) addMembers(place uint32, ids []string) {
	n := &l.nodes[place]
	n.documents = 0
	for _, id := range ids {
		if id < l.begin && !l.bothWays() {
			continue
		}
		n.documents++
		if len(l.members) == cap(l.members) {
			l.members = slices.Grow(l.members, len(l.members))
		}
		l.members = append(l.members, levelMember{member: member{id, n.side}, node: place})
	}
}

// levelPair is a row to be made from the members at two places.
type levelPair struct {
	order uint64 // by id of b, then by the sides of a and b
	a, b  uint32
	score measure.Score
}

// rows yields the level's pairs by (a, b). Documents of several collections may share an id;
// their rows are sorted together.
func (l *level) rows(yield func(api.PairMatch) error) error {
	var rows []levelPair
	for i, a := range l.members {
		if a.id < l.begin {
			continue
		}
		if l.end != "" && a.id >= l.end {
			break
		}
		if i == 0 || a.number != l.members[i-1].number {
			rows = rows[:0]
		}
		rows = l.pairsOf(uint32(i), rows)
		if i+1 < len(l.members) && l.members[i+1].number == a.number {
			continue // another collection has this id too
		}
		slices.SortFunc(rows, func(x, y levelPair) int { return cmp.Compare(x.order, y.order) })
		for _, r := range rows {
			row, err := l.row(l.members[r.a].member, l.members[r.b].member, r.score)
			if err == nil {
				err = yield(row)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pairsOf appends the pairs with the member at a place as a.
func (l *level) pairsOf(place uint32, rows []levelPair) []levelPair {
	a := &l.members[place]
	if l.isAgainst(a.side) {
		return rows
	}
	n := &l.nodes[a.node]
	pair := func(with *levelNode, score measure.Score) {
		bs := with.members
		if l.since != nil && !a.written {
			bs = with.written
		}
		if !l.bothWays() {
			from, _ := slices.BinarySearch(bs, place+1)
			bs = bs[from:]
		}
		for _, b := range bs {
			if b == place {
				continue
			}
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
			pair(&l.nodes[l.number(x.to())], x.score(l.formula.Unit()))
		case l.against > 0 || !x.directed: // a row names the query first: the from of a directed edge
			pair(&l.nodes[l.number(x.from())], x.score(l.formula.Unit()))
		}
	}
	return rows
}
