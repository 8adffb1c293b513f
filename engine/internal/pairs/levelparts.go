package pairs

// The parts of a level that has no room in memory. Each has the rows whose first ids lie in its
// range. A set that has many documents is whole in every part that it has rows in.

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/view"
)

// Bytes that a level holds, about.
const (
	levelNodeBytes   = 200 // a node, with the places of its edges and room that is not used
	levelMemberBytes = 96  // a member, with its id and place, the same
	levelEdgeBytes   = 64  // an edge that a part takes out of its level
)

const mostLevelParts = 64 // a bit for each

// levelParts is how a level is divided. One that has room is a single part.
type levelParts struct {
	begins []string // the least ids of the parts behind the first, ascending
	edges  []uint64 // by edge: bits of the parts that may have rows of it
}

// several says that there is more than one part.
func (p *levelParts) several() bool { return len(p.begins) > 0 }

// of returns the part of an id.
func (p *levelParts) of(id string) int {
	at, found := slices.BinarySearch(p.begins, id)
	if found {
		at++
	}
	return at
}

// bounds returns the range of a part.
func (p *levelParts) bounds(part int) (begin, end string) {
	if part > 0 {
		begin = p.begins[part-1]
	}
	if part < len(p.begins) {
		end = p.begins[part]
	}
	return begin, end
}

// divide chooses the parts of the level of some edges.
func (l *level) divide(ctx context.Context, edges []edge, top bool) (*levelParts, error) {
	p, room := &levelParts{}, max(l.m.MemoryBytes/4, 1)
	most := int64(len(edges)) * 2 * (levelNodeBytes + levelMemberBytes)
	for _, v := range l.views {
		if top {
			most += (v.Documents - v.Sets) * (levelNodeBytes + 2*levelMemberBytes) // shared sets are no more, their documents no more than twice that
		}
	}
	if most <= room {
		return p, nil
	}
	sets, err := l.setsOf(ctx, edges, top)
	if err != nil {
		return nil, err
	}
	nodes := int64(0)
	for _, of := range sets {
		nodes += int64(of.GetCardinality())
	}
	stride := nodes/(mostLevelParts*mostLevelParts) + 1
	documents, some := int64(0), []string(nil)
	for side, of := range sets {
		if err := l.learn(ctx, side, of); err != nil {
			return nil, err
		}
		for it := of.Iterator(); it.HasNext(); {
			ids, _ := l.ids[side].get(it.Next())
			for _, id := range ids {
				if documents++; documents%stride == 0 {
					some = append(some, id)
				}
			}
		}
	}
	slices.Sort(some)
	bytes := nodes*levelNodeBytes + documents*levelMemberBytes + int64(len(edges))*levelEdgeBytes
	parts := min(int(bytes/room)+1, mostLevelParts, len(some))
	for i := 1; i < parts; i++ {
		p.begins = append(p.begins, some[i*len(some)/parts])
	}
	if p.begins = slices.Compact(p.begins); p.several() {
		p.edges = make([]uint64, len(edges))
		for i, x := range edges {
			if err := l.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			p.edges[i] = l.partsOf(p, x.from(), x.to())
		}
	}
	return p, nil
}

// setsOf returns the sets of a level, by side.
func (l *level) setsOf(ctx context.Context, edges []edge, top bool) ([]*roaring.Bitmap, error) {
	sets := make([]*roaring.Bitmap, len(l.views))
	for side := range sets {
		sets[side] = roaring.New()
		if !top {
			continue
		}
		if err := l.shared(ctx, side, func(s sharedSet) { sets[side].Add(s.set) }); err != nil {
			return nil, err
		}
	}
	for _, x := range edges {
		sets[x.fromSide].Add(x.fromSet)
		sets[x.toSide].Add(x.toSet)
	}
	return sets, nil
}

// learn keeps the ids of sets that are not known yet. A level with parts asks for them again and again.
func (l *level) learn(ctx context.Context, side int, sets *roaring.Bitmap) error {
	known, v := &l.ids[side], l.views[side]
	var missing []uint32
	for it := sets.Iterator(); it.HasNext(); {
		if set := it.Next(); !known.has(set) {
			missing = append(missing, set)
		}
	}
	return view.EachSet(ctx, l.m, v, missing, func(r *view.Reader, set uint32) ([]string, error) {
		return r.IDs(set, nil)
	}, func(set uint32, ids []string) error {
		known.add(set, v.Table.Len(), ids)
		return nil
	})
}

// partsOf returns the bits of the parts that may have rows of documents of some sets with each other.
func (l *level) partsOf(p *levelParts, nodes ...node) (bits uint64) {
	last := ""
	for _, n := range nodes {
		ids, ok := l.ids[n.side].get(n.set)
		if !ok {
			return math.MaxUint64
		}
		for _, id := range ids {
			if !l.bothWays() { // the greatest of them is the first of no row
				id, last = min(id, last), max(id, last)
			}
			if id != "" {
				bits |= 1 << p.of(id)
			}
		}
	}
	return bits
}
