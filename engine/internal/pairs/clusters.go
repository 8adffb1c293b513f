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
	"github.com/simdb/simdb/index/join"
)

// Clusters finds the connected components of two or more documents: largest
// first, then by smallest id; members by id.
func Clusters(ctx context.Context, m *view.Snapshot, q search.Search) (*search.Result[api.ClusterMember], error) {
	start := time.Now()
	e, since, err := newClusters(ctx, m, q)
	if err != nil {
		return nil, err
	}
	f, err := findEdges(ctx, e)
	if err != nil {
		return nil, err
	}
	groups, err := f.groups(ctx, since)
	if err != nil {
		return nil, err
	}
	f.plan.Took(start)
	return &search.Result[api.ClusterMember]{Plan: f.plan, All: search.Limited(f.clusterRows(groups), q.Limit)}, nil
}

// ExplainClusters says how Clusters would go, without joining.
func ExplainClusters(ctx context.Context, m *view.Snapshot, q search.Search) (*api.Plan, error) {
	e, _, err := newClusters(ctx, m, q)
	if err != nil {
		return nil, err
	}
	return explain(ctx, e)
}

// newClusters is a question about groups, which need the edges of all pairs, whatever the
// limit and the mark. Of the groups those count that have a document written since the mark.
func newClusters(ctx context.Context, m *view.Snapshot, ask search.Search) (q *question, since []*view.Since, err error) {
	if len(ask.Against) > 0 {
		return nil, nil, fault.Invalid("CLUSTERS takes no AGAINST: name all collections with IN")
	}
	if ask.Nearest != 0 || ask.OfEach() || ask.Directed {
		return nil, nil, fault.Invalid("CLUSTERS takes no NEAREST and no DIRECTED: groups are made of all pairs from one similarity on")
	}
	if err := ask.Check(); err != nil { // with its limit
		return nil, nil, err
	}
	ask.Limit = 0
	if q, err = newQuestion(ctx, m, ask); err != nil {
		return nil, nil, err
	}
	q.connect = true
	since, q.since = q.since, nil
	return q, since, q.keep(ctx)
}

// group is a component in terms of sets.
type group struct {
	nodes    []node
	size     int
	smallest member
	written  bool // it has a document written since the mark
}

// groups connects the edges, and the documents that share a set.
func (f *found) groups(ctx context.Context, since []*view.Since) ([]group, error) {
	base := make([]uint32, len(f.views)+1)
	for i, v := range f.views {
		base[i+1] = base[i] + v.Table.Len()
	}
	number := func(n node) uint32 { return base[n.side] + n.set }
	tied := join.NewUnionFind(base[len(f.views)])
	nodes := map[node]bool{}
	err := f.list.each(func(list []edge) error {
		for _, x := range list {
			tied.Union(number(x.from()), number(x.to()))
			nodes[x.from()], nodes[x.to()] = true, true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for side := range f.views {
		err := f.shared(ctx, side, func(s sharedSet) { nodes[node{s.set, uint16(side)}] = true })
		if err != nil {
			return nil, err
		}
	}
	byRoot := map[uint32]*group{}
	readers := f.readers()
	defer closeAll(readers)
	for n := range nodes {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		ids, err := f.idsOf(readers, n)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		root := tied.Find(number(n))
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

// clusterRows lists the members of the groups, one group in memory at a time.
func (f *found) clusterRows(groups []group) iter.Seq2[api.ClusterMember, error] {
	return func(yield func(api.ClusterMember, error) bool) {
		readers := f.readers()
		defer closeAll(readers)
		for _, g := range groups {
			var members []member
			for _, n := range g.nodes {
				ids, err := f.idsOf(readers, n)
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
				f.plan.Matches++
				row := api.ClusterMember{Cluster: g.smallest.id, Collection: f.views[m.side].Name, ID: m.id, Size: g.size}
				var meta *api.Meta
				var err error
				if f.Meta {
					meta, err = f.m.Meta(row.Collection, row.ID)
					row.SetMeta(meta)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}
