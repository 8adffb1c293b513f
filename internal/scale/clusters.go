package scale

// The stage clusters: sets that pairs tie together are joined, and each group becomes rows:
// one for each of its documents.

import (
	"context"
	"fmt"
	"math"

	"github.com/simdb/simdb/index/join"
)

const countClusters = "clusters"

// grouping is the sets of all shards, in groups.
type grouping struct {
	join.UnionFind
	base []uint32 // number of the first set of a shard
}

func (t grouping) number(set uint64) uint32 { return t.base[set>>24] + uint32(set)&(maxSets-1) }

// group is what is known of a group before its rows are written.
type group struct {
	size  uint32
	least string // id
}

func (j *Job) clusters(ctx context.Context, _ int, o *output, r *Record) error {
	t, err := j.alone(ctx)
	if err != nil {
		return err
	}
	gone := map[uint64]struct{}{}
	err = j.each(ctx, Deal, func(shard int, d *result) error { return addGone(gone, shard, d) })
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
	groups := map[uint32]group{}
	err = j.documents(ctx, t, gone, func(root uint32, id string) error {
		g := groups[root]
		if g.size == 0 || id < g.least {
			g.least = id
		}
		g.size++
		groups[root] = g
		return nil
	})
	if err != nil {
		return err
	}
	rows := sorter{o: o, compare: compareMembers}
	n := int64(0)
	for _, g := range groups {
		if g.size > 1 {
			n++
		}
	}
	err = j.documents(ctx, t, gone, func(root uint32, id string) error {
		if g := groups[root]; g.size > 1 {
			return rows.add(row{a: g.least, b: id, shared: g.size})
		}
		return nil
	})
	if err == nil {
		err = rows.flush()
	}
	if err != nil {
		return err
	}
	r.Counts[countClusters], r.Counts[countDocuments] = n, rows.n
	return o.sectionWords(rows.blocks)
}

// alone numbers all sets, each in a group of its own.
func (j *Job) alone(ctx context.Context) (t grouping, err error) {
	total := int64(0)
	for shard := range j.plan.Inputs {
		r, err := j.record(Analyse, shard)
		if err != nil {
			return t, err
		}
		t.base = append(t.base, uint32(total))
		if total += r.Counts[countSets]; total > math.MaxUint32 {
			return t, fmt.Errorf("more than %d sets: groups of so many cannot be made", uint32(math.MaxUint32))
		}
	}
	t.UnionFind = join.NewUnionFind(uint32(total))
	return t, ctx.Err()
}

// documents calls do for every document that is tied to another, with the root of its
// group. Sets that are alone are looked up only if several documents have them.
func (j *Job) documents(ctx context.Context, groups grouping, gone map[uint64]struct{}, do func(root uint32, id string) error) error {
	tied := make([]uint64, (len(groups.UnionFind)+63)/64)
	for n := range groups.UnionFind {
		if root := groups.Find(uint32(n)); root != uint32(n) {
			tied[n/64] |= 1 << (n % 64)
			tied[root/64] |= 1 << (root % 64)
		}
	}
	return j.each(ctx, Analyse, func(shard int, r *result) error {
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
