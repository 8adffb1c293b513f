// The nearest of each document, and of one, by all measures, against brute force.

package pairs_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/torture"
)

// nearWorld is collections with what they should hold. Some ids are in several of them.
type nearWorld struct {
	db     *engine.DB
	models map[string]*testmodel.Model
}

type nearDoc struct{ collection, id string }

type nearRow struct {
	a, b  nearDoc
	score measure.Score
}

func (r nearRow) String() string {
	return fmt.Sprintf("%s/%s %s/%s %v %d/%d", r.a.collection, r.a.id, r.b.collection, r.b.id, r.score.Sim(), r.score.Shared, r.score.Union)
}

// docs lists documents of collections by id, those of one id in the order of collections.
func (w *nearWorld) docs(in []string) (out []nearDoc) {
	for _, c := range in {
		for _, id := range w.models[c].IDs() {
			out = append(out, nearDoc{c, id})
		}
	}
	return out
}

// compareDocs orders documents by id, those of one id as the search names their collections.
func compareDocs(q engine.Search) func(a, b nearDoc) int {
	order := map[string]int{}
	for i, c := range slices.Concat(q.In, q.Against) {
		order[c] = i
	}
	return func(a, b nearDoc) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(order[a.collection], order[b.collection]))
	}
}

// score compares two documents, a being the query.
func (w *nearWorld) score(q engine.Search, a, b nearDoc) (measure.Score, bool) {
	m := w.models[b.collection]
	probe := w.models[a.collection]
	s, ok := m.Score(q, probe.Texts[a.id], probe.Bags[a.id], b.id)
	return s, ok && s.Shared > 0 && s.Reaches(q.Min)
}

