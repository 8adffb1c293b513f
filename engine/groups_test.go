package engine

// Groups that are kept are held against groups found anew, over random histories.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// groupText draws a text: some share most words, some are equal.
func groupText(r *rand.Rand) string {
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

func snapshotOf(t *testing.T, db *DB) *Snapshot {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// foundAnew is which documents are together, and which document is kept of each, by a join.
func foundAnew(t *testing.T, s *Snapshot, g api.Grouping) map[string]string {
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
	found, err := s.Dedupe(ctx, Search{In: []string{g.Collection}, Measure: g.Measure, Args: g.Args, Min: g.Min}, g.Keep)
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

// keptGroups is the same of a grouping, and the numbers.
func keptGroups(t *testing.T, s *Snapshot, name string) (keeper map[string]string, number map[string]uint64) {
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
			break // the rest, of other sets too, is not told
		}
	}
	return keeper, number
}

// groupings are of all kinds.
func testGroupings() (out []api.Grouping) {
	for i, keep := range []api.Keep{api.KeepFirst, api.KeepLongest, api.KeepNewest, api.KeepShortestID} {
		for _, stars := range []bool{false, true} {
			m := []api.Measure{api.Jaccard, api.SimHash, api.Multiset, api.Jaccard}[i]
			min := api.Ratio(1, 2)
			if m == api.SimHash {
				min = api.Ratio(52, 64)
			}
			out = append(out, api.Grouping{Name: fmt.Sprintf("%s-%v", keep, stars), Collection: "docs", Measure: m, Min: min, Stars: stars, Keep: keep})
		}
	}
	return out
}

// A history of random batches, with reopening: groups are at every moment those found anew,
// and events alone give the same.
func TestGroupsAreThoseFoundAnew(t *testing.T) {
	withoutRaces(t)
	seeds := 12
	if torture.Short() {
		seeds = 4
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			crashable := vfs.NewCrashableMem()
			opts := testOptions(crashable)
			opts.KeepLog = &api.KeepLog{Bytes: 1 << 30}
			db := openTest(t, opts)
			ctx := context.Background()
			id := func() string { return strings.Repeat("d", 1+r.IntN(3)) + fmt.Sprint(r.IntN(40)) }
			write := func() {
				var b Batch
				for range 1 + r.IntN(12) {
					switch r.IntN(10) {
					case 0, 1, 2:
						b.Delete("docs", id())
					case 3:
						b.PutUnlessSimilar(api.Document{ID: id(), Text: groupText(r)}, Search{Min: api.Ratio(9, 10)})
					case 4:
						b.PutReplacingSimilar(api.Document{ID: id(), Text: groupText(r)}, Search{Min: api.Ratio(3, 4)}, r.IntN(2) == 0)
					default:
						b.Put(api.Document{ID: id(), Text: groupText(r)})
					}
				}
				if _, err := db.Commit(ctx, &b); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Put(ctx, api.Document{ID: "first", Text: groupText(r)}); err != nil {
				t.Fatal(err)
			}
			kept := testGroupings()
			for i := range kept {
				if i%2 == int(seed%2) { // of an almost empty collection: events tell all of these
					if err := db.CreateGroups(ctx, kept[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			since, _ := db.counted()
			consumers := map[string]map[string]uint64{}
			s := snapshotOf(t, db)
			for _, g := range s.Groupings() {
				_, consumers[g.Name] = keptGroups(t, s, g.Name)
			}
			s.Close()
			for range 5 {
				write()
			}
			for i := range kept {
				if i%2 != int(seed%2) {
					if err := db.CreateGroups(ctx, kept[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			for round := range 25 {
				write()
				if r.IntN(8) == 0 {
					image := crashable.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					if r.IntN(2) == 0 {
						crashable = image
						opts.fs = image
					}
					db = openTest(t, opts)
				}
				for c, err := range db.Tail(ctx, since) {
					if err != nil {
						t.Fatal(err)
					}
					if since = c.Seq; c.Group != nil && consumers[c.Group.Grouping] != nil {
						consume(consumers[c.Group.Grouping], c.Group)
					}
				}
				s := snapshotOf(t, db)
				for _, g := range kept {
					want := foundAnew(t, s, g)
					got, numbers := keptGroups(t, s, g.Name)
					if !maps.Equal(got, want) {
						t.Fatalf("round %d, %s: kept %v\nanew %v", round, g.Name, got, want)
					}
					if c := consumers[g.Name]; c != nil && !maps.Equal(c, numbers) {
						t.Fatalf("round %d, %s: events give %v\nstored are %v", round, g.Name, c, numbers)
					}
				}
				s.Close()
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// consume keeps a table of the groups of documents in step.
func consume(table map[string]uint64, e *api.GroupEvent) {
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

// The older number goes on when groups merge, the younger still answers, and the part with
// the kept document goes on when one splits.
func TestGroupsMergeAndSplit(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	put := func(id, text string) {
		t.Helper()
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "one two three four five six seven eight")
	if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 2)}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 2)}); !errors.Is(err, api.ErrExists) {
		t.Fatalf("a second grouping g: %v", err)
	}
	put("b", "three four five six seven eight nine ten eleven twelve")
	group := func(id string) api.Group {
		t.Helper()
		s := snapshotOf(t, db)
		defer s.Close()
		g, ok, err := s.GroupOf("g", id)
		if err != nil || !ok {
			t.Fatalf("GroupOf(%s): %v, %v", id, ok, err)
		}
		return g
	}
	a, b := group("a"), group("b")
	if a.Group == b.Group {
		t.Fatalf("a and b are together: %+v", a)
	}
	put("bridge", "one two three four five six seven eight nine ten")
	if g := group("b"); g.Group != a.Group || g.Size != 3 || g.Keeper != "a" {
		t.Fatalf("b is in %+v, want in %d with a", g, a.Group)
	}
	s := snapshotOf(t, db)
	var members []string
	for m, err := range s.GroupMembers(ctx, "g", b.Group) {
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, m.ID)
	}
	s.Close()
	if !slices.Equal(members, []string{"a", "b", "bridge"}) {
		t.Fatalf("the younger number answers %v", members)
	}
	if err := db.Delete(ctx, "docs", "bridge"); err != nil {
		t.Fatal(err)
	}
	if g := group("a"); g != a {
		t.Fatalf("a is in %+v, was in %+v", g, a)
	}
	if g := group("b"); g.Group == a.Group || g.Group == b.Group || g.From != a.Group {
		t.Fatalf("b is in %+v, want a new group that comes from %d", g, a.Group)
	}
	if err := db.DropGroups(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if err := db.DropGroups(ctx, "g"); !errors.Is(err, api.ErrNotFound) {
		t.Fatalf("dropping twice: %v", err)
	}
}

// A backup that is extended by records that make a grouping has the same groups, also if it was
// copied with what a try left behind that was given up.
func TestGroupsInABackup(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	o := testOptions(mem)
	o.KeepLog = &api.KeepLog{Bytes: 1 << 30}
	db := openTest(t, o)
	r := rand.New(rand.NewPCG(7, 7))
	put := func(n int) {
		t.Helper()
		for range n {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", r.IntN(60)), Text: groupText(r)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(30)
	g := api.Grouping{Name: "g", Collection: "docs", Min: api.Ratio(1, 2), Keep: api.KeepFirst}
	c, err := db.collection("docs")
	if err != nil {
		t.Fatal(err)
	}
	s := snapshotOf(t, db)
	err = db.buildGroups(ctx, s, c, &groups.Grouping{Grouping: g, Of: c.Number, Number: 1, Space: 1})
	if err = errors.Join(err, s.Close(), db.disk.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	put(20)
	if err := db.Checkpoint(ctx, "copy"); err != nil {
		t.Fatal(err)
	}
	put(20)
	if err := db.CreateGroups(ctx, g); err != nil {
		t.Fatal(err)
	}
	put(40)
	s = snapshotOf(t, db)
	want, numbers := keptGroups(t, s, "g")
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := extendBackup(ctx, mem, "db", "copy"); err != nil {
		t.Fatal(err)
	}
	copied, err := Open("copy", o)
	if err != nil {
		t.Fatal(err)
	}
	s = snapshotOf(t, copied)
	got, same := keptGroups(t, s, "g")
	if !maps.Equal(got, want) || !maps.Equal(same, numbers) {
		t.Errorf("the backup has %v, %v\nthe store %v, %v", got, same, want, numbers)
	}
	s.Close()
	checkClean(t, copied, "the backup")
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
}

// A loop over members may end early, and what a grouping compares by comes back as it was.
func TestGroupsLoopsEnd(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	half, err := api.ParseWeight("1/2")
	if err != nil {
		t.Fatal(err)
	}
	g := api.Grouping{Name: "g", Collection: "docs", Measure: api.Tversky, Args: api.Args{Alpha: half, Beta: half}, Min: api.Ratio(1, 3), Keep: api.KeepFirst}
	for i := range 5 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("a text of which most is the same each time, but number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.CreateGroups(ctx, g); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	defer db.Close()
	s := snapshotOf(t, db)
	defer s.Close()
	if got := s.Groupings(); len(got) != 1 || got[0] != g {
		t.Errorf("Groupings = %+v, want %+v", got, g)
	}
	for wanted := range 5 {
		n := 0
		for _, err := range s.GroupMembers(ctx, "g", 1) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == wanted+1 {
				break
			}
		}
		if n != wanted+1 {
			t.Errorf("%d members, wanted %d", n, wanted+1)
		}
	}
	for range s.Groups(ctx, "g", api.GroupsQuery{}) {
		break
	}
}

// What is damaged of groups is found, and a salvage makes it anew: with the numbers that there
// were.
func TestGroupsAreSalvaged(t *testing.T) {
	withoutRaces(t)
	ctx := context.Background()
	for _, space := range groupSpaces {
		if space == keys.Grouping { // which holds what nothing else tells
			continue
		}
		o := testOptions(vfs.NewMem())
		db := openTest(t, o)
		r := rand.New(rand.NewPCG(uint64(space), 2))
		for i := range 60 {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: groupText(r)}); err != nil {
				t.Fatal(err)
			}
			if i == 20 {
				for _, stars := range []bool{false, true} {
					if err := db.CreateGroups(ctx, api.Grouping{Name: fmt.Sprint("g", stars), Min: api.Ratio(1, 2), Stars: stars}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		checkClean(t, db, "before")
		was := map[string]map[string]uint64{}
		s := snapshotOf(t, db)
		for _, g := range s.Groupings() {
			_, was[g.Name] = keptGroups(t, s, g.Name)
		}
		s.Close()
		var some [][]byte
		err := disk.Scan(db.disk.Pebble(), keys.Of(space), func(key, _ []byte) error {
			some = append(some, slices.Clone(key))
			return nil
		})
		if err != nil || len(some) == 0 {
			t.Fatalf("space %x: %d keys, %v", space, len(some), err)
		}
		b := db.disk.Pebble().NewBatch()
		for i, key := range some {
			if i%3 == 0 {
				if err := b.Delete(key, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := db.disk.Apply(b); err != nil {
			t.Fatal(err)
		}
		report, err := db.check(ctx, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if report.Found == 0 {
			t.Errorf("space %x is damaged, and the check finds nothing", space)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := SalvageInPlace(ctx, "db", o, func(what string) { t.Errorf("space %x: lost %s", space, what) }); err != nil {
			t.Fatalf("space %x: %v", space, err)
		}
		db = openTest(t, o)
		checkClean(t, db, "salvaged")
		s = snapshotOf(t, db)
		for _, g := range s.Groupings() {
			_, is := keptGroups(t, s, g.Name)
			if space == keys.GroupDoc && !maps.Equal(is, was[g.Name]) { // what tells the numbers is whole
				t.Errorf("space %x, %s: numbers %v, were %v", space, g.Name, is, was[g.Name])
			}
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
