// Puts with conditions, against a model that does one operation after another and compares
// all with all.

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/internal/measure"
)

// unlessModel is what a collection should hold after operations with conditions.
type unlessModel struct {
	*model
	unique measure.Threshold
}

// first is the row that a search for the text has first, without a document.
func (m unlessModel) first(q Search, text, but string) (best Match, found bool) {
	bag := m.analysis.Bag(text)
	var top measure.Score
	for _, id := range m.ids() {
		s, ok := m.score(q, text, bag, id)
		if !ok || id == but || !q.Min.Admits(s.Shared, s.Of) || found && s.Compare(top) <= 0 {
			continue
		}
		best, top, found = q.Match(DefaultCollection, id, s), s, true
	}
	return best, found
}

// keepsOut is the document that keeps a put from taking effect, and whether that refuses
// the batch.
func (m unlessModel) keepsOut(d Document, unless *Search) (row Match, found, refuses bool) {
	if unless != nil {
		q := *unless
		if q.Min == (measure.Threshold{}) {
			q.Min = measure.Ratio(4, 5)
			if q.Measure == measure.Jaccard && m.unique != (measure.Threshold{}) {
				q.Min = m.unique
			}
		}
		if q.Measure == measure.Jaccard && m.unique != (measure.Threshold{}) && m.unique.Cmp(q.Min) < 0 {
			q.Min = m.unique
		}
		if row, found = m.first(q, d.Text, d.ID); found {
			return row, true, false
		}
	}
	if m.unique != (measure.Threshold{}) {
		if row, found = m.first(Search{Min: m.unique}, d.Text, d.ID); found {
			return row, true, unless == nil
		}
	}
	return row, false, false
}

// step is one operation of a batch, as the test draws it.
type step struct {
	kind string // put, unless, new, delete, newest, longest
	doc  Document
	q    Search
}

// run does the steps on a copy of the model.
func (m unlessModel) run(steps []step) (after unlessModel, dropped, evicted []Dropped, err error) {
	after = m.copied()
	for i, s := range steps {
		var unless *Search
		switch s.kind {
		case "delete":
			after.delete(s.doc.ID)
			continue
		case "new":
			if _, there := after.texts[s.doc.ID]; there {
				return m, nil, nil, ErrExists
			}
		case "unless", "newest", "longest":
			unless = &s.q
		}
		if s.kind == "newest" || s.kind == "longest" {
			var out []Dropped
			longer := true
			for rest := after.copied(); ; {
				row, found, _ := rest.keepsOut(s.doc, unless)
				if !found {
					break
				}
				longer = longer && len(s.doc.Text) > len(rest.texts[row.ID])
				out = append(out, Dropped{Op: i, ID: row.ID, Match: row})
				out[len(out)-1].Match.ID = s.doc.ID
				rest.delete(row.ID)
			}
			if s.kind == "newest" || longer {
				slices.SortFunc(out, func(a, b Dropped) int { return cmp.Compare(a.ID, b.ID) })
				evicted = append(evicted, out...)
				for _, d := range out {
					after.delete(d.ID)
				}
				after.put(s.doc.ID, s.doc.Text)
				continue
			}
		}
		row, found, refuses := after.keepsOut(s.doc, unless)
		if refuses {
			return m, nil, nil, &SimilarError{Collection: DefaultCollection, ID: s.doc.ID, UniqueSim: m.unique.String(), Match: row}
		}
		if found {
			dropped = append(dropped, Dropped{Op: i, ID: s.doc.ID, Match: row})
			continue
		}
		after.put(s.doc.ID, s.doc.Text)
	}
	return after, dropped, evicted, nil
}

func (m unlessModel) copied() unlessModel {
	m.model = &model{m.analysis, maps.Clone(m.texts), maps.Clone(m.bags)}
	return m
}