// best are the n best rows of each first document of a row with its a or, turned, its b.
func (w *nearWorld) best(q engine.Search, turned bool) map[[2]nearDoc]measure.Score {
	in, against := w.docs(q.In), w.docs(q.Against)
	if len(q.Against) == 0 {
		against = in
	}
	if turned {
		in, against = against, in
	}
	out := map[[2]nearDoc]measure.Score{}
	for _, x := range in {
		var rows []nearRow
		for _, y := range against {
			s, ok := w.score(q, x, y)
			r := nearRow{x, y, s}
			if turned {
				r.a, r.b = y, x
			}
			if ok && x != y && (q.Accept == nil || accepts(q, r)) {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, func(r, o nearRow) int {
			if turned {
				return cmp.Or(o.score.Compare(r.score), compareDocs(q)(r.a, o.a))
			}
			return cmp.Or(o.score.Compare(r.score), compareDocs(q)(r.b, o.b))
		})
		for _, r := range rows[:min(q.Nearest, len(rows))] {
			out[[2]nearDoc{r.a, r.b}] = r.score
		}
	}
	return out
}

func accepts(q engine.Search, r nearRow) bool {
	ok, err := q.Accept(r.a.collection, r.a.id, q.Match(r.b.collection, r.b.id, r.score))
	return ok && err == nil
}

// pairs are the rows of Pairs with Nearest.
func (w *nearWorld) pairs(q engine.Search) []string {
	compare := compareDocs(q)
	found, back := w.best(q, false), map[[2]nearDoc]measure.Score{}
	if q.Mutual {
		back = w.best(q, true)
	}
	var rows []nearRow
	for ends, s := range found {
		if _, ok := back[ends]; q.Mutual && !ok {
			continue
		}
		turned := [2]nearDoc{ends[1], ends[0]}
		_, there := found[turned]
		_, both := back[turned]
		if q.Mutual && q.Method().Symmetric() && there && both && compare(ends[0], ends[1]) > 0 {
			continue
		}
		rows = append(rows, nearRow{ends[0], ends[1], s})
	}
	slices.SortFunc(rows, func(x, y nearRow) int {
		return cmp.Or(y.score.Compare(x.score), cmp.Compare(x.a.id, y.a.id), cmp.Compare(x.b.id, y.b.id), compare(x.a, y.a), compare(x.b, y.b))
	})
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	out := []string{}
	for _, r := range rows {
		out = append(out, r.String())
	}
	return out
}

func nearRows(t *testing.T, s *engine.Snapshot, q engine.Search) []string {
	t.Helper()
	r, err := s.Pairs(context.Background(), q)
	out := []string{}
	for _, m := range testmodel.Collect(t, r, err) {
		score := measure.Score{Shared: m.Shared, Union: m.Union, Of: m.Of, Unit: m.Unit}
		out = append(out, nearRow{nearDoc{m.CollectionA, m.A}, nearDoc{m.CollectionB, m.B}, score}.String())
	}
	if r.Plan.Access != "nearest" {
		t.Errorf("the plan says access %q, want nearest", r.Plan.Access)
	}
	return out
}

// someRows accepts two thirds of all rows, one of a pair perhaps and not the other, and
// none of equal documents.
func someRows(collection, id string, b api.Match) (bool, error) {
	h := fnv.New32()
	fmt.Fprint(h, collection, id, b.Collection, b.ID)
	return h.Sum32()%3 > 0 && b.Sim < 1, nil
}

// fewRows accepts one row in 40.
func fewRows(collection, id string, b api.Match) (bool, error) {
	h := fnv.New32()
	fmt.Fprint(h, b.ID, b.Collection, collection, id)
	return h.Sum32()%40 == 0, nil
}

func TestNearestEqualsBruteForce(t *testing.T) {
	t.Parallel()
	all := []api.Settings{{}, {Unit: "char", K: 3}, {K: 2, SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true}, {K: 1}}
	seeds := []uint64{3, 1, 1, 2}
	if torture.Short() {
		seeds = []uint64{0, 1, 0, 1}
	}
	for i, settings := range all {
		for seed := range seeds[i] {
			t.Run(fmt.Sprintf("%d/%d", i, seed), func(t *testing.T) { testNearest(t, settings, seed) })
		}
	}
}

func testNearest(t *testing.T, settings api.Settings, seed uint64) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 15))
	o := enginetest.Options(vfs.NewMem())
	o.MemoryBytes = 1 << 20
	w := &nearWorld{enginetest.Open(t, o), map[string]*testmodel.Model{}}
	defer func() { w.db.Close() }()
	g := &testmodel.Texts{Rng: rng, Prose: settings.Versions}
	documents := torture.Few(36, 60)
	if settings.Versions {
		documents = 30
	}
	for _, c := range []string{"x", "docs", "b"} {
		if err := w.db.CreateCollection(ctx, c, settings); err != nil {
			t.Fatal(err)
		}
		w.models[c] = testmodel.NewModel(enginetest.AnalysisOf(settings))
		for range documents {
			id, text := fmt.Sprintf("d%03d", rng.IntN(documents)), g.Next()
			w.models[c].Put(id, text)
			if err := w.db.Put(ctx, api.Document{Collection: c, ID: id, Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		if c == "docs" {
			enginetest.Settled(t, w.db)
			if err := w.db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.check(t, rng, settings, seed)
	for _, c := range []string{"x", "docs", "b"} {
		for range documents / 3 {
			id, text := fmt.Sprintf("d%03d", rng.IntN(documents)), g.Next()
			var err error
			if rng.IntN(2) == 0 && w.models[c].Texts[id] != "" {
				w.models[c].Delete(id)
				err = w.db.Delete(ctx, c, id)
			} else {
				w.models[c].Put(id, text)
				err = w.db.Put(ctx, api.Document{Collection: c, ID: id, Text: text})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if c == "x" {
			if err := w.db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	w.db = enginetest.Open(t, o)
	w.check(t, rng, settings, seed)
}

// check asks all measures.
func (w *nearWorld) check(t *testing.T, rng *rand.Rand, settings api.Settings, seed uint64) {
	t.Helper()
	s, err := w.db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	zero := api.Threshold{}
	for _, method := range enginetest.Methods(settings) {
		for _, in := range [][2][]string{{{"docs"}, nil}, {{"x", "docs"}, nil}, {{"x"}, {"docs", "b"}}} {
			for _, mutual := range []bool{false, true} {
				q := engine.Search{In: in[0], Against: in[1], Measure: method.Measure, Args: method.Args}
				q.Mutual = mutual
				q.Nearest = []int{1, 2, 5, 100}[rng.IntN(4)]
				q.Min = []api.Threshold{zero, zero, api.Ratio(3, 10), api.Ratio(3, 4)}[rng.IntN(4)]
				q.Accept = []func(string, string, api.Match) (bool, error){nil, nil, someRows, fewRows}[rng.IntN(4)]
				if rng.IntN(3) == 0 {
					q.Limit = 1 + rng.IntN(20)
				}
				got, want := nearRows(t, s, q), w.pairs(q)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s: %d nearest, mutual %v, in %v against %v, sim >= %s, some %v, limit %d: got %d rows, want %d\n%s", seed,
						method.Measure.Describe(method.Args), q.Nearest, mutual, q.In, q.Against, q.Min, q.Accept != nil, q.Limit, len(got), len(want), testmodel.Difference(got, want))
				}
			}
		}
		w.ofOne(t, s, rng, method)
	}
}

// ofOne checks the nearest of one document: a Limit without a threshold.
func (w *nearWorld) ofOne(t *testing.T, s *engine.Snapshot, rng *rand.Rand, method api.Method) {
	t.Helper()
	for range 5 {
		q := engine.Search{In: []string{"docs", "x"}, Measure: method.Measure, Args: method.Args, Limit: 1 + rng.IntN(12)}
		if q.Measure == api.SimHash {
			q.Min = api.Ratio(1, 64)
		}
		ids := w.models["docs"].IDs()
		target := nearDoc{"docs", ids[rng.IntN(len(ids))]}
		near, want := q, []string{}
		near.Nearest, near.Limit = q.Limit, 0
		var rows []nearRow
		for ends, score := range w.best(near, false) {
			if ends[0] == target {
				rows = append(rows, nearRow{ends[0], ends[1], score})
			}
		}
		slices.SortFunc(rows, func(r, o nearRow) int { return cmp.Or(o.score.Compare(r.score), compareDocs(q)(r.b, o.b)) })
		for _, r := range rows {
			want = append(want, r.String())
		}
		got := []string{}
		res, err := s.Similar(t.Context(), api.ByID(target.id), q)
		for _, m := range testmodel.Collect(t, res, err) {
			score := measure.Score{Shared: m.Shared, Union: m.Union, Of: m.Of, Unit: m.Unit}
			got = append(got, nearRow{target, nearDoc{m.Collection, m.ID}, score}.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %d nearest of %s:\n%s", method.Measure.Describe(method.Args), q.Limit, target.id, testmodel.Difference(got, want))
		}
	}
}
