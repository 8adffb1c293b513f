// Deterministic workloads, and crash images of stores that have written part of one.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Workload is a deterministic sequence of batches for a collection, with the state after each.
type Workload struct {
	Settings api.Settings
	Batches  []*engine.Batch
	States   []map[string]string // States[i] is the state after i batches
}

// NewWorkload draws n batches.
func NewWorkload(rng *rand.Rand, n int, settings api.Settings) *Workload {
	w := &Workload{Settings: settings, States: []map[string]string{{}}}
	g := &testmodel.Texts{Rng: rng, Prose: settings == testmodel.KeepsAll}
	if settings.UniqueSim != "" {
		return w.conditional(rng, g, n)
	}
	for i := range n {
		b := &engine.Batch{}
		state := maps.Clone(w.States[i])
		for range 1 + rng.IntN(5) {
			id := fmt.Sprintf("d%02d", rng.IntN(40))
			if rng.IntN(4) == 0 {
				b.Delete("", id)
				delete(state, id)
			} else {
				text := g.Next()
				b.Put(api.Document{ID: id, Text: text, Meta: api.Meta{"batch": i}})
				state[id] = text
			}
		}
		b.Note("batch", []byte(strconv.Itoa(i+1)))
		w.Batches = append(w.Batches, b)
		w.States = append(w.States, state)
	}
	return w
}

// conditional fills the workload with conditional batches, none of which is refused.
func (w *Workload) conditional(rng *rand.Rand, g *testmodel.Texts, n int) *Workload {
	min, err := api.ParseThreshold(w.Settings.UniqueSim)
	if err != nil {
		panic(err) // tests pass valid thresholds
	}
	now := World{api.DefaultCollection: newUnlessModel(api.DefaultCollection, AnalysisOf(w.Settings), min)}
	for i := range n {
		steps := DrawSteps(rng, g, []string{"unless", "unless", "longest", "newest", "delete", "meta"})
		after, _, _, err := now.Run(i, steps)
		if err != nil { // a step changes metadata of a document that may be dropped
			steps = slices.DeleteFunc(steps, func(s Step) bool { return s.kind == "meta" })
			after, _, _, err = now.Run(i, steps)
		}
		if err != nil {
			panic(err)
		}
		b := BatchOf(steps)
		b.Note("batch", []byte(strconv.Itoa(i+1)))
		now = after
		w.Batches, w.States = append(w.Batches, b), append(w.States, now[api.DefaultCollection].Texts)
	}
	return w
}

// EverySecond returns the settings for a seed: the default, or KeepsAll.
func EverySecond(seed uint64) api.Settings {
	if seed%2 == 0 {
		return api.Settings{}
	}
	return testmodel.KeepsAll
}

// InTurn returns the settings for a seed: the default, KeepsAll, or a constraint with an index.
func InTurn(seed uint64) api.Settings {
	return []api.Settings{{}, testmodel.KeepsAll, {UniqueSim: "0.6", Index: "year"}}[seed%3]
}

// OpenImage opens a crash image and checks that it has at least the acknowledged batches. It
// opens the image twice, because the writes of recovery must be durable too.
func OpenImage(t *testing.T, w *Workload, o *engine.Options, image *vfs.MemFS, least int) {
	t.Helper()
	again := *o
	*FS(&again) = image
	seen := -1
	if least%4 == 0 { // costs as much as the rest
		seen = readImage(t, w, again, least)
	}
	for range 2 {
		db, err := engine.Open("db", &again)
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
			SameDocuments(t, db, w.States[n])
			report, err := Check(db, context.Background(), nil, false)
			if err != nil || report.Found > 0 {
				t.Errorf("after %d of %d batches check found %v, %v", n, least, report, err)
			}
			SameAnswers(t, db, w, n)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// readImage opens a crash image read-only. It must show the state that recovery would produce,
// and leave the image unchanged. It returns the number of batches.
func readImage(t *testing.T, w *Workload, o engine.Options, least int) (n int) {
	t.Helper()
	o.ReadOnly = true
	if _, err := (*FS(&o)).Stat("db/STATE"); least == 0 && errors.Is(err, fs.ErrNotExist) {
		return 0 // the store does not exist yet
	}
	before := ImageOf(t, *FS(&o), "db")
	db, err := engine.Open("db", &o)
	if err != nil {
		t.Errorf("open to read after %d acknowledged batches: %v", least, err)
		return 0
	}
	note, err := db.Note("batch")
	if err != nil {
		t.Error(err)
	}
	if n, _ = strconv.Atoi(string(note)); n > 0 {
		SameDocuments(t, db, w.States[n])
		CheckClean(t, db, "read only")
		SameAnswers(t, db, w, n)
	}
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if after := ImageOf(t, *FS(&o), "db"); !maps.Equal(before, after) {
		t.Errorf("who only read has changed the disk after %d batches", least)
	}
	return n
}

// ImageOf returns the files in a directory with their contents, except LOCK.
func ImageOf(t *testing.T, f vfs.FS, dir string) map[string]string {
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
				out[path] = string(ReadFile(t, f, path))
			}
		}
	}
	walk(dir)
	return out
}

// SameAnswers searches by each measure of texts for the documents similar to one, and compares
// the answers with brute force. It requires the settings KeepsAll.
func SameAnswers(t *testing.T, db *engine.DB, w *Workload, n int) {
	t.Helper()
	m := ModelOf(w.Settings, w.States[n])
	if w.Settings != testmodel.KeepsAll || len(m.Texts) == 0 {
		return
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := m.IDs()[n%len(m.Texts)]
	for _, method := range Methods(w.Settings) {
		q := engine.Search{Measure: method.Measure, Args: method.Args, Min: api.Ratio(1, 2)}
		if !q.Measure.OfTexts() {
			continue
		}
		if got, want := SimilarRows(t, s, api.ByID(id), q), m.Similar(q, m.Texts[id], id); !slices.Equal(got, want) {
			t.Errorf("after %d batches, %v similar to %s:\n%s", n, method, id, testmodel.Difference(got, want))
		}
	}
}

// Stream returns a stream of batches for Load.
func Stream(batches []*engine.Batch) iter.Seq2[*engine.Batch, error] {
	return func(yield func(*engine.Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}
