package pairs

// The question of an answer: its collections, the sets that may be in a row, and the joins
// that answer it.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Keeps reports whether a document may be the a, or the b, of a row.
type Keeps func(collection string, d api.DocInfo) (bool, error)

// question is the input of an answer. It is constant while joins run.
type question struct {
	search.Search
	m       *view.Snapshot
	views   []*view.View
	against int              // index of the first view of the other side; 0: none
	since   []*view.Since    // by view; nil: no mark
	formula measure.Formula  // of a measure of bags
	kept    []confined       // by view
	filters []api.FilterStat // counts of the metadata indexes that restrict it

	keepA, keepB Keeps // tests of Count; nil: accept all

	// connect restricts the answer to components: edges within a component that is already
	// connected may be omitted.
	connect bool
}

// newQuestion checks a search and resolves its collections and mark.
func newQuestion(ctx context.Context, m *view.Snapshot, ask search.Search) (*question, error) {
	if err := ask.Check(); err != nil {
		return nil, err
	}
	q := &question{m: m, Search: ask}
	if q.Measure.OfBags() {
		q.formula = q.Formula()
	}
	var err error
	if q.views, err = m.ViewsOf(q.In); err != nil {
		return nil, err
	}
	if len(q.Against) > 0 {
		others, err := m.ViewsOf(q.Against)
		if err != nil {
			return nil, err
		}
		q.against = len(q.views)
		for _, v := range others {
			if slices.Contains(q.views, v) {
				return nil, fault.Invalid("collection %q is on both sides of AGAINST", v.Name)
			}
		}
		q.views = append(q.views, others...)
	}
	q.kept = make([]confined, len(q.views))
	if q.Since != "" {
		q.since = make([]*view.Since, len(q.views))
	}
	for i := range q.since {
		if q.since[i], err = m.Since(ctx, q.views[i], q.Since); err != nil {
			return nil, err
		}
	}
	return q, q.pairable()
}

// pairable returns an error if the measure cannot pair the collections.
func (q *question) pairable() error {
	for _, v := range q.views {
		if err := search.RefuseOtherK(v.Schema, "pairs", q.Method()); err != nil {
			return err
		}
		if !q.Measure.OfTexts() {
			continue
		}
		if q.ReadsBags() {
			return fault.Invalid("pairs by %s compare whole texts: IGNORING is for pairs by measures of shingles", q.Measure)
		}
		if kept, setting, err := search.Keeps(v, q.Search); err != nil {
			return err
		} else if !kept {
			return fault.Invalid("pairs by %s: collection %q was not created WITH (%s); export it and import it into one that was", q.Measure, v.Name, setting)
		}
		if !v.Kept.Texts() { // documents of one set may have different texts
			return fault.Invalid("pairs by %s: collection %q keeps nothing of texts; create one WITH (versions = on), (words = on) or (patricia = on)", q.Measure, v.Name)
		}
	}
	for _, v := range q.views[1:] {
		if v.Analysis != q.views[0].Analysis || v.Settings.Language != q.views[0].Settings.Language {
			return fault.Invalid("collections %q and %q read texts differently (unit, k, fold or language): their documents cannot be paired", q.views[0].Name, v.Name)
		}
		if why := search.Differ(q.Search, v, q.views[0]); why != "" {
			return fault.Invalid("%s", why)
		}
	}
	return nil
}

// sides are the two views of a join: two collections, or one with itself.
type sides struct{ from, to int }

// self reports whether a collection is joined with itself.
func (s sides) self() bool { return s.from == s.to }

// joins lists the joins of the answer. If the measure is not symmetric, two views are joined
// in both directions.
func (q *question) joins() (out []sides) {
	for i := range q.views {
		for j := i; j < len(q.views); j++ {
			if q.against > 0 && (i >= q.against || j < q.against) {
				continue
			}
			out = append(out, sides{i, j})
			if i != j && q.against == 0 && !q.Method().Symmetric() {
				out = append(out, sides{j, i})
			}
		}
	}
	return out
}

// isAgainst reports whether rows name documents of a view second only.
func (q *question) isAgainst(side uint16) bool { return q.against > 0 && int(side) >= q.against }

// directed reports whether an edge applies in one direction only.
func (q *question) directed() bool { return q.against == 0 && !q.Method().Symmetric() }

// turned returns the search with query and document swapped; false if there is none.
func (q *question) turned() (s search.Search, ok bool) {
	s = q.Search
	s.Measure, s.Args, ok = s.Measure.Swapped(s.Args)
	return s, ok
}

// weights returns the view with the document counts for idf weights in pairs of two sides:
// the view named later, as in a search for the a of a row among the b.
func (q *question) weights(x, y int) *view.View { return q.views[max(x, y)] }

// confined holds the sets of a view with documents that may be the a of a row, and those
// that may be the b; nil means all.
type confined struct{ a, b *search.Sets }

// may reports whether two sets of a join may have a row. Where pairs are ordered, by the
// query or by AGAINST, the first is the a.
func (q *question) may(s sides, from, to uint32) bool {
	f, t := &q.kept[s.from], &q.kept[s.to]
	ordered := q.against > 0 || !q.Method().Symmetric()
	return search.Has(f.a, from) && search.Has(t.b, to) || !ordered && search.Has(f.b, from) && search.Has(t.a, to)
}

// counts reports whether a pair of sets may have a row with a document newer than the mark.
func (q *question) counts(s sides, from, to uint32) bool {
	return (q.since == nil || q.since[s.from].Has(from) || q.since[s.to].Has(to)) && q.may(s, from, to)
}

// addPlan adds the plan of a join to the sum.
func (q *question) addPlan(sum, p *api.Plan) *api.Plan {
	if sum == nil {
		p.Filters = append(slices.Clone(q.filters), p.Filters...)
		return p
	}
	sum.Add(p)
	return sum
}

// live lists the live sets of a view among sets; nil means all.
func (q *question) live(side int, sets *search.Sets) []uint32 {
	v := q.views[side]
	if sets == nil {
		return v.Live(0, v.Table.Len())
	}
	return v.LiveOf(sets.ToArray(), 0)
}
