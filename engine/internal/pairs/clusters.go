package pairs

// CLUSTERS: the groups of documents that similar pairs connect.

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Clusters finds the connected components of two or more documents: largest
// first, then by smallest id; members by id.
func Clusters(ctx context.Context, m *view.Moment, q search.Search) (*search.Result[api.ClusterMember], error) {
	start := time.Now()
	e, since, err := newClusterEdges(ctx, m, q)
	if err != nil {
		return nil, err
	}
	if err := e.keep(ctx); err != nil {
		return nil, err
	}
	if err := e.find(ctx, true); err != nil {
		return nil, err
	}
	groups, err := e.groups(ctx, since)
	if err != nil {
		return nil, err
	}
	e.plan.Took(start)
	return &search.Result[api.ClusterMember]{Plan: e.plan, All: search.Limited(e.clusterRows(groups), q.Limit)}, nil
}

// newClusterEdges is newEdges for groups, which need all edges, whatever the limit and
// the mark. Of the groups those count that have a document written since the mark.
func newClusterEdges(ctx context.Context, m *view.Moment, q search.Search) (e *edges, since []*view.Since, err error) {
	if len(q.Against) > 0 {
		return nil, nil, fault.Invalid("CLUSTERS takes no AGAINST: name all collections with IN")
	}
	if q.Nearest != 0 {
		return nil, nil, fault.Invalid("CLUSTERS takes no NEAREST: groups are made of all pairs from one similarity on")
	}
	if err := q.Check(); err != nil { // with its limit
		return nil, nil, err
	}
	q.Limit = 0
	if e, err = newEdges(ctx, m, q); err != nil {
		return nil, nil, err
	}
	since, e.since = e.since, nil
	return e, since, nil
}

// ExplainClusters says how Clusters would go, without joining.
func ExplainClusters(ctx context.Context, m *view.Moment, q search.Search) (*api.Plan, error) {
	e, _, err := newClusterEdges(ctx, m, q)
	if err != nil {
		return nil, err
	}
	if err := e.keep(ctx); err != nil {
		return nil, err
	}
	return e.explain(ctx)
}

// group is a component in terms of sets.
type group struct {
	nodes    []node
	size     int
	smallest member
	written  bool // it has a document written since the mark
}

// groups connects the edges, and the documents that share a set.
func (e *edges) groups(ctx context.Context, since []*view.Since) ([]group, error) {
	base := make([]uint32, len(e.views)+1)
	for i, v := range e.views {
		base[i+1] = base[i] + v.Table.Len()
	}
	number := func(n node) uint32 { return base[n.side] + n.set }
	f := newForest(base[len(e.views)])
	nodes := map[node]bool{}
	err := e.list.each(func(list []edge) error {
		for _, x := range list {
			f.union(number(x.from()), number(x.to()))
			nodes[x.from()], nodes[x.to()] = true, true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for side := range e.views {
		err := e.shared(ctx, side, func(s sharedSet) { nodes[node{s.set, uint16(side)}] = true })
		if err != nil {
			return nil, err
		}
	}
	byRoot := map[uint32]*group{}
	readers := make([]*view.Reader, len(e.views))
	for i, v := range e.views {
		readers[i] = e.m.Reader(v)
		defer readers[i].Close()
	}
	for n := range nodes {
		if err := e.m.Interrupted(ctx); err != nil {
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
			g = &group{smallest: member{ids[0], n.side}}
			byRoot[root] = g
		}
		g.nodes = append(g.nodes, n)
		g.size += len(ids)
		g.written = g.written || since == nil || slices.ContainsFunc(ids, func(id string) bool { return since[n.side].Document(n.set, id) })
		if m := (member{ids[0], n.side}); compareMembers(m, g.smallest) < 0 {
			g.smallest = m
		}
	}
	var out []group
	for _, g := range byRoot {
		if g.size > 1 && g.written {
			out = append(out, *g)
		}
	}
	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.size, a.size), compareMembers(a.smallest, b.smallest))
	})
	return out, nil
}

// idsOf are the ids of the documents of a set that are put into groups; readers are of
// the views.
func (e *edges) idsOf(readers []*view.Reader, n node) (ids []string, err error) {
	ids, ok := e.ids[n.side].get(n.set)
	if !ok {
		if ids, err = readers[n.side].IDs(n.set, nil); err != nil {
			return nil, err
		}
	}
	if e.q.Keep == nil {
		return ids, nil
	}
	kept := ids[:0]
	for _, id := range ids {
		info, err := e.m.Info(e.views[n.side].Name, id)
		if err != nil {
			return nil, err
		}
		ok, err := e.q.Keep(e.views[n.side].Name, info)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, id)
		}
	}
	return kept, nil
}

// clusterRows lists the members of the groups, one group in memory at a time.
func (e *edges) clusterRows(groups []group) iter.Seq2[api.ClusterMember, error] {
	return func(yield func(api.ClusterMember, error) bool) {
		readers := make([]*view.Reader, len(e.views))
		for i, v := range e.views {
			readers[i] = e.m.Reader(v)
			defer readers[i].Close()
		}
		for _, g := range groups {
			var members []member
			for _, n := range g.nodes {
				ids, err := e.idsOf(readers, n)
				if err != nil {
					yield(api.ClusterMember{}, err)
					return
				}
				for _, id := range ids {
					members = append(members, member{id, n.side})
				}
			}
			slices.SortFunc(members, compareMembers)
			for _, m := range members {
				e.plan.Matches++
				row := api.ClusterMember{Cluster: g.smallest.id, Collection: e.views[m.side].Name, ID: m.id, Size: g.size}
				var meta *api.Meta
				var err error
				if e.q.Meta {
					meta, err = e.m.Meta(row.Collection, row.ID)
					row.SetMeta(meta)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}
