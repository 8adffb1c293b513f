package groups_test

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
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// A history of random batches, with reopening: groups are at every moment those found anew,
// and events alone give the same.
func TestGroupsAreThoseFoundAnew(t *testing.T) {
	enginetest.WithoutRaces(t)
	seeds := 12
	if torture.Short() {
		seeds = 4
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			crashable := vfs.NewCrashableMem()
			opts := enginetest.Options(crashable)
			opts.KeepLog = &api.KeepLog{Bytes: 1 << 30}
			db := enginetest.Open(t, opts)
			ctx := context.Background()
			id := func() string { return strings.Repeat("d", 1+r.IntN(3)) + fmt.Sprint(r.IntN(40)) }
			write := func() {
				var b engine.Batch
				for range 1 + r.IntN(12) {
					switch r.IntN(10) {
					case 0, 1, 2:
						b.Delete("docs", id())
					case 3:
						b.PutUnlessSimilar(api.Document{ID: id(), Text: enginetest.GroupText(r)}, engine.Search{Min: api.Ratio(9, 10)})
					case 4:
						b.PutReplacingSimilar(api.Document{ID: id(), Text: enginetest.GroupText(r)}, engine.Search{Min: api.Ratio(3, 4)}, r.IntN(2) == 0)
					default:
						b.Put(api.Document{ID: id(), Text: enginetest.GroupText(r)})
					}
				}
				if _, err := db.Commit(ctx, &b); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Put(ctx, api.Document{ID: "first", Text: enginetest.GroupText(r)}); err != nil {
				t.Fatal(err)
			}
			kept := enginetest.Groupings()
			for i := range kept {
				if i%2 == int(seed%2) { // of an almost empty collection: events tell all of these
					if err := db.CreateGroups(ctx, kept[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			since, _ := enginetest.Inside(db).Counted()
			consumers := map[string]map[string]uint64{}
			s := enginetest.SnapshotOf(t, db)
			for _, g := range s.Groupings() {
				_, consumers[g.Name] = enginetest.KeptGroups(t, s, g.Name)
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
						*enginetest.FS(opts) = image
					}
					db = enginetest.Open(t, opts)
				}
				for c, err := range db.Tail(ctx, since) {
					if err != nil {
						t.Fatal(err)
					}
					if since = c.Seq; c.Group != nil && consumers[c.Group.Grouping] != nil {
						enginetest.Consume(consumers[c.Group.Grouping], c.Group)
					}
				}
				s := enginetest.SnapshotOf(t, db)
				for _, g := range kept {
					want := enginetest.FoundAnew(t, s, g)
					got, numbers := enginetest.KeptGroups(t, s, g.Name)
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

// The older number goes on when groups merge, the younger still answers, and the part with
// the kept document goes on when one splits.
func TestGroupsMergeAndSplit(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
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
		s := enginetest.SnapshotOf(t, db)
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
	s := enginetest.SnapshotOf(t, db)
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

// A loop over members may end early, and what a grouping compares by comes back as it was.
func TestGroupsLoopsEnd(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
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
	db = enginetest.Open(t, o)
	defer db.Close()
	s := enginetest.SnapshotOf(t, db)
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
