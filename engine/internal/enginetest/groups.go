// Maintained groups, and the same groups recomputed.

package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// GroupText draws a text: some share most words, some are equal.
func GroupText(r *rand.Rand) string {
	if r.IntN(30) == 0 {
		return "" // no shingles
	}
	kind := r.IntN(4)
	var words []string
	for i := range 12 {
		words = append(words, fmt.Sprintf("w%d-%d", kind, i))
	}
	for range r.IntN(5) {
		words[r.IntN(len(words))] = fmt.Sprintf("x%d", r.IntN(6))
	}
	return strings.Join(words[:6+r.IntN(7)], " ")
}

// SnapshotOf takes a snapshot. Close it.
func SnapshotOf(t *testing.T, db *engine.DB) *engine.Snapshot {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FoundAnew recomputes a grouping with a join. It returns the kept document of each document.
func FoundAnew(t *testing.T, s *engine.Snapshot, g api.Grouping) map[string]string {
	t.Helper()
	ctx := context.Background()
	keeper := map[string]string{}
	for i, err := range s.Infos(ctx, g.Collection) {
		if err != nil {
			t.Fatal(err)
		}
		if i.Shingles > 0 {
			keeper[i.ID] = i.ID
		}
	}
	found, err := s.Dedupe(ctx, engine.Search{In: []string{g.Collection}, Measure: g.Measure, Args: g.Args, Min: g.Min}, g.Keep)
	if err != nil {
		t.Fatal(err)
	}
	first, cluster := "", 0
	for row, err := range found.All {
		if err != nil {
			t.Fatal(err)
		}
		if row.Cluster != cluster {
			first, cluster = row.ID, row.Cluster
		}
		if keeper[row.ID] = first; g.Stars {
			keeper[row.ID] = row.ID
			if !row.Keep {
				keeper[row.ID] = row.Like
			}
		}
	}
	return keeper
}

// KeptGroups returns the kept document and the group number of each document in a maintained
// grouping, and checks that all calls on groups agree.
func KeptGroups(t *testing.T, s *engine.Snapshot, name string) (keeper map[string]string, number map[string]uint64) {
	t.Helper()
	ctx := context.Background()
	keeper, number = map[string]string{}, map[string]uint64{}
	for g, err := range s.Groups(ctx, name, api.GroupsQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for m, err := range s.GroupMembers(ctx, name, g.Group) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Group != g.Group || m.Keeper != g.Keeper || size == 0 && m.ID != g.Keeper {
				t.Fatalf("member %+v of group %+v", m, g)
			}
			of, ok, err := s.GroupOf(name, m.ID)
			if err != nil || !ok || of != g {
				t.Fatalf("GroupOf(%s) = %+v, %v, %v, want %+v", m.ID, of, ok, err, g)
			}
			keeper[m.ID], number[m.ID] = g.Keeper, g.Group
			size++
		}
		if size != g.Size {
			t.Fatalf("group %+v has %d members", g, size)
		}
		for range s.GroupMembers(ctx, name, g.Group) {
			break // stop early: the rest includes other sets
		}
	}
	return keeper, number
}

// Groupings returns groupings of all kinds.
func Groupings() (out []api.Grouping) {
	for i, keep := range []api.Keep{api.KeepFirst, api.KeepLongest, api.KeepNewest, api.KeepShortestID} {
		for _, stars := range []bool{false, true} {
			m := []api.Measure{api.Jaccard, api.SimHash, api.Multiset, api.Overlap}[i]
			min := api.Ratio(1, 2)
			if m == api.SimHash {
				min = api.Ratio(52, 64)
			}
			out = append(out, api.Grouping{Name: fmt.Sprintf("%s-%v", keep, stars), Collection: "docs", Measure: m, Min: min, Stars: stars, Keep: keep})
		}
	}
	return out
}

// Consume applies an event to a table of documents and their groups.
func Consume(table map[string]uint64, e *api.GroupEvent) {
	switch e.Event {
	case api.GroupJoin:
		table[e.ID] = e.Group
	case api.GroupLeave:
		delete(table, e.ID)
	case api.GroupMerge:
		for id, g := range table {
			if g == e.Group {
				table[id] = e.Other
			}
		}
	}
}
