// A model of batches with conditions and changes of metadata: it executes operations one by one,
// and compares with all documents.

package enginetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// Of returns the rows in which the document in column place has year n.
func (m UnlessModel) Of(rows []string, place, n int) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(r string) bool { return m.Year[strings.Fields(r)[place]] != n })
}

// UnlessModel is the expected content of a collection after operations with conditions.
type UnlessModel struct {
	*testmodel.Model
	name   string
	unique api.Threshold
	Year   map[string]int // metadata, by id; 0: none
	Last   map[string]int // moment of the last write, by id
}

// newUnlessModel returns a model without documents.
func newUnlessModel(name string, analysis shingle.Analysis, unique api.Threshold) UnlessModel {
	return UnlessModel{testmodel.NewModel(analysis), name, unique, map[string]int{}, map[string]int{}}
}

// ModelOfCollection returns the empty model of a collection.
func ModelOfCollection(t *testing.T, db *engine.DB, name string) UnlessModel {
	t.Helper()
	c := Collection(t, db, name)
	return newUnlessModel(name, c.Analysis, c.Unique)
}

// first returns the first row of a search for text, ignoring the document but.
func (m UnlessModel) first(q engine.Search, text, but string) (best api.Match, found bool) {
	bag := m.Bag(text)
	var top measure.Score
	for _, id := range m.IDs() {
		s, ok := m.Score(q, text, bag, id)
		if !ok || id == but || !s.Reaches(q.Min) || found && s.Compare(top) <= 0 {
			continue
		}
		best, top, found = q.Match(m.name, id, s), s, true
	}
	return best, found
}

// KeepsOut returns the document that prevents a put, and whether the whole batch is refused.
func (m UnlessModel) KeepsOut(d api.Document, unless *engine.Search) (row api.Match, by api.Measure, found, refuses bool) {
	if unless != nil {
		q := *unless
		if q.Min == (api.Threshold{}) {
			q.Min = api.Ratio(4, 5)
			if q.Measure == api.Jaccard && m.unique != (api.Threshold{}) {
				q.Min = m.unique
			}
		}
		if q.Measure == api.Jaccard && m.unique != (api.Threshold{}) && m.unique.Cmp(q.Min) < 0 {
			q.Min = m.unique
		}
		if row, found = m.first(q, d.Text, d.ID); found {
			return row, q.Measure, true, false
		}
	}
	if m.unique != (api.Threshold{}) {
		if row, found = m.first(engine.Search{Min: m.unique}, d.Text, d.ID); found {
			return row, by, true, unless == nil
		}
	}
	return row, by, false, false
}

// Step is one operation of a batch, drawn at random.
type Step struct {
	kind string // put, unless, new, delete, newest, longest, meta
	Doc  api.Document
	Q    engine.Search
	year int // metadata of the document; 0: none
}

// conditional reports whether the step is a conditional put.
func (s Step) conditional() bool {
	return s.kind == "unless" || s.kind == "newest" || s.kind == "longest"
}

// do executes the step with index i of its batch.
func (m UnlessModel) do(i, now int, s Step) (dropped, evicted []api.Dropped, err error) {
	_, there := m.Texts[s.Doc.ID]
	switch {
	case s.kind == "delete":
		m.Remove(s.Doc.ID)
		return nil, nil, nil
	case s.kind == "meta":
		if there {
			m.Year[s.Doc.ID] = s.year
		}
		return nil, nil, nil
	case s.kind == "new" && there:
		return nil, nil, api.ErrExists
	}
	var unless *engine.Search
	if s.conditional() {
		unless = &s.Q
	}
	row, by, found, refuses := m.KeepsOut(s.Doc, unless)
	if found && (s.kind == "newest" || s.kind == "longest") {
		var out []api.Dropped
		longer := true
		for rest := m.Copied(); ; {
			row, by, found, _ := rest.KeepsOut(s.Doc, unless)
			if !found {
				break
			}
			longer = longer && len(s.Doc.Text) > len(rest.Texts[row.ID])
			out = append(out, api.Dropped{Op: i, ID: row.ID, Match: row, Measure: by})
			out[len(out)-1].Match.ID = s.Doc.ID
			rest.Remove(row.ID)
		}
		if s.kind == "newest" || longer {
			found, evicted = false, out
			slices.SortFunc(out, func(a, b api.Dropped) int { return cmp.Compare(a.ID, b.ID) })
			for _, d := range out {
				m.Remove(d.ID)
			}
		}
	}
	switch {
	case refuses:
		return nil, nil, &api.SimilarError{Collection: m.name, ID: s.Doc.ID, UniqueSim: m.unique.String(), Match: row}
	case found:
		return []api.Dropped{{Op: i, ID: s.Doc.ID, Match: row, Measure: by}}, nil, nil
	}
	m.Put(s.Doc.ID, s.Doc.Text)
	m.Year[s.Doc.ID], m.Last[s.Doc.ID] = s.year, now
	return nil, evicted, nil
}

