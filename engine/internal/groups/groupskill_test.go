package groups_test

// Writers with groups that are killed: what is kept is what is found anew, events alone give
// the same groups, and no number of a group is ever used for another one.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

func TestMain(m *testing.M) { enginetest.Main(m, groupsVictim) }

// groupsVictim puts and deletes near duplicates from many goroutines, and prints how often.
func groupsVictim(dir string, seed uint64) error {
	ctx := context.Background()
	db, err := engine.Open(dir, enginetest.WithHooks(&engine.Options{SegmentSets: 32, KeepLog: &api.KeepLog{Age: time.Hour}}, nil, 64<<10))
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for w := range enginetest.Racers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			for range 400 {
				id := fmt.Sprint("d", r.IntN(300))
				var err error
				switch r.IntN(4) {
				case 0:
					err = db.Delete(ctx, "docs", id)
				case 1:
					var b engine.Batch
					for range 1 + r.IntN(6) {
						b.Put(api.Document{ID: fmt.Sprint("d", r.IntN(300)), Text: enginetest.GroupText(r)})
					}
					_, err = db.Commit(ctx, &b)
				default:
					err = db.Put(ctx, api.Document{ID: id, Text: enginetest.GroupText(r)})
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Println("done.")
			}
		})
	}
	wg.Wait()
	return db.Close()
}

// TestKillGroups kills such a process again and again (durability D2-groups).
func TestKillGroups(t *testing.T) {
	t.Parallel()
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 35))
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, &engine.Options{KeepLog: &api.KeepLog{Age: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "first", Text: "no other text is like this one"}); err != nil {
		t.Fatal(err)
	}
	kept := enginetest.Groupings()[:4]
	tables, emit := map[string]map[string]uint64{}, map[string]map[uint64]bool{}
	for _, g := range kept {
		if err := db.CreateGroups(ctx, g); err != nil {
			t.Fatal(err)
		}
		tables[g.Name], emit[g.Name] = map[string]uint64{"first": 1}, map[uint64]bool{1: true}
	}
	since, _ := enginetest.Inside(db).Counted()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tries := torture.Tries(t, "D2-groups")
	for n := range tries {
		enginetest.KillWriters(t, dir, n, 20+rng.IntN(900), func(string) {})
		if db, err = engine.Open(dir, &engine.Options{SegmentSets: 32}); err != nil {
			t.Fatal(err)
		}
		for c, err := range db.Tail(ctx, since) {
			if err != nil {
				t.Fatal(err)
			}
			since = c.Seq
			e := c.Group
			if e == nil {
				continue
			}
			alive := map[uint64]bool{}
			for _, number := range tables[e.Grouping] {
				alive[number] = true
			}
			begins := e.Group
			if e.Event == api.GroupSplit {
				begins = e.Other
			}
			if e.Event == api.GroupJoin && !alive[begins] && emit[e.Grouping][begins] && !split(tables[e.Grouping], begins) {
				t.Errorf("process %d: group %d of %s begins a second time: %+v", n, begins, e.Grouping, e)
			}
			if e.Event == api.GroupSplit && emit[e.Grouping][begins] {
				t.Errorf("process %d: the split of a group gives the number %d, which was used: %+v", n, begins, e)
			}
			emit[e.Grouping][begins] = true
			if e.Event == api.GroupSplit { // joins follow
				tables[e.Grouping][splitMark(begins)] = begins
			}
			enginetest.Consume(tables[e.Grouping], e)
		}
		s := enginetest.SnapshotOf(t, db)
		for _, g := range kept {
			for id := range tables[g.Name] {
				if id[0] == 0 {
					delete(tables[g.Name], id)
				}
			}
			got, numbers := enginetest.KeptGroups(t, s, g.Name)
			if want := enginetest.FoundAnew(t, s, g); !maps.Equal(got, want) {
				t.Errorf("process %d, %s: kept %v\nanew %v", n, g.Name, got, want)
			}
			if !maps.Equal(numbers, tables[g.Name]) {
				t.Errorf("process %d, %s: events give %v\nstored are %v", n, g.Name, tables[g.Name], numbers)
			}
		}
		s.Close()
		enginetest.CheckClean(t, db, "killed")
		if err := errors.Join(db.Close()); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	torture.Report(t, "D2-groups", tries)
}

// splitMark is an id that no document has: it stands for a group that was split off, until
// documents join it.
func splitMark(number uint64) string { return "\x00" + strconv.FormatUint(number, 10) }

func split(table map[string]uint64, number uint64) bool { return table[splitMark(number)] == number }
