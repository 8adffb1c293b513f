// The model of batches with conditions and changes of metadata: it does one operation after
// another, and compares all with all.

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// unlessModel is what a collection should hold after operations with conditions.
type unlessModel struct {
	*model
	name   string
	unique api.Threshold
	year   map[string]int // metadata, by id; 0 is none
	last   map[string]int // by id, the moment of its last write
}

func newUnlessModel(name string, analysis shingle.Analysis, unique api.Threshold) unlessModel {
	return unlessModel{newModel(analysis), name, unique, map[string]int{}, map[string]int{}}
}

func modelOfCollection(t *testing.T, db *DB, name string) unlessModel {
	t.Helper()
	c := collectionOf(t, db, name)
	return newUnlessModel(name, c.Analysis, c.Unique)
}

// first is the row that a search for the text has first, without a document.
func (m unlessModel) first(q Search, text, but string) (best api.Match, found bool) {
	bag := m.bag(text)
	var top measure.Score
	for _, id := range m.ids() {
		s, ok := m.score(q, text, bag, id)
		if !ok || id == but || !s.Reaches(q.Min) || found && s.Compare(top) <= 0 {
			continue
		}
		best, top, found = q.Match(m.name, id, s), s, true
	}
	return best, found
}

// keepsOut is the document that keeps a put from taking effect, and whether that refuses
// the batch.
func (m unlessModel) keepsOut(d api.Document, unless *Search) (row api.Match, by api.Measure, found, refuses bool) {
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
		if row, found = m.first(Search{Min: m.unique}, d.Text, d.ID); found {
			return row, by, true, unless == nil
		}
	}
	return row, by, false, false
}

// step is one operation of a batch, as the test draws it.
type step struct {
	kind string // put, unless, new, delete, newest, longest, meta
	doc  api.Document
	q    Search
	year int // the metadata of the document; 0: none
}

// conditional says whether a step puts a document, or does not.
func (s step) conditional() bool {
	return s.kind == "unless" || s.kind == "newest" || s.kind == "longest"
}

// do makes one step, which is the i-th of its batch.
func (m unlessModel) do(i, now int, s step) (dropped, evicted []api.Dropped, err error) {
	_, there := m.texts[s.doc.ID]
	switch {
	case s.kind == "delete":
		m.remove(s.doc.ID)
		return nil, nil, nil
	case s.kind == "meta":
		if there {
			m.year[s.doc.ID] = s.year
		}
		return nil, nil, nil
	case s.kind == "new" && there:
		return nil, nil, api.ErrExists
	}
	var unless *Search
	if s.conditional() {
		unless = &s.q
	}
	row, by, found, refuses := m.keepsOut(s.doc, unless)
	if found && (s.kind == "newest" || s.kind == "longest") {
		var out []api.Dropped
		longer := true
		for rest := m.copied(); ; {
			row, by, found, _ := rest.keepsOut(s.doc, unless)
			if !found {
				break
			}
			longer = longer && len(s.doc.Text) > len(rest.texts[row.ID])
			out = append(out, api.Dropped{Op: i, ID: row.ID, Match: row, Measure: by})
			out[len(out)-1].Match.ID = s.doc.ID
			rest.remove(row.ID)
		}
		if s.kind == "newest" || longer {
			found, evicted = false, out
			slices.SortFunc(out, func(a, b api.Dropped) int { return cmp.Compare(a.ID, b.ID) })
			for _, d := range out {
				m.remove(d.ID)
			}
		}
	}
	switch {
	case refuses:
		return nil, nil, &api.SimilarError{Collection: m.name, ID: s.doc.ID, UniqueSim: m.unique.String(), Match: row}
	case found:
		return []api.Dropped{{Op: i, ID: s.doc.ID, Match: row, Measure: by}}, nil, nil
	}
	m.put(s.doc.ID, s.doc.Text)
	m.year[s.doc.ID], m.last[s.doc.ID] = s.year, now
	return nil, evicted, nil
}

func (m unlessModel) remove(id string) {
	m.delete(id)
	delete(m.year, id)
	delete(m.last, id)
}

func (m unlessModel) copied() unlessModel {
	m.model = &model{m.analysis, maps.Clone(m.texts), maps.Clone(m.bags)}
	m.year, m.last = maps.Clone(m.year), maps.Clone(m.last)
	return m
}

// world is a store of collections, by name.
type world map[string]unlessModel

// run does the steps of a batch on a copy, or none.
func (w world) run(now int, steps []step) (after world, dropped, evicted []api.Dropped, err error) {
	put := map[[2]string]step{} // last, of each document
	for _, s := range steps {
		key := [2]string{s.doc.Collection, s.doc.ID}
		if s.kind == "meta" && put[key].conditional() {
			return w, nil, nil, api.ErrInvalid
		} else if s.kind != "meta" {
			put[key] = s
		}
	}
	after = world{}
	for name, m := range w {
		after[name] = m.copied()
	}
	for i, s := range steps {
		d, e, err := after[record.OrDefault(s.doc.Collection)].do(i, now, s)
		if err != nil {
			return w, nil, nil, err
		}
		dropped, evicted = append(dropped, d...), append(evicted, e...)
	}
	return after, dropped, evicted, nil
}

// sameOutcome holds what Commit said against what it should say.
func sameOutcome(t *testing.T, what string, b *Batch, stats api.BatchStats, err error, dropped, evicted []api.Dropped, wrong error) {
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

func drawSteps(rng *rand.Rand, g *texts, kinds []string) (steps []step) {
	for range 1 + rng.IntN(12) {
		s := step{kind: kinds[rng.IntN(len(kinds))], doc: api.Document{ID: fmt.Sprintf("d%02d", rng.IntN(40)), Text: g.next()}, year: rng.IntN(4)}
		s.q.Measure = []api.Measure{
			api.Jaccard, api.Jaccard, api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc,
			api.Multiset, api.Repetition, api.SimHash, api.Tversky,
		}[rng.IntN(9)]
		if s.q.Measure == api.Tversky {
			s.q.Args.Alpha, _ = api.ParseWeight("1/3")
			s.q.Args.Beta, _ = api.ParseWeight("2")
		}
		if rng.IntN(3) > 0 {
			s.q.Min = api.Ratio(uint64(3+rng.IntN(8)), 10)
		}
		steps = append(steps, s)
	}
	return steps
}

func batchOf(steps []step) *Batch {
	b := &Batch{}
	for _, s := range steps {
		if s.doc.Meta = (api.Meta{"who": s.doc.ID}); s.year > 0 {
			s.doc.Meta["year"] = s.year
		}
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
			b.Delete(s.doc.Collection, s.doc.ID)
		case "meta":
			change := api.Meta{"year": s.year}
			if s.year == 0 {
				change["year"] = nil
			}
			b.UpdateMeta(s.doc.Collection, s.doc.ID, change)
		}
	}
	return b
}

// ownTokens says whether documents bring their tokens, which are the words of their texts.
func (m unlessModel) ownTokens() bool { return m.analysis.Unit == text.Own }