// Remove deletes a document.
func (m UnlessModel) Remove(id string) {
	m.Delete(id)
	delete(m.Year, id)
	delete(m.Last, id)
}

// Copied returns an independent copy.
func (m UnlessModel) Copied() UnlessModel {
	m.Model = &testmodel.Model{Analysis: m.Analysis, Texts: maps.Clone(m.Texts), Bags: maps.Clone(m.Bags)}
	m.Year, m.Last = maps.Clone(m.Year), maps.Clone(m.Last)
	return m
}

// World holds the models of collections, by name.
type World map[string]UnlessModel

// Run executes the steps of a batch on a copy; on error it returns w unchanged.
func (w World) Run(now int, steps []Step) (after World, dropped, evicted []api.Dropped, err error) {
	put := map[[2]string]Step{} // last step of each document
	for _, s := range steps {
		key := [2]string{s.Doc.Collection, s.Doc.ID}
		if s.kind == "meta" && put[key].conditional() {
			return w, nil, nil, api.ErrInvalid
		} else if s.kind != "meta" {
			put[key] = s
		}
	}
	after = World{}
	for name, m := range w {
		after[name] = m.Copied()
	}
	for i, s := range steps {
		d, e, err := after[record.OrDefault(s.Doc.Collection)].do(i, now, s)
		if err != nil {
			return w, nil, nil, err
		}
		dropped, evicted = append(dropped, d...), append(evicted, e...)
	}
	return after, dropped, evicted, nil
}

// SameOutcome compares the outcome of Commit with the expected one.
func SameOutcome(t *testing.T, what string, b *engine.Batch, stats api.BatchStats, err error, dropped, evicted []api.Dropped, wrong error) {
	t.Helper()
	var similar, wantSimilar *api.SimilarError
	switch {
	case errors.As(wrong, &wantSimilar):
		if !errors.As(err, &similar) || *similar != *wantSimilar || !errors.Is(err, api.ErrSimilar) {
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
}

// DrawSteps draws the steps of one batch, of the given kinds.
func DrawSteps(rng *rand.Rand, g *testmodel.Texts, kinds []string) (steps []Step) {
	for range 1 + rng.IntN(12) {
		s := Step{kind: kinds[rng.IntN(len(kinds))], Doc: api.Document{ID: fmt.Sprintf("d%02d", rng.IntN(40)), Text: g.Next()}, year: rng.IntN(4)}
		s.Q.Measure = []api.Measure{
			api.Jaccard, api.Jaccard, api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc,
			api.Multiset, api.Repetition, api.SimHash, api.Tversky, api.Dice, api.Overlap,
		}[rng.IntN(11)]
		if s.Q.Measure == api.Tversky {
			s.Q.Args.Alpha, _ = api.ParseWeight("1/3")
			s.Q.Args.Beta, _ = api.ParseWeight("2")
		}
		if rng.IntN(3) > 0 {
			s.Q.Min = api.Ratio(uint64(3+rng.IntN(8)), 10)
		}
		steps = append(steps, s)
	}
	return steps
}

// BatchOf returns the batch of some steps.
func BatchOf(steps []Step) *engine.Batch {
	b := &engine.Batch{}
	for _, s := range steps {
		if s.Doc.Meta = (api.Meta{"who": s.Doc.ID}); s.year > 0 {
			s.Doc.Meta["year"] = s.year
		}
		switch s.kind {
		case "put":
			b.Put(s.Doc)
		case "unless":
			b.PutUnlessSimilar(s.Doc, s.Q)
		case "new":
			b.PutNew(s.Doc)
		case "newest", "longest":
			b.PutReplacingSimilar(s.Doc, s.Q, s.kind == "longest")
		case "delete":
			b.Delete(s.Doc.Collection, s.Doc.ID)
		case "meta":
			change := api.Meta{"year": s.year}
			if s.year == 0 {
				change["year"] = nil
			}
			b.UpdateMeta(s.Doc.Collection, s.Doc.ID, change)
		}
	}
	return b
}

// OwnTokens reports whether documents bring their own tokens: the words of their texts.
func (m UnlessModel) OwnTokens() bool { return m.Analysis.Unit == text.Own }
