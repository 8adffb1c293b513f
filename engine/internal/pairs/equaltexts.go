package pairs

// Pairs of equal texts without anything for the measure to count. Joins miss them, because
// they rely on counts.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// equalTexts adds edges between such sets of a pass. Equal texts have equal bags if bags
// derive from texts, so it reads only the texts of sets that agree with another in size and
// fingerprint.
func (f *found) equalTexts(ctx context.Context, p pass) (err error) {
	defer segment.CatchUnreadable(&err)()
	type look struct {
		size    measure.Size
		simhash uint64
		node
	}
	var all []look
	add := func(side int, sets *search.Sets) {
		v := f.views[side]
		for _, set := range f.live(side, sets) {
			x := look{node: node{set, uint16(side)}}
			if v.FromText() {
				x.size, x.simhash = v.Table.Size(set), v.Table.SimHash(set)
			}
			all = append(all, x)
		}
	}
	if add(p.from, p.of); !p.once() {
		add(p.to, p.in)
	}
	alike := func(a, b look) int {
		return cmp.Or(cmp.Compare(a.simhash, b.simhash), cmp.Compare(a.size.Distinct, b.size.Distinct), cmp.Compare(a.size.Total, b.size.Total))
	}
	slices.SortFunc(all, func(a, b look) int {
		return cmp.Or(alike(a, b), cmp.Compare(a.side, b.side), cmp.Compare(a.set, b.set))
	})
	all = slices.Compact(all)
	read := make([][]uint32, len(f.views))
	for i, x := range all {
		if i > 0 && alike(all[i-1], x) == 0 || i+1 < len(all) && alike(x, all[i+1]) == 0 {
			read[x.side] = append(read[x.side], x.set)
		}
	}
	type digest [sha256.Size]byte
	equal := map[digest][]node{}
	for side, sets := range read {
		slices.Sort(sets)
		err := view.EachSet(ctx, f.m, f.views[side], sets, func(r *view.Reader, set uint32) (*digest, error) {
			key, bare, err := search.BareText(ctx, r, f.Search, set)
			if err != nil || !bare {
				return nil, err
			}
			d := digest(sha256.Sum256(key))
			return &d, nil
		}, func(set uint32, d *digest) error {
			if d != nil {
				equal[*d] = append(equal[*d], node{set, uint16(side)})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, nodes := range equal {
		var found []edge
		for i, a := range nodes {
			if err := f.m.Interrupted(ctx); err != nil {
				return err
			}
			for j, b := range nodes {
				if i != j && p.meets(f.question, a, b) {
					found = append(found, newEdge(a, b, measure.Score{Shared: 1, Union: 1, Of: 1}, false))
				}
			}
			if len(found) >= edgesAtOnce {
				f.add(found)
				found = found[:0]
			}
		}
		f.add(found)
	}
	return nil
}

// meets reports whether the pass yields the pair of a as the query and b.
func (p pass) meets(q *question, a, b node) bool {
	return int(a.side) == p.from && int(b.side) == p.to && search.Has(p.of, a.set) && search.Has(p.in, b.set) && (!p.once() || a.set > b.set) &&
		(p.again == nil || !p.again(a.set, b.set)) && q.may(p.sides, a.set, b.set)
}
