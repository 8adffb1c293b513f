package scale

// Comparison of a join's candidates, member by member, and their rows of documents.

import (
	"context"
	"maps"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/shingle"
)

const roomEdges = 1 << 16

// comparing is the state of one task.
type comparing struct {
	*Job
	ids   []uint64            // of the sets of all sides
	facts []index.View        // by side
	gone  map[uint64]struct{} // replaced documents: shard<<32 | document
	rows  sorter
	tied  join.UnionFind // groups formed by this task's pairs so far
	edges []uint64
	of    []uint64 // sections with edges
}

// match is a pair of sets that share enough in at least one direction.
type match struct{ a, b, shared, ofA, ofB uint32 }

// each calls do with the frames of sets in a section of their shards. Sets ascend within each
// side.
func (c *comparing) each(ctx context.Context, sets []uint32, section int, do func(set uint32, shard int, f frames, frame []byte) error) error {
	for len(sets) > 0 {
		shard := c.ids[sets[0]] >> 24
		var wanted []uint32
		for _, s := range sets {
			n := uint32(c.ids[s]) & (maxSets - 1)
			if c.ids[s]>>24 != shard || len(wanted) > 0 && n < wanted[len(wanted)-1] { // the next side begins
				break
			}
			wanted = append(wanted, n)
		}
		err := c.with(Analyse, int(shard), func(r *result) error {
			f, err := framesOf(r, section)
			if err != nil {
				return err
			}
			return f.each(ctx, wanted, func(i int, frame []byte) error { return do(sets[i], int(shard), f, frame) })
		})
		if err != nil {
			return err
		}
		sets = sets[len(wanted):]
	}
	return nil
}

// bags yields the members of the sets of a side.
func (c *comparing) bags(ctx context.Context, side int, yield func(set uint32, members shingle.Set)) error {
	first, end := uint32(0), c.facts[0].Len()
	if side > 0 {
		first, end = end, uint32(len(c.ids))
	}
	return c.each(ctx, numbersTo(first, end), setsSection, func(set uint32, _ int, f frames, frame []byte) error {
		members, err := c.rule.setIn(f, frame)
		if err == nil {
			yield(set-first, members)
		}
		return err
	})
}

// documents calls do with the documents of each set, without replaced ones.
func (c *comparing) documents(ctx context.Context, sets []uint32, do func(set uint32, docs []doc) error) error {
	return c.each(ctx, sets, namesSection, func(set uint32, shard int, f frames, frame []byte) error {
		docs, err := f.namesIn(frame)
		if err != nil {
			return err
		}
		return do(set, slices.DeleteFunc(docs, func(d doc) bool {
			_, gone := c.gone[uint64(shard)<<32|uint64(d.number)]
			return gone
		}))
	})
}

// equal adds the rows between documents of one set.
func (c *comparing) equal(ctx context.Context, sets []uint32) error {
	return c.documents(ctx, sets, func(set uint32, docs []doc) error {
		size := uint32(c.size(set))
		for k, x := range docs {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, y := range docs[:k] {
				if err := c.rows.add(row{min(x.id, y.id), max(x.id, y.id), size, size, size}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// size returns the number of members of a set of either side.
func (c *comparing) size(set uint32) uint64 {
	if n := c.facts[0].Len(); set >= n {
		return c.facts[1].Size(set - n).Distinct
	}
	return c.facts[0].Size(set).Distinct
}

// portion compares candidates, which ascend, in batches that fit into memory.
func (c *comparing) portion(ctx context.Context, pairs []join.Pair) error {
	for len(pairs) > 0 {
		sets, n, held := map[uint32]shingle.Set{}, 0, uint64(0)
		for ; n < len(pairs) && (n == 0 || held <= uint64(c.plan.Memory/16)); n++ {
			for _, set := range []uint32{pairs[n].A, pairs[n].B} {
				if _, has := sets[set]; !has {
					sets[set] = nil
					held += 8 * c.size(set)
				}
			}
		}
		if err := c.compare(ctx, sets, pairs[:n]); err != nil {
			return err
		}
		pairs = pairs[n:]
	}
	return nil
}

// compare reads a batch of sets and compares their pairs.
func (c *comparing) compare(ctx context.Context, sets map[uint32]shingle.Set, pairs []join.Pair) error {
	err := c.each(ctx, slices.Sorted(maps.Keys(sets)), setsSection, func(set uint32, _ int, f frames, frame []byte) (err error) {
		sets[set], err = c.rule.setIn(f, frame)
		return err
	})
	if err != nil {
		return err
	}
	var found []match
	var matched []uint32
	for _, p := range pairs {
		a, b := sets[p.A], sets[p.B]
		need := c.rule.need(uint64(len(a)), uint64(len(b)))
		if n := shingle.Shared(a, b, int(need)); uint64(n) >= need {
			found = append(found, match{p.A, p.B, uint32(n), uint32(len(a)), uint32(len(b))})
			matched = append(matched, p.A, p.B)
		}
	}
	slices.Sort(matched)
	docs := map[uint32][]doc{}
	err = c.documents(ctx, slices.Compact(matched), func(set uint32, list []doc) error {
		docs[set] = list
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range found {
		if err := c.add(ctx, m, docs[m.a], docs[m.b]); err != nil {
			return err
		}
	}
	return nil
}

// add adds the rows of a match.
func (c *comparing) add(ctx context.Context, m match, as, bs []doc) error {
	rows := c.rows.n
	for _, a := range as {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range bs {
			x := row{a.id, b.id, m.shared, m.ofA, m.ofB}
			if b.id < a.id {
				x = row{b.id, a.id, m.shared, m.ofB, m.ofA}
			}
			if !c.rule.score(&x).Reaches(c.rule.min) {
				continue
			}
			if err := c.rows.add(x); err != nil {
				return err
			}
		}
	}
	if c.rows.n == rows || !c.tied.Union(m.a, m.b) {
		return nil
	}
	c.edges = append(c.edges, c.ids[m.a], c.ids[m.b])
	if len(c.edges) < roomEdges {
		return nil
	}
	return c.endEdges()
}

// endEdges writes the held edges as a section.
func (c *comparing) endEdges() error {
	c.of = append(c.of, uint64(len(c.rows.o.table)/entryBytes))
	err := c.rows.o.sectionWords(c.edges)
	c.edges = c.edges[:0]
	return err
}

// end writes the held rows and edges, then the directories.
func (c *comparing) end() error {
	if err := c.endEdges(); err != nil {
		return err
	}
	if err := c.rows.flush(); err != nil {
		return err
	}
	if err := c.rows.o.sectionWords(c.of); err != nil {
		return err
	}
	return c.rows.o.sectionWords(c.rows.blocks)
}
