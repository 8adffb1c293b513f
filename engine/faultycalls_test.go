// Every call of a store under faults of files and disk: it ends with an error or the right
// answer, soon, and the process lives.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// faultyCall is one call, or the loop over its rows. What it answers is text.
type faultyCall struct {
	name string
	do   func(ctx context.Context, db *engine.DB) (string, error)
}

// rowsOf are all rows of a result as text.
func rowsOf[T any](r *engine.Result[T], err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for row, err := range r.All {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%v\n", row)
	}
	return b.String(), nil
}

// ofSnapshot is a call of a snapshot as one of the store.
func ofSnapshot(do func(ctx context.Context, s *engine.Snapshot) (string, error)) func(context.Context, *engine.DB) (string, error) {
	return func(ctx context.Context, db *engine.DB) (string, error) {
		s, err := db.Snapshot()
		if err != nil {
			return "", err
		}
		defer s.Close()
		return do(ctx, s)
	}
}

// readingCalls ask a store that was filled by fillTexts, by each measure.
func readingCalls(settings api.Settings) (calls []faultyCall) {
	add := func(name string, do func(ctx context.Context, s *engine.Snapshot) (string, error)) {
		calls = append(calls, faultyCall{name, ofSnapshot(do)})
	}
	for _, m := range enginetest.Methods(settings) {
		q := engine.Search{Measure: m.Measure, Args: m.Args, Min: api.Ratio(3, 5)}
		add(fmt.Sprintf("similar by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) {
			return rowsOf(s.Similar(ctx, api.ByID("d7"), q))
		})
		add(fmt.Sprintf("nearest by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) {
			return rowsOf(s.Similar(ctx, api.ByID("d7"), engine.Search{Measure: m.Measure, Args: m.Args, Limit: 3}))
		})
		add(fmt.Sprintf("pairs by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) { return rowsOf(s.Pairs(ctx, q)) })
	}
	q := engine.Search{Min: api.Ratio(4, 5)}
	add("clusters", func(ctx context.Context, s *engine.Snapshot) (string, error) { return rowsOf(s.Clusters(ctx, q)) })
	add("dedupe", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		return rowsOf(s.Dedupe(ctx, q, api.KeepFirst))
	})
	add("nearest of each", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		return rowsOf(s.Pairs(ctx, engine.Search{Nearest: 1, Min: api.Ratio(1, 2)}))
	})
	add("documents", func(ctx context.Context, s *engine.Snapshot) (out string, err error) {
		for d, err := range s.Documents(ctx, api.DefaultCollection) {
			if err != nil {
				return "", err
			}
			out += d.ID + d.Text + "\n"
		}
		return out, nil
	})
	add("infos", func(ctx context.Context, s *engine.Snapshot) (out string, err error) {
		for d, err := range s.Infos(ctx, api.DefaultCollection) {
			if err != nil {
				return "", err
			}
			out += fmt.Sprintf("%v\n", d)
		}
		return out, nil
	})
	add("compare", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		c, err := s.CompareBy(ctx, api.ByID("d7"), api.ByID("d8"), nil, enginetest.Methods(settings), api.Ignoring{})
		return fmt.Sprint(c), err
	})
	add("passages", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		p, err := s.Passages(ctx, api.ByID("d7"), api.ByID("d8"), nil, api.Args{}, api.Ignoring{})
		return fmt.Sprint(p), err
	})
	return append(calls, faultyCall{"note", func(_ context.Context, db *engine.DB) (string, error) {
		b, err := db.Note("none")
		return string(b), err
	}}, faultyCall{"is new", func(ctx context.Context, db *engine.DB) (string, error) {
		isNew, m, err := db.IsNew(ctx, api.Document{ID: "x", Text: "entirely other words than those"}, engine.Search{Min: api.Ratio(1, 2)}, nil)
		return fmt.Sprint(isNew, m), err
	}}, faultyCall{"check", func(ctx context.Context, db *engine.DB) (string, error) {
		r, err := db.Check(ctx, nil)
		if err != nil {
			return "", err
		}
		if r.Found > 0 {
			err = fmt.Errorf("%w: %v", api.ErrCorrupt, r)
		}
		return "clean", err
	}})
}

