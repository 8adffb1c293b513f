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

// Clusters finds the connected components of two or more documents: largest first, then by
// smallest id; members by id. With Since it returns the groups with a document written after
// the mark. The plan names large groups whose members are not all similar.
func Clusters(ctx context.Context, m *view.Snapshot, q search.Search) (*search.Result[api.ClusterMember], error) {
	start := time.Now()
	e, since, err := newClusters(ctx, m, q)
	if err != nil {
		return nil, err
	}
	f, err := findEdges(ctx, e)
	if err != nil || q.PlanOnly {
		return planned[api.ClusterMember](f, err)
	}
	c, groups, err := f.clusters(ctx, since)
	if err != nil {
		return nil, err
	}
	if f.plan.Chains, err = c.chains(ctx, groups); err != nil {
		return nil, err
	}
	f.plan.Took(start)
	return &search.Result[api.ClusterMember]{Plan: f.plan, All: search.Limited(c.clusterRows(groups), q.Limit)}, nil
}

// newClusters prepares the question of a search for groups. Groups depend on the edges of all
// pairs, so it clears the limit and the mark of the question; the mark selects groups at the
// end.
func newClusters(ctx context.Context, m *view.Snapshot, ask search.Search) (q *question, since []*view.Since, err error) {
	if len(ask.Against) > 0 {
		return nil, nil, fault.Invalid("CLUSTERS takes no AGAINST: name all collections with IN")
	}
	if ask.Nearest != 0 || ask.OfEach() || ask.Directed {
		return nil, nil, fault.Invalid("CLUSTERS takes no NEAREST and no DIRECTED: groups consist of all pairs that reach one threshold")
	}
	if err := ask.Check(); err != nil { // before the limit is cleared
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

// group is a component that has rows.
type group struct {
	ranks []uint32
	size  int
}

// clusters connects sets by their edges and returns the groups, largest first. Documents that
// share a set are always in one group.
func (f *found) clusters(ctx context.Context, since []*view.Since) (*grouped, []group, error) {
	c, err := f.gather(ctx)
	if err != nil {
		return nil, nil, err
	}
	readers := f.readers()
	defer closeAll(readers)
	for i := range c.sets {
		s := &c.sets[i]
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, nil, err
		}
		ids, err := f.idsOf(readers, s.node)
		if err != nil {
			return nil, nil, err
		}
		if s.documents = uint32(len(ids)); len(ids) > 0 {
			// Ids ascend.
			s.place = ids[0]
		}
		s.written = since == nil || slices.ContainsFunc(ids, func(id string) bool { return since[s.side].Document(s.set, id) })
	}
	c.rank()
	err = f.list.pieces(func(list []edge) error {
		for _, x := range list {
			c.connected.Union(c.rankOf(x.from()), c.rankOf(x.to()))
		}
		return f.m.Interrupted(ctx)
	})
	var out []group
	for ranks := range c.groups {
		g, written := group{ranks: ranks}, false
		for _, rank := range ranks {
			g.size += int(c.sets[rank].documents)
			written = written || c.sets[rank].written
		}
		if g.size > 1 && written {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(b.size, a.size) })
	return c, out, err
}

// clusterRows lists the members of the groups.
func (c *grouped) clusterRows(groups []group) iter.Seq2[api.ClusterMember, error] {
	return func(yield func(api.ClusterMember, error) bool) {
		readers := c.readers()
		defer closeAll(readers)
		for _, g := range groups {
			cluster := ""
			for m, err := range c.members(g.ranks, func(n node) ([]string, error) { return c.idsOf(readers, n) }) {
				if err != nil {
					yield(api.ClusterMember{}, err)
					return
				}
				if cluster == "" {
					cluster = m.id
				}
				c.plan.Matches++
				row := api.ClusterMember{Cluster: cluster, Collection: c.views[m.side].Name, ID: m.id, Size: g.size}
				if c.Meta {
					var meta *api.Meta
					meta, err = c.m.Meta(row.Collection, row.ID)
					row.SetMeta(meta)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// members yields the documents of a group, by id. The ranks have the first document of each
// set in this order, so members reads and holds only the ids of sets with several documents.
func (c *grouped) members(ranks []uint32, idsOf func(node) ([]string, error)) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		var later []member // documents of sets after the first
		for _, rank := range ranks {
			if s := &c.sets[rank]; s.documents > 1 {
				ids, err := idsOf(s.node)
				if err != nil {
					yield(member{}, err)
					return
				}
				for _, id := range ids[1:] {
					later = append(later, member{id, s.side})
				}
			}
		}
		slices.SortFunc(later, compareMembers)
		for _, rank := range ranks {
			s := &c.sets[rank]
			if s.documents == 0 {
				continue
			}
			first := member{s.place, s.side}
			for ; len(later) > 0 && compareMembers(later[0], first) < 0; later = later[1:] {
				if !yield(later[0], nil) {
					return
				}
			}
			if !yield(first, nil) {
				return
			}
		}
		for _, m := range later {
			if !yield(m, nil) {
				return
			}
		}
	}
}
