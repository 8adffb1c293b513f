package pairs

// Division of a level with more documents than the memory holds. Each part has the rows with
// first ids in a range and holds only their sets. The edges of the level stay in memory.

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Approximate memory of a level, in bytes.
const (
	levelNodeBytes   = 200 // a node, with the places of its edges and slack
	levelMemberBytes = 96  // a member, with its id and place and slack
	levelEdgeBytes   = 64  // an edge in the copy of a part
)

const (
	mostLevelParts = 64   // one bit each
	mostSampled    = 4096 // ids from which the ranges are chosen
)

// divide chooses the parts of a level. It returns a single part if the level fits in memory,
// or if some ids cannot be kept for the repeated reads.
func (l *level) divide(ctx context.Context, edges []edge, top bool) (*levelParts, error) {
	p, room := &levelParts{begins: []string{"", ""}}, max(l.m.MemoryBytes/4, 1)
	top = top && l.against == 0
	most := int64(len(edges)) * 2 * (levelNodeBytes + levelMemberBytes)
	for _, v := range l.views {
		shared := v.Documents - v.Sets // upper bound on the shared sets; they have at most twice as many documents
		most += shared * levelMemberBytes
		if top {
			most += shared * (levelNodeBytes + levelMemberBytes)
		}
	}
	if most <= room {
		return p, nil
	}
	nodes, err := l.nodesOf(ctx, edges, top)
	if err == nil {
		err = l.learn(ctx, nodes)
	}
	if err != nil {
		return nil, err
	}
	documents, sample, stride := int64(0), []string(nil), int64(1)
	for _, n := range nodes {
		ids, ok := l.ids[n.side].get(n.set)
		if err := l.m.Interrupted(ctx); err != nil || !ok {
			return p, err
		}
		for _, id := range ids {
			if documents++; documents%stride > 0 {
				continue
			}
			if len(sample) == mostSampled { // keep every second id
				for i := range mostSampled / 2 {
					sample[i] = sample[2*i+1]
				}
				sample, stride = sample[:mostSampled/2], 2*stride
			}
			sample = append(sample, id)
		}
	}
	slices.Sort(sample)
	bytes := int64(len(nodes))*levelNodeBytes + documents*levelMemberBytes + int64(len(edges))*levelEdgeBytes
	parts := min(int(2*bytes/room)+1, mostLevelParts, len(sample)) // the other half is for the second documents of rows
	var begins []string
	for i := 1; i < parts; i++ {
		begins = append(begins, sample[i*len(sample)/parts])
	}
	p.begins = slices.Insert(p.begins, 1, slices.Compact(begins)...)
	if p.count() == 1 {
		return p, nil
	}
	return p, l.assign(ctx, p, nodes, edges, top)
}

// nodesOf lists the sets of a level, each once.
func (l *level) nodesOf(ctx context.Context, edges []edge, top bool) (nodes []node, err error) {
	seen := make([]*roaring.Bitmap, len(l.views))
	add := func(n node) {
		if seen[n.side].CheckedAdd(n.set) {
			nodes = append(nodes, n)
		}
	}
	for side := range seen {
		seen[side] = roaring.New()
		if !top {
			continue
		}
		err := l.eachSharedSince(ctx, side, func(set, _ uint32) error {
			add(node{set, uint16(side)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, x := range edges {
		add(x.from())
		add(x.to())
	}
	return nodes, l.m.Interrupted(ctx)
}

// learn stores the ids that are not known yet, because each part of the level needs them.
func (l *level) learn(ctx context.Context, nodes []node) error {
	missing := make([][]uint32, len(l.views))
	for _, n := range nodes {
		if known := &l.ids[n.side]; !known.full && !known.has(n.set) {
			missing[n.side] = append(missing[n.side], n.set)
		}
	}
	several := make([]sharers, len(l.views))
	for side, sets := range missing {
		if len(sets) > 0 {
			var err error
			if several[side], err = l.sharersOf(ctx, side); err != nil {
				return err
			}
		}
	}
	return l.readIDs(ctx, missing, func(side int, set uint32) uint32 { return several[side].of(set) }, func(side int, set uint32, ids []string) {
		l.ids[side].add(set, l.views[side].Table.Len(), ids)
	})
}

// assign finds the parts in which edges and shared sets may have rows.
func (l *level) assign(ctx context.Context, p *levelParts, nodes []node, edges []edge, top bool) error {
	p.shared = make([][]*roaring.Bitmap, p.count())
	for part := range p.shared {
		p.shared[part] = make([]*roaring.Bitmap, len(l.views))
		for side := range l.views {
			p.shared[part][side] = roaring.New()
		}
	}
	defer func() {
		for _, n := range nodes {
			l.numbers[n.side][n.set] = 0
		}
	}()
	where := make([]nodeParts, len(nodes))
	for i, n := range nodes {
		if err := l.m.Interrupted(ctx); err != nil {
			return err
		}
		l.numbers[n.side][n.set], where[i] = uint32(i), l.partsOf(p, n)
		own := where[i].others
		if l.Directed {
			own = where[i].all()
		}
		for ; top && own > 0; own &= own - 1 {
			if part := bits.TrailingZeros64(own); part < p.count() {
				p.shared[part][n.side].Add(n.set)
			}
		}
	}
	p.edges = make([]uint64, len(edges))
	for i, x := range edges {
		from, to := where[l.numbers[x.fromSide][x.fromSet]], where[l.numbers[x.toSide][x.toSet]]
		if l.isAgainst(x.fromSide) {
			from = to // the pass was turned: from is the AGAINST side
		}
		switch {
		case l.against > 0 || x.directed: // rows begin with documents of from only
			p.edges[i] = from.all()
		case l.Directed:
			p.edges[i] = from.all() | to.all()
		default:
			p.edges[i] = from.others | to.others | 1<<min(from.last, to.last)
		}
	}
	return l.m.Interrupted(ctx)
}

// nodeParts holds the parts of the documents of a set.
type nodeParts struct {
	others uint64 // bits of the parts of all documents but the greatest
	last   int    // part of the greatest
}

// all returns the bits of all parts.
func (n nodeParts) all() uint64 { return n.others | 1<<n.last }

// partsOf returns the parts of a set's documents; all parts if its ids are unknown.
func (l *level) partsOf(p *levelParts, n node) (out nodeParts) {
	ids, ok := l.ids[n.side].get(n.set)
	if !ok {
		return nodeParts{others: math.MaxUint64}
	}
	for i, id := range ids {
		part, found := slices.BinarySearch(p.begins[1:p.count()], id)
		if found {
			part++
		}
		if i > 0 {
			out.others |= 1 << min(part, out.last)
		}
		out.last = max(part, out.last)
	}
	return out
}