// writingCalls change the store, but for what readingCalls ask.
func writingCalls(copies string) []faultyCall {
	ok := func(err error) (string, error) { return "ok", err }
	return []faultyCall{
		{"backup", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Checkpoint(ctx, copies+".a")) }},
		{"linked backup", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.LinkedCheckpoint(ctx, copies+".b"))
		}},
		{"create", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.CreateCollection(ctx, "other", api.Settings{}))
		}},
		{"put", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.Put(ctx, api.Document{Collection: "more", ID: "x", Text: "some more words"}))
		}},
		{"load", func(ctx context.Context, db *engine.DB) (string, error) {
			var b engine.Batch
			b.Put(api.Document{Collection: "more", ID: "y", Text: "some more words again"})
			return ok(db.Load(ctx, enginetest.Stream([]*engine.Batch{&b}), nil))
		}},
		{"put new", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.PutNew(ctx, api.Document{Collection: "more", ID: fmt.Sprint(rand.Uint64()), Text: "some"}))
		}},
		{"delete", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Delete(ctx, "more", "x")) }},
		{"compact", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Compact(ctx)) }},
		{"metrics", func(_ context.Context, db *engine.DB) (string, error) { db.Metrics(); return "ok", nil }},
	}
}

// answersOf asks all calls, which must succeed.
func answersOf(t *testing.T, db *engine.DB, calls []faultyCall) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range calls {
		answer, err := c.do(context.Background(), db)
		if err != nil {
			t.Fatalf("without a fault %s: %v", c.name, err)
		}
		out[c.name] = answer
	}
	return out
}

// Segments that somebody cuts off while they are mapped: each call ends with an error or
// answers right, from memory or another file, and the process goes on. What is left of the
// store opens again.
func TestSegmentsCutOffWhileOpen(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	if runtime.GOOS == "windows" {
		t.Skip("windows does not cut off files that are mapped")
	}
	sets := torture.Few(64, 256) // by some measures each is read with each, three times
	for _, settings := range []api.Settings{testmodel.KeepsAll, {}} {
		for _, cut := range []struct {
			name string
			to   func(size int64) int64
		}{{"to nothing", func(int64) int64 { return 0 }}, {"to half", func(n int64) int64 { return n / 2 &^ int64(os.Getpagesize()-1) }}} {
			t.Run(fmt.Sprintf("%v %s", settings.Words, cut.name), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "db")
				o := &engine.Options{SegmentSets: uint32(sets)}
				db, err := engine.Open(dir, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := db.CreateCollection(context.Background(), api.DefaultCollection, settings); err != nil {
					t.Fatal(err)
				}
				enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8)), Prose: true}, 0, sets+sets/16)
				if err := enginetest.Inside(db).RebuildAll(context.Background()); err != nil {
					t.Fatal(err)
				}
				calls := readingCalls(settings)
				want := answersOf(t, db, calls)
				for _, seg := range enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments {
					path := enginetest.Inside(db).Files.Path(seg.Number)
					info, err := os.Stat(path)
					if err == nil {
						err = os.Truncate(path, cut.to(info.Size()))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				failed := 0
				after := append(calls, writingCalls(dir)...)
				for _, c := range after {
					testmodel.Within(t, c.name, func() {
						answer, err := c.do(context.Background(), db)
						switch {
						case err != nil:
							failed++
							if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrPoisoned) {
								t.Errorf("%s: %v, want ErrCorrupt", c.name, err)
							}
						case want[c.name] != "" && answer != want[c.name]:
							t.Errorf("%s answers wrong", c.name)
						}
					})
				}
				t.Logf("%d of %d calls failed", failed, len(after))
				if failed == 0 {
					t.Error("no call has noticed")
				}
				if err := db.Close(); err != nil && !errors.Is(err, api.ErrPoisoned) {
					t.Errorf("close: %v", err)
				}
				if db, err = engine.Open(dir, o); err != nil {
					t.Fatalf("open again: %v", err)
				}
				enginetest.Settled(t, db)
				for _, c := range calls {
					if answer, err := c.do(context.Background(), db); err != nil || answer != want[c.name] {
						t.Errorf("opened again, %s: %v, or a wrong answer", c.name, err)
					}
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// readFault fails the nth read, or waits with each.
type readFault struct {
	n    int64
	wait time.Duration
	seen atomic.Int64
	op   atomic.Pointer[errorfs.Op]
}

func (f *readFault) String() string { return "readFault" }

func (f *readFault) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsRead {
		return nil
	}
	time.Sleep(f.wait)
	if f.seen.Add(1) != f.n {
		return nil
	}
	f.op.Store(&op)
	return errorfs.ErrInjected
}

// smallImage is a small store as a crash leaves it: segments, tables, and a log.
func smallImage(t *testing.T, settings api.Settings) *vfs.MemFS {
	t.Helper()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	db := enginetest.Open(t, o)
	defer db.Close()
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 8)), Prose: true}
	enginetest.PutMany(t, db, g, 0, 40)
	enginetest.Settled(t, db)
	if err := enginetest.Disk(db).Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	enginetest.PutMany(t, db, g, 40, 4)
	return disk.CrashClone(vfs.CrashCloneCfg{})
}

