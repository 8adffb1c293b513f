package search

// RELATED TO: one search per rule, the strongest kind first, and one row per document.

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// step is the search by one rule in the collections that support it. The target may be
// stored elsewhere.
type step struct {
	api.Rule
	target *target
	views  []*view.View
}

// Related finds the documents related to the target: the strongest kind first, then score
// descending, then id ascending. It searches for a kind only when the rows of the stronger
// kinds have been read, so a caller that needs few rows does not pay for weaker kinds.
// Memory grows with the number of ids until the last row. It returns ErrNotFound if no
// collection has the target's id.
func Related(ctx context.Context, m *view.Snapshot, t api.Target, q Relations) (*Result[api.Relation], error) {
	steps, plan, err := planRelated(m, t, q)
	if err != nil {
		return nil, err
	}
	if q.PlanOnly {
		for _, s := range steps {
			p, err := explainIn(ctx, m, s.views, s.target, searchBy(s.Rule, q.In, q))
			if err != nil {
				return nil, err
			}
			s.describe(p)
			plan.Related.Parts = append(plan.Related.Parts, p)
		}
		return &Result[api.Relation]{Plan: plan, All: func(func(api.Relation, error) bool) {}}, nil
	}
	return &Result[api.Relation]{Plan: plan, All: func(yield func(api.Relation, error) bool) {
		seen, forms := map[document]bool{}, newForms(m, steps)
		for len(steps) > 0 {
			n := 1
			for n < len(steps) && steps[n].Kind == steps[0].Kind {
				n++
			}
			for r, err := range ofKind(ctx, m, q, steps[:n], plan) {
				d := document{r.Collection, r.ID}
				// The document has a stronger kind already.
				if err == nil && seen[d] {
					continue
				}
				if err == nil {
					var is bool
					// A rejected document may still have a weaker kind.
					if is, err = forms.admits(ctx, r.Kind, d); err == nil && !is {
						continue
					}
				}
				seen[d] = true
				if !yield(r, err) || err != nil {
					return
				}
				plan.Matches++
			}
			steps = steps[n:]
		}
	}}, nil
}

// document identifies a document across collections.
type document struct{ collection, id string }

// planRelated lists the searches in the order of kinds and starts their plan.
func planRelated(m *view.Snapshot, t api.Target, q Relations) ([]step, *api.Plan, error) {
	if q.Rules == nil {
		q.Rules = api.DefaultRules()
	}
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	views, targets, err := resolve(m, q.In, t)
	if err != nil {
		return nil, nil, err
	}
	tg := &targets[0]
	rules := slices.Clone(q.Rules)
	slices.SortStableFunc(rules, func(a, b api.Rule) int { return cmp.Compare(a.Kind, b.Kind) })
	plan := &api.Plan{Measure: "related", Access: "each", Exact: true, Filters: []api.FilterStat{}, Related: &api.RelatedPlan{},
		Why: "a search for each kind, the strongest first; a document has the first kind that holds"}
	var steps []step
	for _, r := range rules {
		s := step{Rule: r, target: tg}
		for _, v := range views {
			if needs(v, tg, r, q) == "" {
				s.views = append(s.views, v)
			}
		}
		if s.views != nil {
			steps = append(steps, s)
		}
	}
	for _, v := range views {
		if note := leftOut(v, tg, rules, q); note != "" {
			plan.Related.LeftOut = append(plan.Related.LeftOut, note)
		}
	}
	return steps, plan, nil
}

// needs returns the requirement of a rule that a collection or target does not meet; "" if
// none.
func needs(v *view.View, t *target, r api.Rule, q Relations) string {
	if need := formsNeed(v, t); r.Kind == api.KindForm && need != "" {
		return need
	}
	if !r.Method.Measure.OfTexts() {
		if k := r.Method.Args.K; r.Kept && v.OtherK(k) {
			return fmt.Sprintf("k = %d", k)
		}
		return ""
	}
	of := textMeasures[r.Method.Measure]
	kept, setting, err := Keeps(v, searchBy(r, nil, Relations{}))
	switch {
	case !t.hasText:
		return "a text to look for"
	case q.Ignoring != (api.Ignoring{}) && !v.FromText():
		return "shingles of letters to ignore"
	case of.needs != nil && of.needs(v) != "":
		return of.needs(v)
	case r.Kept && (err != nil || !kept):
		return setting
	}
	return ""
}