func drawSteps(rng *rand.Rand, g *texts, kinds []string) (steps []step) {
	for range 1 + rng.IntN(12) {
		s := step{kind: kinds[rng.IntN(len(kinds))], doc: Document{ID: fmt.Sprintf("d%02d", rng.IntN(40)), Text: g.next()}}
		s.q.Measure = []measure.Measure{
			measure.Jaccard, measure.Jaccard, measure.Jaccard, measure.ContainmentOfQuery, measure.ContainmentOfDoc,
			measure.Multiset, measure.Repetition, measure.SimHash,
		}[rng.IntN(8)]
		if rng.IntN(3) > 0 {
			s.q.Min = measure.Ratio(uint64(3+rng.IntN(8)), 10)
		}
		steps = append(steps, s)
	}
	return steps
}

func batchOf(steps []step) *Batch {
	b := &Batch{}
	for _, s := range steps {
		switch s.kind {
		case "put":
			b.Put(s.doc)
		case "unless":
			b.PutUnlessSimilar(s.doc, s.q)
		case "new":
			b.PutNew(s.doc)
		case "newest", "longest":
			b.PutReplacingSimilar(s.doc, s.q, s.kind == "longest")
		case "delete":
			b.Delete("", s.doc.ID)
		}
	}
	return b
}