// Whichever single read fails, of Open, of each call or of Close: an error or the right
// answer, and no hang. What was open opens again, and is what it was (durability F2).
func TestReadFaults(t *testing.T) {
	t.Parallel()
	calls := append(readingCalls(testmodel.KeepsAll), writingCalls("db")...)
	image := smallImage(t, testmodel.KeepsAll)
	run := func(f *readFault, each func(name, answer string, err error)) {
		disk := image.CrashClone(vfs.CrashCloneCfg{})
		db, err := engine.Open("db", enginetest.Options(errorfs.Wrap(disk, f)))
		each("open", "", err)
		if err == nil {
			for _, c := range calls {
				answer, err := c.do(context.Background(), db)
				each(c.name, answer, err)
			}
			each("close", "", db.Close())
		}
		db, err = engine.Open("db", enginetest.Options(disk))
		if err != nil {
			each("open again", "", fmt.Errorf("%w: %w", errOpenAgain, err))
			return
		}
		defer db.Close()
		enginetest.Settled(t, db)
		enginetest.CheckClean(t, db, "after a read that failed")
	}
	want := map[string]string{}
	all := &readFault{}
	run(all, func(name, answer string, err error) {
		if err != nil {
			t.Fatalf("without a fault %s: %v", name, err)
		}
		want[name] = answer
	})
	points := min(all.seen.Load(), int64(torture.Tries(t, "F2")))
	told := 0
	for i := range points {
		f := &readFault{n: 1 + i*all.seen.Load()/points}
		testmodel.Within(t, fmt.Sprintf("read %d of %d", f.n, all.seen.Load()), func() {
			errs := 0
			run(f, func(name, answer string, err error) {
				switch {
				case errors.Is(err, errOpenAgain):
					t.Errorf("read %d failed (%+v), then %v", f.n, f.op.Load(), err)
				case err != nil:
					errs++
				case answer != want[name]:
					t.Errorf("read %d failed (%+v), and %s answers wrong:\n%s\nwant\n%s", f.n, f.op.Load(), name, answer, want[name])
				}
			})
			if errs > 0 {
				told++
			}
		})
	}
	t.Logf("%d of %d reads failed, %d of them told", points, all.seen.Load(), told)
	torture.Report(t, "F2", int(points))
}

var errOpenAgain = errors.New("it does not open again")
