// Crashes while many put texts on conditions: what is left keeps the constraint, has all
// that was said to be stored, and a reason for all that was refused.

package condition_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// told is what callers were told by some view: of each document that it is stored, or
// which one kept it out.
type told struct {
	mu      sync.Mutex
	stored  []string
	refused [][2]string
}

func (a *told) add(id, like string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if like == "" {
		a.stored = append(a.stored, id)
	} else {
		a.refused = append(a.refused, [2]string{id, like})
	}
}

func (a *told) now() told {
	a.mu.Lock()
	defer a.mu.Unlock()
	return told{stored: a.stored, refused: a.refused} // which only grow
}

// holds checks that a store has what callers were told. Nobody deletes anything.
func (a *told) holds(t *testing.T, db *engine.DB, when string) {
	t.Helper()
	if err := enginetest.CollectionError(t, db, api.DefaultCollection); errors.Is(err, api.ErrNotFound) && len(a.stored) == 0 {
		return
	}
	there := enginetest.Apart(t, db, api.Ratio(4, 5))
	for _, id := range a.stored {
		if _, ok := there[id]; !ok {
			t.Errorf("%s: %s was acknowledged and is gone", when, id)
		}
	}
	for _, r := range a.refused {
		if _, ok := there[r[1]]; !ok {
			t.Errorf("%s: %s was refused for %s, which is not there", when, r[0], r[1])
		}
	}
	enginetest.CheckClean(t, db, when)
}

// putOnce puts a document on the condition of the collection, in one of three ways, and
// returns what kept it out.
func putOnce(ctx context.Context, db *engine.DB, d api.Document, way int) (like string, err error) {
	switch way % 3 {
	case 0:
		m, _, err := db.PutUnlessSimilar(ctx, d, engine.Search{}, nil)
		return m.ID, err
	case 1:
		var similar *api.SimilarError
		if err := db.Put(ctx, d); errors.As(err, &similar) {
			return similar.Match.ID, nil
		} else {
			return "", err
		}
	}
	var b engine.Batch
	b.PutUnlessSimilar(d, engine.Search{})
	b.Note("some", []byte(d.ID))
	if _, err := db.Commit(ctx, &b); err != nil || len(b.Dropped()) == 0 {
		return "", err
	}
	return b.Dropped()[0].Match.ID, nil
}

// TestCrashUnless opens images of the disk that are taken while 64 writers put near
// duplicates. A refusal names what a crash cannot take back.
func TestCrashUnless(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	images := torture.Tries(t, "D1-unless")
	stores := (images + 19) / 20
	for seed := range uint64(stores) {
		rng := rand.New(rand.NewPCG(seed, 21))
		fs := vfs.NewCrashableMem()
		o := enginetest.Options(fs)
		*enginetest.MemTableBytes(o) = 64 << 10
		o.SegmentSets = 32
		db := enginetest.Open(t, o)
		if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{UniqueSim: "0.8"}); err != nil {
			t.Fatal(err)
		}
		var all told
		docs := enginetest.Families(1600, seed)
		done := make(chan struct{})
		go func() {
			defer close(done)
			enginetest.Race(t, docs, func(d api.Document) error {
				like, err := putOnce(ctx, db, d, int(d.ID[5]))
				if err == nil {
					all.add(d.ID, like)
				}
				return err
			})
		}()
		for i := range images / stores {
			least := all.now()
			image := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng})
			again := *o
			*enginetest.FS(&again) = image
			crashed, err := engine.Open("db", &again)
			if err != nil {
				t.Fatal(err)
			}
			least.holds(t, crashed, fmt.Sprintf("seed %d, image %d after %d", seed, i, len(least.stored)+len(least.refused)))
			if err := crashed.Close(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				break
			}
		}
		<-done
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			return
		}
	}
	torture.Report(t, "D1-unless", images)
}

func TestMain(m *testing.M) { enginetest.Main(m, raceVictim) }

// raceVictim puts near duplicates from many goroutines, and prints what it is told.
func raceVictim(dir string, seed uint64) error {
	ctx := context.Background()
	db, err := engine.Open(dir, enginetest.WithHooks(&engine.Options{SegmentSets: 32}, nil, 64<<10))
	if err != nil {
		return err
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{UniqueSim: "0.8"}); err != nil && !errors.Is(err, api.ErrExists) {
		return err
	}
	docs := enginetest.Families(20_000, seed)
	var wg sync.WaitGroup
	for w := range enginetest.Racers {
		wg.Go(func() {
			for i := w; i < len(docs); i += enginetest.Racers {
				like, err := putOnce(ctx, db, docs[i], i)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Printf("%s %s.\n", docs[i].ID, like)
			}
		})
	}
	wg.Wait()
	return db.Close()
}

// TestKillUnless kills such a process again and again.
func TestKillUnless(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 22))
	dir := filepath.Join(t.TempDir(), "db")
	var all told
	tries := torture.Tries(t, "D2-unless")
	for n := range tries {
		enginetest.KillWriters(t, dir, n, 20+rng.IntN(600), func(line string) {
			id, like, _ := strings.Cut(line, " ")
			all.add(id, like)
		})
		db, err := engine.Open(dir, &engine.Options{SegmentSets: 32})
		if err != nil {
			t.Fatal(err)
		}
		all.holds(t, db, fmt.Sprintf("process %d, told of %d", n, len(all.stored)+len(all.refused)))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if len(all.refused) == 0 {
		t.Error("nothing was refused")
	}
	torture.Report(t, "D2-unless", tries)
}
