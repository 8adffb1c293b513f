package engine

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"
)

// Clusters finds the connected components of two or more documents: largest
// first, then by smallest id; members by id. It needs the edges of a spanning
// forest only, so a clump of equal documents costs no pairs. Where the measure
// is not symmetric, similarity in either direction connects.
func (s *Snapshot) Clusters(ctx context.Context, q Search) (*Result[ClusterMember], error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	start := time.Now()
	if len(q.Against) > 0 {
		return nil, invalid("CLUSTERS takes no AGAINST: name all collections with IN")
	}
	e, err := s.newEdges(q)
	if err != nil {
		return nil, err
	}
	if err := e.find(ctx, true); err != nil {
		return nil, err
	}
	groups, err := e.groups(ctx)
	if err != nil {
		return nil, err
	}
	e.plan.took(start)
	return &Result[ClusterMember]{Plan: e.plan, All: guard(s, ctx, limited(e.clusterRows(groups), q.Limit))}, nil
}

// group is a component in terms of sets.
type group struct {
	nodes    []node
	size     int
	smallest string
}

// groups connects the edges, and the documents that share a set.
func (e *edges) groups(ctx context.Context) ([]group, error) {
	base := make([]uint32, len(e.views)+1)
	for i, v := range e.views {
		base[i+1] = base[i] + v.next
	}
	number := func(n node) uint32 { return base[n.side] + n.set }
	f := newForest(base[len(e.views)])
	nodes := map[node]bool{}
	r, err := e.list.reader()
	if err != nil {
		return nil, err
	}
	defer r.close()
	for list := []edge(nil); ; {
		if list, err = r.level(list[:0]); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			break
		}
		for _, x := range list {
			f.union(number(x.from()), number(x.to()))
			nodes[x.from()], nodes[x.to()] = true, true
		}
	}
	for side := range e.views {
		err := e.shared(ctx, side, func(s sharedSet) { nodes[node{s.set, uint16(side)}] = true })
		if err != nil {
			return nil, err
		}
	}
	byRoot := map[uint32]*group{}
	readers := make([]*bagReader, len(e.views))
	for i, v := range e.views {
		readers[i] = e.s.bags(v)
		defer readers[i].close()
	}
	for n := range nodes {
		if err := e.s.interrupted(ctx); err != nil {
			return nil, err
		}
		ids, err := e.idsOf(readers, n)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		root := f.find(number(n))
		g := byRoot[root]
		if g == nil {
			g = &group{smallest: ids[0]}
			byRoot[root] = g
		}
		g.nodes = append(g.nodes, n)
		g.size += len(ids)
		g.smallest = min(g.smallest, ids[0])
	}
	var out []group
	for _, g := range byRoot {
		if g.size > 1 {
			out = append(out, *g)
		}
	}
	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.smallest, b.smallest))
	})
	return out, nil
}

// idsOf are the ids of the documents of a set; readers are of the views.
func (e *edges) idsOf(readers []*bagReader, n node) ([]string, error) {
	if ids, ok := e.ids[n.side].get(n.set); ok {
		return ids, nil
	}
	return readers[n.side].ids(n.set, nil)
}

// clusterRows lists the members of the groups, one group in memory at a time.
func (e *edges) clusterRows(groups []group) iter.Seq2[ClusterMember, error] {
	return func(yield func(ClusterMember, error) bool) {
		readers := make([]*bagReader, len(e.views))
		for i, v := range e.views {
			readers[i] = e.s.bags(v)
			defer readers[i].close()
		}
		for _, g := range groups {
			var members []member
			for _, n := range g.nodes {
				ids, err := e.idsOf(readers, n)
				if err != nil {
					yield(ClusterMember{}, err)
					return
				}
				for _, id := range ids {
					members = append(members, member{id, n.side})
				}
			}
			slices.SortFunc(members, compareMembers)
			for _, m := range members {
				e.plan.Matches++
				if !yield(ClusterMember{Cluster: g.smallest, Collection: e.views[m.side].name, ID: m.id, Size: g.size}, nil) {
					return
				}
			}
		}
	}
}
