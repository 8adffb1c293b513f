package pairs

// Edges between documents: their numbering, and the rows of one level of sim.

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// documentEdges holds edges between documents, by their numbers.
type documentEdges struct {
	rowMaker
	numbers []documentNumbers // by side
}

// nearestShare bounds the memory of the rows of one sim, in memory settings. A row takes four edges
// of memory: its own, its documents and its place in the order.
const nearestShare = 4

// rows yields the edges as rows, one level of sim at a time.
func (n *documentEdges) rows(ctx context.Context) iter.Seq2[api.PairMatch, error] {
	most := max(int(n.m.MemoryBytes/(4*edgeBytes))*nearestShare, 1<<18)
	return disk.Rows(func(yield func(api.PairMatch) error) error {
		return n.list.levels(most+1, func(level []edge) error {
			if len(level) > most {
				return fmt.Errorf("%w: more than %d of the nearest pairs have one sim, and their list would take four times the memory setting: raise it, raise the threshold, or return fewer for each document",
					api.ErrTooLarge, most)
			}
			return n.levelRows(ctx, level, yield)
		})
	})
}

// documentNumbers numbers the documents of a view. The first document of a set has the set's
// number, others have numbers above all sets. Most sets have one document, so the tables
// stay small.
type documentNumbers struct {
	sets   []uint32 // with several documents, ascending
	others []uint32 // by place in sets, the number of the second document
	next   uint64
}

// fill numbers the documents of a view; api.ErrInvalid if there are more than 2³²−1.
func (d *documentNumbers) fill(ctx context.Context, q *question, v *view.View) error {
	d.next = uint64(v.Table.Len())
	return q.m.EachShared(ctx, v, 0, func(set, documents uint32) error {
		d.sets, d.others = append(d.sets, set), append(d.others, uint32(d.next))
		if d.next += uint64(documents - 1); d.next > math.MaxUint32 {
			return fault.Invalid("collection %q has too many documents to number them", v.Name)
		}
		return nil
	})
}

// number returns the number of the document at a place in its set.
func (n *documentEdges) number(side int, set uint32, place int) node {
	number := set
	if place > 0 {
		d := &n.numbers[side]
		i, _ := slices.BinarySearch(d.sets, set)
		number = d.others[i] + uint32(place-1)
	}
	return node{number, uint16(side)}
}

// document returns the set of a document, and its place in the set.
func (n *documentEdges) document(number node) (set uint32, place int) {
	d := &n.numbers[number.side]
	if number.set < n.views[number.side].Table.Len() {
		return number.set, 0
	}
	i := sort.Search(len(d.others), func(i int) bool { return d.others[i] > number.set }) - 1
	return d.sets[i], int(number.set-d.others[i]) + 1
}

// levelDocument is a document in the edges of a level.
type levelDocument struct {
	node node
	member
	place   uint32 // of the id among all ids
	rank    uint32 // by id, then by side
	written bool   // newer than the mark; true without a mark
}

// levelRows yields the rows of edges of one sim, by their ids.
func (n *documentEdges) levelRows(ctx context.Context, list []edge, yield func(api.PairMatch) error) error {
	documents, err := n.named(ctx, list)
	if err != nil {
		return err
	}
	byID := make([]*levelDocument, len(documents))
	for i := range documents {
		byID[i] = &documents[i]
	}
	if err := index.SortFuncUntil(n.list.stop, byID, func(a, b *levelDocument) int { return compareMembers(a.member, b.member) }); err != nil {
		return err
	}
	for i, d := range byID {
		d.rank, d.place = uint32(i), uint32(i)
		if i > 0 && d.id == byID[i-1].id {
			d.place = byID[i-1].place
		}
	}
	type row struct {
		a, b uint32 // ranks
		edge int
	}
	rows := make([]row, 0, len(list))
	for i, x := range list {
		a, b := documentAt(documents, x.from()), documentAt(documents, x.to())
		if !a.written && !b.written {
			continue
		}
		if !x.directed && a.rank > b.rank {
			a, b = b, a
		}
		rows = append(rows, row{a.rank, b.rank, i})
	}
	if err := index.SortFuncUntil(n.list.stop, rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(byID[x.a].place, byID[y.a].place), cmp.Compare(byID[x.b].place, byID[y.b].place),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	}); err != nil {
		return err
	}
	for _, r := range rows {
		m, err := n.row(byID[r.a].member, byID[r.b].member, list[r.edge].score(n.formula.Unit()))
		if err == nil {
			err = yield(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named lists the documents of edges, with ids, by number.
func (n *documentEdges) named(ctx context.Context, list []edge) ([]levelDocument, error) {
	nodes := make([]node, 0, 2*len(list))
	for _, x := range list {
		nodes = append(nodes, x.from(), x.to())
	}
	if err := index.SortFuncUntil(n.list.stop, nodes, compareNodes); err != nil {
		return nil, err
	}
	nodes = slices.Compact(nodes)
	documents := make([]levelDocument, len(nodes))
	for i, x := range nodes {
		documents[i].node = x
	}
	for side, v := range n.views {
		var sets []uint32
		for _, d := range documents {
			if int(d.node.side) == side {
				set, _ := n.document(d.node)
				sets = append(sets, set)
			}
		}
		slices.Sort(sets)
		names := make(map[uint32][]string, len(sets))
		sets = slices.Compact(sets)
		err := view.EachSet(ctx, n.m, v, sets, func(r *view.Reader, set uint32) ([]string, error) {
			return r.IDs(set, nil)
		}, func(set uint32, ids []string) error {
			names[set] = ids
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i := range documents {
			d := &documents[i]
			if int(d.node.side) == side {
				set, place := n.document(d.node)
				d.member = member{names[set][place], d.node.side}
				d.written = n.since == nil || n.since[side].Document(set, d.id)
			}
		}
	}
	return documents, nil
}

// documentAt finds a document by its number.
func documentAt(documents []levelDocument, number node) *levelDocument {
	i, _ := slices.BinarySearchFunc(documents, number, func(d levelDocument, x node) int { return compareNodes(d.node, x) })
	return &documents[i]
}

// compareNodes orders nodes by side, then number.
func compareNodes(a, b node) int {
	return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.set, b.set))
}
