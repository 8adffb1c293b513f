// A model that records the time of each write.

package enginetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
)

// Timeline is a model with the moment of each document's last write.
type Timeline struct {
	*testmodel.Model
	Now  int
	Last map[string]int // moment of the last write, by id
	Ways [2]int         // number of searches that found all pairs, and that found only new ones
}

// KeptMark is a mark with its moment.
type KeptMark struct {
	Mark string
	At   int
}

// Dedupe implements dedupe by its definition: it visits each component of the pairs in the order
// of keep. A document stays unless it is similar to one that stays already, and then goes to the
// first such.
func (h *Timeline) Dedupe(q engine.Search, keep api.Keep) (rows []string) {
	ids := h.IDs()
	slices.SortFunc(ids, func(a, b string) int {
		first := cmp.Compare(h.Last[a], h.Last[b])
		switch keep {
		case api.KeepNewest:
			return -first
		case api.KeepLongest:
			return cmp.Or(cmp.Compare(len(h.Texts[b]), len(h.Texts[a])), first)
		case api.KeepShortestID:
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		}
		return first
	})
	alike := func(a, b string) (measure.Score, bool) {
		s, ok := h.Score(q, h.Texts[min(a, b)], h.Bags[min(a, b)], max(a, b))
		return s, ok && s.Reaches(q.Min)
	}
	group := map[string]int{}
	var connect func(id string, g int)
	connect = func(id string, g int) {
		group[id] = g
		for _, other := range ids {
			if _, ok := alike(id, other); ok && other != id && group[other] == 0 {
				connect(other, g)
			}
		}
	}
	groups := 0
	for _, id := range ids {
		partner := slices.ContainsFunc(ids, func(other string) bool { _, ok := alike(id, other); return ok && other != id })
		if group[id] == 0 && partner {
			groups++
			connect(id, groups)
		}
	}
	for g := 1; g <= groups; g++ {
		var stay []string
		for _, id := range ids {
			if group[id] == g && !slices.ContainsFunc(stay, func(s string) bool { _, ok := alike(id, s); return ok }) {
				stay = append(stay, id)
			}
		}
		for _, id := range ids {
			switch like, best := "", (measure.Score{}); {
			case group[id] != g:
			case slices.Contains(stay, id):
				rows = append(rows, fmt.Sprintf("%d %s stays", g, id))
			default:
				for _, s := range stay {
					if score, ok := alike(id, s); ok && like == "" {
						like, best = s, score
					}
				}
				rows = append(rows, fmt.Sprintf("%d %s like %s %d/%d", g, id, like, best.Shared, best.Of))
			}
		}
	}
	return rows
}

// Since returns the rows, which begin with two ids, with a document written after at.
func (h *Timeline) Since(rows []string, at int) []string {
	out := []string{}
	for _, r := range rows {
		ids := strings.Fields(r)
		if h.Last[ids[0]] > at || h.Last[ids[1]] > at {
			out = append(out, r)
		}
	}
	return out
}

// GroupsSince returns the groups, given by their members, with a document written after at.
func (h *Timeline) GroupsSince(rows []string, at int) []string {
	written := map[string]bool{}
	for _, r := range rows {
		ids := strings.Fields(r)
		written[ids[0]] = written[ids[0]] || h.Last[ids[1]] > at
	}
	out := []string{}
	for _, r := range rows {
		if written[strings.Fields(r)[0]] {
			out = append(out, r)
		}
	}
	return out
}

// Step commits one random batch: more puts than deletions, some of existing texts.
func (h *Timeline) Step(t *testing.T, db *engine.DB, g *testmodel.Texts) {
	t.Helper()
	var b engine.Batch
	for range 1 + g.Rng.IntN(3) {
		h.Now++
		id := fmt.Sprint("d", g.Rng.IntN(40))
		old, there := h.Texts[id]
		switch n := g.Rng.IntN(10); {
		case n == 0 && there:
			b.Delete("", id)
			h.Delete(id)
			delete(h.Last, id)
			continue
		case n == 1 && there:
			b.Put(api.Document{ID: id, Text: old}) // equal text
		default:
			old = g.Next()
			b.Put(api.Document{ID: id, Text: old})
		}
		h.Put(id, old)
		h.Last[id] = h.Now
	}
	if _, err := db.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
}

// Compare compares pairs and clusters since each mark with the model, by every measure.
func (h *Timeline) Compare(t *testing.T, db *engine.DB, marks []KeptMark, settings api.Settings, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, method := range Methods(settings) {
		for _, th := range []string{"0.73", "0.3"} {
			min, err := api.ParseThreshold(th)
			if err != nil {
				t.Fatal(err)
			}
			q := engine.Search{Measure: method.Measure, Args: method.Args, Min: min}
			pairs, clusters := h.Pairs(q), h.Clusters(q)
			for k, mark := range marks {
				if method.Measure.OfTexts() && (k+len(th))%2 == 0 { // slow
					continue
				}
				q.Since, q.Limit = mark.Mark, 0
				what := fmt.Sprintf("%s: %s >= %s since %d of %d", when, q.Measure.Describe(q.Args), th, mark.At, h.Now)
				want := h.Since(pairs, mark.At)
				plan, err := PairsPlan(context.Background(), s, q)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(plan.Why, "all pairs, as") {
					h.Ways[0]++
				} else {
					h.Ways[1]++
				}
				if got := PairRows(t, s, q); !slices.Equal(got, want) {
					t.Fatalf("%s: got %d pairs, want %d\n%s", what, len(got), len(want), testmodel.Difference(got, want))
				}
				if q.Limit = len(want) / 2; q.Limit > 0 {
					if got := PairRows(t, s, q); !slices.Equal(got, want[:q.Limit]) {
						t.Fatalf("%s: first %d pairs\n%s", what, q.Limit, testmodel.Difference(got, want[:q.Limit]))
					}
					q.Limit = 0
				}
				if !q.Method().Symmetric() {
					continue
				}
				want = h.GroupsSince(clusters, mark.At)
				if got := ClusterRows(t, s, q); !slices.Equal(got, want) {
					t.Fatalf("%s: clusters\n%s", what, testmodel.Difference(got, want))
				}
			}
		}
	}
}

// PairsError returns the error of Pairs since a mark.
func PairsError(s *engine.Snapshot, since string) error {
	_, err := s.Pairs(context.Background(), engine.Search{Since: since})
	return err
}
