package plan

// RELATED TO: its rules, its fields, and the source of its records.

import (
	"context"
	"iter"
	"math/big"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// scoreHint explains the absence of sim: each kind has a measure of its own.
const scoreHint = "a row of RELATED TO has the field score, by the measure of its kind"

// related plans RELATED TO.
func (pl *Planner) related(s *syntax.Related) *Plan {
	p := pl.begin(s, &s.Search)
	t := pl.target(s.Target, p.Search.In)
	pl.ofText(s.Target, "relations are found in texts")
	p.source.start = relatedSource{p, pl.one, t, pl.rules(s.With)}.start // ordered by kinds, which no field represents
	pl.scope = scope{names: relatedColumns, missing: map[string]string{"sim": scoreHint, "dist": scoreHint, "union": "a row of RELATED TO has shared and of"}}
	pl.noSimilarity(s.Where, api.Jaccard)
	if s.Where != nil {
		p.Search.Where = pl.fields(s.Where, 0)
		pl.setKeep(p, s.Where)
	}
	columns := []string{"id", "kind", "score", "evidence"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	return pl.finish(p, &s.Search, columns)
}

// rules returns the rules of the engine with the bounds of the statement. A kind that the
// statement names is searched even if that requires reading every text.
func (pl *Planner) rules(with []syntax.Setting) (rules []api.Rule) {
	all := api.DefaultRules()
	for _, x := range with {
		switch v := pl.constant(x.Value); {
		case x.Name != "reading":
		case v == "paper":
			all = api.PaperRules()
		case v != "simdb":
			pl.fail(ErrorAt(x.Value.Place(), "'simdb' or 'paper'", value.Show(v), ""))
		}
	}
	for _, r := range all {
		i := slices.IndexFunc(with, func(x syntax.Setting) bool { return x.Name == boundOf(r) })
		if i >= 0 {
			v := pl.constant(with[i].Value)
			// Kept rules apply only where an index serves them; a named kind is searched
			// regardless.
			r.Kept = false
			if on, is := switched(v); is && !on {
				continue
			} else if !is {
				if want, hint := setBound(&r, v); want != "" {
					pl.fail(ErrorAt(with[i].Value.Place(), want+", on or off", value.Show(v), hint))
				}
			}
		}
		rules = append(rules, r)
	}
	// A statement without any kind would always return nothing.
	if len(rules) == 0 {
		pl.fail(ErrorAt(with[0].Pos, "a kind that is on", "all of them off", ""))
	}
	return rules
}

// boundOf returns the name that WITH gives to the bound of a rule.
func boundOf(r api.Rule) string {
	if m := r.Method.Measure; m.NamesBound() {
		return m.String()
	}
	return syntax.RelationNames[r.Kind-1]
}

// setBound sets the bound of a rule. For a wrong value it returns the expected one, and
// perhaps a hint.
func setBound(r *api.Rule, v any) (want, hint string) {
	number, isNumber := v.(*big.Rat)
	if r.Kind == api.KindPassages {
		chars, isWhole := value.Whole(number)
		if !isWhole || chars < 1 || chars > 1000 {
			return "a whole number of " + r.Method.Measure.Unit() + " from 1 to 1000", ""
		}
		r.Method.Args.Min = int(chars)
		return "", ""
	}
	hint, ok := "", isNumber
	if isNumber {
		hint, ok = syntax.SimHint(value.Decimal(number))
	}
	if !ok || number.Sign() == 0 {
		return "a similarity above 0, up to 1", hint
	}
	r.Min, _ = threshold(number)
	return "", ""
}

// relatedSource is the source of RELATED TO.
type relatedSource struct {
	plan   *Plan
	one    Store
	target api.Target
	rules  []api.Rule
}

// start returns the relations by kind, and notes the kinds that the engine left out.
func (s relatedSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	asked := engine.Relations{In: q.In, Rules: s.rules, Where: q.Where, Ignoring: q.Ignoring, PlanOnly: q.PlanOnly}
	res, err := s.one.Related(ctx, s.target, asked)
	if err != nil {
		return nil, nil, err
	}
	find, err := s.one.Evidence(s.target, q.In, q.Ignoring)
	if err != nil {
		return nil, nil, err
	}
	s.plan.notes = append(s.plan.notes, res.Plan.Related.LeftOut...)
	return records(res.All, func(r api.Relation) *Record {
		rec := matchRecord(s.one, r.Match)
		rec.own = &relation{Relation: r, find: func() (api.Evidence, error) { return find(ctx, r) }}
		return rec
	}), res.Plan, nil
}

// relation holds the fields of a RELATED TO row besides its score. A field that requires
// the evidence triggers the search for it.
type relation struct {
	api.Relation
	find     func() (api.Evidence, error)
	evidence *api.Evidence
}

// evidence returns the evidence of the record's relation, and finds it on the first call.
func (r *Record) evidence() *api.Evidence {
	of := r.own.(*relation)
	if of.evidence == nil {
		e, err := of.find()
		r.fail(err)
		of.evidence = &e
	}
	return of.evidence
}
