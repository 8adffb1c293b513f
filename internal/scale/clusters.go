package scale

// Stage clusters: union-find over all sets along the edges; each group becomes rows, one per
// document. It takes 4 bytes per set and per group. Documents are sorted in a file in the
// directory of the result.

import (
	"context"
	"fmt"
	"math"

	"github.com/simdb/simdb/index/join"
)

const countClusters = "clusters"

// grouping is a union-find over the sets of all shards.
type grouping struct {
	join.UnionFind
	base []uint32 // number of the first set of each shard
}

// number maps a set to its element of the union-find.
func (t grouping) number(set uint64) uint32 { return t.base[set>>24] + uint32(set)&(maxSets-1) }

// clusters is the only task of its stage, because a group may span all shards.
func (j *Job) clusters(ctx context.Context, _ int, o *output, r *Record) error {
	t, err := j.singletons(ctx)
	if err != nil {
		return err
	}
	err = j.each(ctx, Join, func(_ int, v *result) error {
		sections, err := v.words(v.n - 2)
		for _, s := range sections {
			edges, err := v.words(int(s))
			if err != nil {
				return err
			}
			for i := 0; i+1 < len(edges); i += 2 {
				t.Union(t.number(edges[i]), t.number(edges[i+1]))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	byRoot, err := newOutput(j.path(Clusters, 0, ""))
	if err != nil {
		return err
	}
	defer byRoot.abandon()
	members := sorter{o: byRoot, compare: compareRoots}
	err = j.documents(ctx, t, func(root uint32, id string) error { return members.add(row{b: id, shared: root}) })
	if err != nil {
		return err
	}
	sorted, err := members.end(j.sum)
	if err != nil {
		return err
	}
	return j.writeGroups(ctx, sorted, o, r)
}

// writeGroups writes the groups of members sorted by root. It reads them twice: first for the
// sizes, then the first member of a group, which has the least id, names it.
func (j *Job) writeGroups(ctx context.Context, sorted *result, o *output, r *Record) error {
	var sizes []uint32
	each := func(do func(first bool, m row) error) error {
		root := int64(-1)
		return merge(ctx, []*result{sorted}, compareRoots, func(m row) error {
			first := int64(m.shared) != root
			root = int64(m.shared)
			return do(first, m)
		})
	}
	err := each(func(first bool, _ row) error {
		if first {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
		return nil
	})
	if err != nil {
		return err
	}
	rows, group, least := sorter{o: o, compare: compareMembers}, -1, ""
	err = each(func(first bool, m row) error {
		if first {
			group, least = group+1, m.b
			if sizes[group] > 1 {
				r.Counts[countClusters]++
			}
		}
		if sizes[group] == 1 {
			return nil
		}
		return rows.add(row{a: least, b: m.b, shared: sizes[group]})
	})
	if err == nil {
		err = rows.flush()
	}
	r.Counts[countDocuments] = rows.n
	if err != nil {
		return err
	}
	return o.sectionWords(rows.blocks)
}

// singletons returns a union-find with every set in its own group.
func (j *Job) singletons(ctx context.Context) (t grouping, err error) {
	total := int64(0)
	for shard := range j.plan.Inputs {
		r, err := j.record(Analyse, shard)
		if err != nil {
			return t, err
		}
		t.base = append(t.base, uint32(total))
		if total += r.Counts[countSets]; total > math.MaxUint32 {
			return t, fmt.Errorf("more than %d sets: too many for clusters", uint32(math.MaxUint32))
		}
	}
	t.UnionFind = join.NewUnionFind(uint32(total))
	return t, ctx.Err()
}

// documents calls do with every document in a group of several, and the root of the group. It
// looks up a set that is alone in its group only if several documents share it.
func (j *Job) documents(ctx context.Context, groups grouping, do func(root uint32, id string) error) error {
	tied := make([]uint64, (len(groups.UnionFind)+63)/64)
	for n := range groups.UnionFind {
		if root := groups.Find(uint32(n)); root != uint32(n) {
			tied[n/64] |= 1 << (n % 64)
			tied[root/64] |= 1 << (root % 64)
		}
	}
	return j.each(ctx, Analyse, func(shard int, r *result) error {
		gone := map[uint64]struct{}{}
		if err := j.with(Deal, shard, func(d *result) error { return addGone(gone, shard, d) }); err != nil {
			return err
		}
		names, err := framesOf(r, namesSection)
		if err != nil {
			return err
		}
		several, err := r.words(severalSection)
		if err != nil {
			return err
		}
		var wanted []uint32
		for set := range names.n {
			for len(several) > 0 && uint32(several[0]) < set {
				several = several[1:]
			}
			n := groups.base[shard] + set
			if tied[n/64]>>(n%64)&1 == 1 || len(several) > 0 && uint32(several[0]) == set {
				wanted = append(wanted, set)
			}
		}
		return names.each(ctx, wanted, func(i int, frame []byte) error {
			docs, err := names.namesIn(frame)
			if err != nil {
				return err
			}
			root := groups.Find(groups.base[shard] + wanted[i])
			for _, d := range docs {
				if _, replaced := gone[uint64(shard)<<32|uint64(d.number)]; replaced {
					continue
				}
				if err := do(root, d.id); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
