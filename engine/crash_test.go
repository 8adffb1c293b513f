// Images of the disk as crashes leave it: each opens with all that was acknowledged.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/torture"
)

// workload is a fixed sequence of batches and the state after each of them, of
// a collection with some settings.
type workload struct {
	settings api.Settings
	batches  []*Batch
	states   []map[string]string // states[i]: after i batches
}

func newWorkload(rng *rand.Rand, n int, settings api.Settings) *workload {
	w := &workload{settings: settings, states: []map[string]string{{}}}
	g := &texts{rng: rng, prose: settings == keepsAll}
	if settings.UniqueSim != "" {
		return w.conditional(rng, g, n)
	}
	for i := range n {
		b := &Batch{}
		state := maps.Clone(w.states[i])
		for range 1 + rng.IntN(5) {
			id := fmt.Sprintf("d%02d", rng.IntN(40))
			if rng.IntN(4) == 0 {
				b.Delete("", id)
				delete(state, id)
			} else {
				text := g.next()
				b.Put(api.Document{ID: id, Text: text, Meta: api.Meta{"batch": i}})
				state[id] = text
			}
		}
		b.Note("batch", []byte(strconv.Itoa(i+1)))
		w.batches = append(w.batches, b)
		w.states = append(w.states, state)
	}
	return w
}

// conditional fills the workload with batches that have conditions, none of which refuses
// its batch.
func (w *workload) conditional(rng *rand.Rand, g *texts, n int) *workload {
	min, err := api.ParseThreshold(w.settings.UniqueSim)
	if err != nil {
		panic(err) // it is good
	}
	now := world{api.DefaultCollection: newUnlessModel(api.DefaultCollection, analysisOf(w.settings), min)}
	for i := range n {
		steps := drawSteps(rng, g, []string{"unless", "unless", "longest", "newest", "delete", "meta"})
		after, _, _, err := now.run(i, steps)
		if err != nil { // metadata of what may be dropped changes
			steps = slices.DeleteFunc(steps, func(s step) bool { return s.kind == "meta" })
			after, _, _, err = now.run(i, steps)
		}
		if err != nil {
			panic(err)
		}
		b := batchOf(steps)
		b.Note("batch", []byte(strconv.Itoa(i+1)))
		now = after
		w.batches, w.states = append(w.batches, b), append(w.states, now[api.DefaultCollection].texts)
	}
	return w
}

// TestCrashImages takes images of the disk while a store is written, built,
// compacted and closed, with none to all of the unsynced data in them, and
// opens each: nothing acknowledged may be missing, what is there must be a
// prefix of the batches, and check must find nothing (durability D1).
func TestCrashImages(t *testing.T) {
	t.Parallel()
	points := torture.Tries(t, "D1")
	const perStore = 40
	for store := 0; store*perStore < points; store++ {
		seed := uint64(store)
		crashStore(t, seed, min(perStore, points-store*perStore))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	torture.Report(t, "D1", points)
}

// everySecond are the settings of a seed: those of a plain collection, or of one
// that keeps everything.
func everySecond(seed uint64) api.Settings {
	if seed%2 == 0 {
		return api.Settings{}
	}
	return keepsAll
}

// inTurn are the settings of a seed: those of a plain collection, of one that keeps
// everything, or of one with a constraint.
func inTurn(seed uint64) api.Settings {
	return []api.Settings{{}, keepsAll, {UniqueSim: "0.6", Index: "year"}}[seed%3]
}

func crashStore(t *testing.T, seed uint64, points int) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := newWorkload(rng, 60, inTurn(seed))
	disk := vfs.NewCrashableMem()
	o := testOptions(disk)
	o.memTableBytes = 64 << 10
	o.SegmentSets = uint32(4 << (seed / 2 % 4))
	if seed%4 == 1 {
		sleepy(o)
	}
	db := openTest(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, w.settings); err != nil {
		t.Fatal(err)
	}
	var acked atomic.Int64
	done := make(chan error, 1)
	go func() {
		for i, b := range w.batches {
			if _, err := db.Commit(ctx, b); err != nil {
				done <- err
				return
			}
			acked.Store(int64(i + 1))
			if i%20 == 19 {
				if err := db.Compact(ctx); err != nil {
					done <- err
					return
				}
			}
		}
		done <- db.Close()
	}()
	running := true
	for range points {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("workload: %v", err)
			}
			running = false
		default:
		}
		least := int(acked.Load())
		image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(5) * 25, RNG: rng})
		openImage(t, w, o, image, least)
		if t.Failed() {
			break
		}
	}
	if running {
		if err := <-done; err != nil {
			t.Errorf("workload: %v", err)
		}
	}
}