// Batches of every mixture leave what the model has, and say the same of what was dropped
// or refused, also after the store was opened again.
func TestUnlessModel(t *testing.T) {
	ctx := context.Background()
	settings := []Settings{{}, {UniqueSim: "0.7"}, {UniqueSim: "1", Unit: "char"}, {UniqueSim: "0.5", Sets: "derived"}, {Words: true, UniqueSim: "0.8"}, {MinSim: "0.9"}}
	stores := 36
	if testing.Short() {
		stores = 12
	}
	for seed := range uint64(stores) {
		rng := rand.New(rand.NewPCG(seed, 14))
		with := settings[int(seed)%len(settings)]
		fs := vfs.NewMem()
		db := openTest(t, testOptions(fs))
		if err := db.CreateCollection(ctx, DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		c, err := db.collection(DefaultCollection)
		if err != nil {
			t.Fatal(err)
		}
		m := unlessModel{newModel(analysisOf(with)), c.Unique}
		g := &texts{rng: rng}
		for batch := range 60 {
			kinds := []string{"put", "put", "unless", "unless", "unless", "new", "delete", "newest", "longest"}
			if rng.IntN(2) == 0 { // a batch that nothing refuses
				kinds = []string{"unless", "unless", "longest", "newest", "delete"}
			}
			steps := drawSteps(rng, g, kinds)
			after, dropped, evicted, wrong := m.run(steps)
			b := batchOf(steps)
			stats, err := db.Commit(ctx, b)
			what := fmt.Sprintf("seed %d, batch %d", seed, batch)
			var similar, wantSimilar *SimilarError
			switch {
			case errors.As(wrong, &wantSimilar):
				if !errors.As(err, &similar) || *similar != *wantSimilar || !errors.Is(err, ErrSimilar) {
					t.Fatalf("%s: Commit = %v, want %v", what, err, wrong)
				}
			case wrong != nil:
				if !errors.Is(err, wrong) {
					t.Fatalf("%s: Commit = %v, want %v", what, err, wrong)
				}
			case err != nil:
				t.Fatalf("%s: %v", what, err)
			case !slices.Equal(b.Dropped(), dropped) || stats.Dropped != len(dropped):
				t.Fatalf("%s: dropped %+v (%d), want %+v", what, b.Dropped(), stats.Dropped, dropped)
			case !slices.Equal(b.Evicted(), evicted):
				t.Fatalf("%s: evicted %+v, want %+v", what, b.Evicted(), evicted)
			}
			m = after
			sameDocuments(t, db, m.texts)
			if t.Failed() {
				t.Fatalf("%s: not as the model", what)
			}
			probe := step{doc: Document{ID: []string{"", "d01"}[rng.IntN(2)], Text: g.next()}}
			row, found, _ := m.keepsOut(probe.doc, &probe.q)
			if isNew, got, err := db.IsNew(ctx, probe.doc, probe.q); err != nil || isNew == found || got != row {
				t.Fatalf("%s: IsNew = %v, %+v, %v, want %v, %+v", what, isNew, got, err, !found, row)
			}
			if rng.IntN(20) == 0 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openTest(t, testOptions(fs))
			}
		}
		settled(t, db)
		checkClean(t, db, fmt.Sprint("seed ", seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What breaks the constraint is found by check, with the integers.
func TestCheckConstraint(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "", Settings{}); err == nil {
		t.Fatal("a collection without a name was made")
	}
	for _, wrong := range []Settings{{UniqueSim: "0.4"}, {UniqueSim: "80"}, {UniqueSim: "x"}, {UniqueSim: "0.8", MinSim: "0.9"}} {
		if err := db.CreateCollection(ctx, DefaultCollection, wrong); !errors.Is(err, ErrInvalid) {
			t.Errorf("CreateCollection(%+v) = %v, want ErrInvalid", wrong, err)
		}
	}
	if err := db.CreateCollection(ctx, DefaultCollection, Settings{UniqueSim: "80%"}); err != nil {
		t.Fatal(err)
	}
	var b Batch
	for i, text := range []string{"one two three four five", "one two three four five", "something else is said here"} {
		b.Put(Document{ID: fmt.Sprint(i), Text: text})
	}
	if err := db.putAgain(&b); err != nil { // which asks for no conditions
		t.Fatal(err)
	}
	report, err := db.Check(ctx, nil)
	want := Problem{Collection: DefaultCollection, ID: "0", What: `similar to "1", sim 1 (shared 3, union 3), and unique_sim is 0.8`}
	if err != nil || report.Found != 1 || report.Problems[0] != want {
		t.Errorf("Check = %+v, %v, want %+v", report, err, want)
	}
}

// Conditions that make no sense are refused, before anything is made or stored.
func TestUnlessInvalid(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for _, q := range []Search{
		{Measure: measure.Words}, {Measure: 200}, {In: []string{"docs"}}, {Against: []string{"docs"}}, {Limit: 1},
		{Access: AccessScan}, {Args: measure.Args{Min: 3}}, {Since: "mark"}, {Where: &Fields{}}, {WhereB: &Fields{}},
		{Keep: func(string, DocInfo) (bool, error) { return true, nil }},
	} {
		d := Document{Collection: "new", ID: "a", Text: "one two three four"}
		if _, stored, err := db.PutUnlessSimilar(ctx, d, q); !errors.Is(err, ErrInvalid) || stored {
			t.Errorf("PutUnlessSimilar(%+v) = %v, %v, want ErrInvalid", q, stored, err)
		}
		if _, _, err := db.IsNew(ctx, d, q); !errors.Is(err, ErrInvalid) {
			t.Errorf("IsNew(%+v): %v, want ErrInvalid", q, err)
		}
	}
	if _, err := db.collection("new"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a refused put made its collection: %v", err)
	}
}

// A load decides as one writer would, however its batches overlap.
func TestLoadUnless(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 15))
		db := openTest(t, testOptions(vfs.NewMem()))
		with := Settings{}
		if seed%2 == 1 {
			with.UniqueSim = "0.7"
		}
		if err := db.CreateCollection(ctx, DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		c, err := db.collection(DefaultCollection)
		if err != nil {
			t.Fatal(err)
		}
		m := unlessModel{newModel(analysisOf(with)), c.Unique}
		g := &texts{rng: rng}
		var want [][]Dropped
		source := func(yield func(*Batch, error) bool) {
			for range 150 {
				steps := drawSteps(rng, g, []string{"unless", "unless", "unless", "delete"})
				after, dropped, _, err := m.run(steps)
				if err != nil {
					t.Error(err)
				}
				m, want = after, append(want, dropped)
				if !yield(batchOf(steps), nil) {
					return
				}
			}
		}
		var got [][]Dropped
		if err := db.Load(ctx, source, func(b *Batch, _ BatchStats) { got = append(got, b.Dropped()) }); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, func(a, b []Dropped) bool { return slices.Equal(a, b) }) {
			t.Errorf("seed %d: the load dropped %v, want %v", seed, got, want)
		}
		sameDocuments(t, db, m.texts)
		checkClean(t, db, fmt.Sprint("seed ", seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