// leftOut lists the rules that do not apply in a collection, for the plan.
func leftOut(v *view.View, t *target, rules []api.Rule, q Relations) string {
	var out []string
	for _, r := range rules {
		if need := needs(v, t, r, q); need != "" {
			out = append(out, fmt.Sprintf("%s by %s (needs %s)", r.Kind, r.Method.Measure, need))
		}
	}
	if out == nil {
		return ""
	}
	return "left out in " + v.Name + ": " + strings.Join(out, ", ")
}

// describe names the kind in the plan of its search.
func (s step) describe(p *api.Plan) {
	p.Statement = s.Kind.String()
	if s.Min == api.Ratio(1, math.MaxUint32) {
		p.MinSim = "above 0"
	}
}

// ofKind merges the answers of the searches for one kind by score. A document may occur once
// per search; its best score comes first.
func ofKind(ctx context.Context, m *view.Snapshot, q Relations, steps []step, plan *api.Plan) iter.Seq2[api.Relation, error] {
	return func(yield func(api.Relation, error) bool) {
		type stream struct {
			next func() (api.Match, error, bool)
			head api.Match
			by   api.Method
		}
		var streams []*stream
		var parts []*api.Plan
		defer func() {
			for _, p := range parts {
				plan.Candidates, plan.Verified, plan.Micros = plan.Candidates+p.Candidates, plan.Verified+p.Verified, plan.Micros+p.Micros
			}
		}()
		for _, s := range steps {
			res, err := similarIn(ctx, m, time.Now(), s.views, nil, s.target, searchBy(s.Rule, q.In, q))
			if err != nil {
				yield(api.Relation{}, err)
				return
			}
			s.describe(res.Plan)
			parts, plan.Related.Parts = append(parts, res.Plan), append(plan.Related.Parts, res.Plan)
			next, stop := iter.Pull2(res.All)
			defer stop()
			streams = append(streams, &stream{next: next, by: s.Method})
		}
		advance := func(s *stream) bool {
			row, err, ok := s.next()
			if err != nil {
				yield(api.Relation{}, err)
				return false
			}
			if s.head = row; !ok {
				streams = slices.DeleteFunc(streams, func(o *stream) bool { return o == s })
			}
			return true
		}
		for _, s := range slices.Clone(streams) {
			if !advance(s) {
				return
			}
		}
		for len(streams) > 0 {
			best := slices.MinFunc(streams, func(a, b *stream) int { return q.before(a.head, b.head) }) // the first of equals
			if !yield(api.Relation{Match: best.head, Kind: steps[0].Kind, Method: best.by}, nil) || !advance(best) {
				return
			}
		}
	}
}

// before orders rows by score descending, then id, then the order of collections in the
// search.
func (q Relations) before(a, b api.Match) int {
	score := func(m api.Match) measure.Score { return measure.Score{Shared: m.Shared, Of: m.Of, Unit: m.Unit} }
	return cmp.Or(score(b).Compare(score(a)), cmp.Compare(a.ID, b.ID), slices.Index(q.In, a.Collection)-slices.Index(q.In, b.Collection))
}

// Kinds of relations and the rules that define them (docs/decisions/0056).

// Relations holds the parameters of Related. A document gets the strongest kind with a
// matching rule. Its row shows the rule of that kind with the highest score, the first of
// equals.
type Relations struct {
	In       []string     // collections; empty means docs
	Rules    []api.Rule   // nil means DefaultRules
	Where    *Fields      // as in Search
	Ignoring api.Ignoring // as in Search
	Meta     bool         // rows carry the metadata of their documents
	PlanOnly bool         // return the plan without searching, and no rows
}

// check returns an error for rules that cannot be applied.
func (q Relations) check() error {
	if len(q.Rules) == 0 {
		return fault.Invalid("the list of relations is empty: name at least one kind")
	}
	for _, r := range q.Rules {
		if r.Kind == 0 || r.Kind > api.KindTopic {
			return fault.Invalid("unknown kind of relation: %s", r.Kind)
		}
		if r.Min.Ceil(1) == 0 {
			return fault.Invalid("%s by %s: every document reaches a threshold of 0; want more", r.Kind, r.Method.Measure)
		}
		if r.Method.Measure.Unit() == "" {
			return fault.Invalid("%s by %s: it has no evidence to show", r.Kind, r.Method.Measure)
		}
		if err := searchBy(r, nil, q).Check(); err != nil {
			return err
		}
	}
	return q.Where.check()
}

// searchBy returns the search for the documents related by a rule.
func searchBy(r api.Rule, in []string, q Relations) Search {
	return Search{In: in, Measure: r.Method.Measure, Args: r.Method.Args, Min: r.Min, Where: q.Where, Ignoring: q.Ignoring, Meta: q.Meta}
}
