// Levels of sim that have no room in memory.

package pairs

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// A level in parts has the rows of one that is whole, in their order.
func TestLevelParts(t *testing.T) {
	for _, c := range []struct {
		directed, full bool
		memory         int64
		one            bool
		against        int
	}{{memory: 1 << 30, one: true}, {memory: 1 << 30, one: true, against: 1}, {memory: 1 << 10, against: 1}, {memory: 1 << 10}, {memory: 1 << 17}, {memory: 1 << 10, directed: true}, {memory: 1 << 17, directed: true}, {memory: 1 << 10, full: true, one: true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			const seed, sets = 11, 60
			rng, store := rand.New(rand.NewPCG(seed, 0)), openStore(t, vfs.NewMem())
			defer store.Close()
			q := &question{
				m:     &view.Snapshot{Scratch: store.NewScratch(), Shared: &view.Shared{MemoryBytes: c.memory, Closing: t.Context()}},
				views: []*view.View{{Schema: &record.Schema{Name: "a"}}, {Schema: &record.Schema{Name: "b"}}},
			}
			defer q.m.Scratch.Remove()
			q.Directed, q.against = c.directed, c.against
			f := newFound(t.Context(), q)
			f.plan = &api.Plan{}
			ids := [2][sets][]string{}
			for side := range ids {
				for set := range ids[side] {
					for range 1 + rng.IntN(4) {
						ids[side][set] = append(ids[side][set], fmt.Sprint(rng.IntN(40), " of ", set)) // both collections may have it
					}
					slices.Sort(ids[side][set])
					ids[side][set] = slices.Compact(ids[side][set])
					f.ids[side].add(uint32(set), sets, ids[side][set])
				}
			}
			var edges []edge
			var want []api.PairMatch
			seen := map[[2]node]bool{}
			for range 400 {
				from, to := node{rng.Uint32N(sets), uint16(rng.IntN(2))}, node{rng.Uint32N(sets), uint16(rng.IntN(2))}
				if from == to || seen[[2]node{from, to}] || seen[[2]node{to, from}] || c.against > 0 && from.side == to.side {
					continue
				}
				seen[[2]node{from, to}] = true
				edges = append(edges, newEdge(from, to, measure.Score{Shared: 1, Union: 2, Of: 2}, false))
				for _, x := range ids[from.side][from.set] {
					for _, y := range ids[to.side][to.set] {
						a, b := member{x, from.side}, member{y, to.side}
						for _, r := range [][2]member{{a, b}, {b, a}} {
							if c.directed || c.against > 0 && r[0].side == 0 || c.against == 0 && compareMembers(r[0], r[1]) < 0 {
								want = append(want, api.PairMatch{CollectionA: f.views[r[0].side].Name, A: r[0].id, CollectionB: f.views[r[1].side].Name, B: r[1].id, Sim: 0.5, Shared: 1, Union: 2, Of: 2})
							}
						}
					}
				}
			}
			slices.SortFunc(want, func(x, y api.PairMatch) int {
				return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(x.CollectionA, y.CollectionA), cmp.Compare(x.CollectionB, y.CollectionB))
			})
			l := &level{rowMaker: rowMaker{found: f}, numbers: [][]uint32{make([]uint32, sets), make([]uint32, sets)}}
			if f.ids[0].full = c.full; c.full {
				f.ids[0].places[7] = 0
			}
			p, err := l.divide(t.Context(), edges, false)
			if err != nil || (p.count() == 1) != c.one {
				t.Fatalf("%d parts, %v", p.count(), err)
			}
			if c.full {
				return
			}
			var got []api.PairMatch
			for part := range p.count() {
				if err := l.fill(t.Context(), edges, false, p, part); err != nil {
					t.Fatal(err)
				}
				if 2*len(l.edges) > len(edges) && c.memory == 1<<10 {
					t.Errorf("part %d of %d has %d of %d edges", part, p.count(), len(l.edges), len(edges))
				}
				if err := l.rows(func(m api.PairMatch) error { got = append(got, m); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d rows in %d parts, want %d", len(got), p.count(), len(want))
			}
		})
	}
}