// openImage opens a crash image, twice: what recovery wrote must hold too.
func openImage(t *testing.T, w *workload, o *Options, image *vfs.MemFS, least int) {
	t.Helper()
	again := *o
	again.fs = image
	seen := -1
	if least%4 == 0 { // it costs as much as the rest
		seen = readImage(t, w, again, least)
	}
	for range 2 {
		db, err := Open("db", &again)
		if err != nil {
			t.Errorf("open after %d acknowledged batches: %v", least, err)
			return
		}
		note, err := db.Note("batch")
		if err != nil {
			t.Error(err)
		}
		n, _ := strconv.Atoi(string(note))
		if n < least {
			t.Errorf("%d batches were acknowledged, %d are there", least, n)
		}
		if seen >= 0 && n != seen {
			t.Errorf("%d batches are there, who only read saw %d", n, seen)
		}
		if n > 0 {
			sameDocuments(t, db, w.states[n])
			report, err := db.check(context.Background(), nil, false)
			if err != nil || report.Found > 0 {
				t.Errorf("after %d of %d batches check found %v, %v", n, least, report, err)
			}
			sameAnswers(t, db, w, n)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// readImage opens a crash image for reading only: it shows the state that an Open would
// recover, and the image stays as it is. It returns how many batches are there.
func readImage(t *testing.T, w *workload, o Options, least int) (n int) {
	t.Helper()
	o.ReadOnly = true
	if _, err := o.fs.Stat("db/STATE"); least == 0 && errors.Is(err, fs.ErrNotExist) {
		return 0 // not made yet
	}
	before := imageOf(t, o.fs, "db")
	db, err := Open("db", &o)
	if err != nil {
		t.Errorf("open to read after %d acknowledged batches: %v", least, err)
		return 0
	}
	note, err := db.Note("batch")
	if err != nil {
		t.Error(err)
	}
	if n, _ = strconv.Atoi(string(note)); n > 0 {
		sameDocuments(t, db, w.states[n])
		checkClean(t, db, "read only")
		sameAnswers(t, db, w, n)
	}
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if after := imageOf(t, o.fs, "db"); !maps.Equal(before, after) {
		t.Errorf("who only read has changed the disk after %d batches", least)
	}
	return n
}

// imageOf is what lies in a directory: files with their bytes, all but LOCK.
func imageOf(t *testing.T, f vfs.FS, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		names, err := f.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			path := f.PathJoin(dir, n)
			info, err := f.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.IsDir() {
				out[path] = "a directory"
				walk(path)
			} else if n != "LOCK" {
				out[path] = string(readFile(t, f, path))
			}
		}
	}
	walk(dir)
	return out
}

// sameAnswers asks a store that keeps everything by each measure of texts for
// what is similar to one document, and holds that against brute force.
func sameAnswers(t *testing.T, db *DB, w *workload, n int) {
	t.Helper()
	m := modelOf(w.settings, w.states[n])
	if w.settings != keepsAll || len(m.texts) == 0 {
		return
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := m.ids()[n%len(m.texts)]
	for _, method := range testMethods(w.settings) {
		q := Search{Measure: method.Measure, Args: method.Args, Min: api.Ratio(1, 2)}
		if !q.Measure.OfTexts() {
			continue
		}
		if got, want := similarRows(t, s, api.ByID(id), q), m.similar(q, m.texts[id], id); !slices.Equal(got, want) {
			t.Errorf("after %d batches, %v similar to %s:\n%s", n, method, id, difference(got, want))
		}
	}
}
