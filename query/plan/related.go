package plan

// How RELATED TO is answered: its rules, its fields, and where its records come from.

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

// relatedRefs are the fields of a relation.
var relatedRefs = map[string]refKind{"kind": refKindOf, "score": refSim, "measure": refMeasure, "evidence": refEvidence,
	"shared": refEvidenceShared, "of": refEvidenceOf, "longest": refLongest}

const scoreHint = "a row of RELATED TO has the field score, by the measure of its kind"

func (pl *Planner) related(s *syntax.Related) (*Plan, error) {
	p := &Plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, p.Search.In)
	if err != nil {
		return nil, err
	}
	if s.Target.Kind == syntax.TargetFingerprint {
		return nil, ErrorAt(s.Target.Pos, "an id, FILE or TEXT", "FINGERPRINT", "relations are found in texts")
	}
	rules, err := pl.rules(s.With)
	if err != nil {
		return nil, err
	}
	p.source = relatedSource{p, pl.one, t, rules}
	pl.scope = scope{names: mergeRefs(documentRefs, relatedRefs), missing: map[string]string{"sim": scoreHint, "dist": scoreHint, "union": "a row of RELATED TO has shared and of"}}
	if err := pl.noSimilarity(s.Where, api.Jaccard); err != nil {
		return nil, err
	}
	if s.Where != nil {
		p.Search.Where = pl.fields(s.Where, 0)
		if p.keep, err = pl.predicate(s.Where); err != nil {
			return nil, err
		}
		p.lists = &pl.lists
	}
	columns := []string{"id", "kind", "score", "evidence"}
	if len(p.Search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// rules are those of the engine, with the bounds of a statement. A kind that is named is
// looked for also where every text has to be read for it.
func (pl *Planner) rules(with []syntax.Setting) ([]api.Rule, error) {
	set := map[string]any{}
	for _, x := range with {
		v, err := pl.args.constant(x.Value)
		if err != nil {
			return nil, err
		}
		set[x.Name] = v
	}
	var rules []api.Rule
	for _, r := range api.DefaultRules() {
		name := boundOf(r)
		if v, named := set[name]; named {
			r.Kept = false
			if on, is := switched(v); is && !on {
				continue
			} else if !is {
				if want, hint := setBound(&r, v); want != "" {
					at := with[slices.IndexFunc(with, func(x syntax.Setting) bool { return x.Name == name })].Value.Place()
					return nil, ErrorAt(at, want+", on or off", value.Show(v), hint)
				}
			}
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, ErrorAt(with[0].Pos, "a kind that is on", "all of them off", "")
	}
	return rules, nil
}

// boundOf is what WITH calls the bound of a rule.
func boundOf(r api.Rule) string {
	if r.Method.Measure == api.Words {
		return "words"
	}
	return syntax.RelationNames[r.Kind-1]
}

// setBound sets the bound of a rule. If the value is wrong, it returns what was wanted.
func setBound(r *api.Rule, v any) (want, hint string) {
	number, isNumber := v.(*big.Rat)
	if r.Method.Measure == api.Patricia {
		chars, isWhole := value.Whole(number)
		if !isWhole || chars < 1 || chars > 1000 {
			return "a whole number of characters from 1 to 1000", ""
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

// relatedSource is RELATED TO.
type relatedSource struct {
	plan   *Plan
	one    Store
	target api.Target
	rules  []api.Rule
}

func (s relatedSource) relations(q engine.Search) engine.Relations {
	return engine.Relations{In: q.In, Rules: s.rules, Where: q.Where}
}

func (s relatedSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.Related(ctx, s.target, s.relations(q))
	if err != nil {
		return nil, nil, err
	}
	find, err := s.one.Evidence(s.target, q.In)
	if err != nil {
		return nil, nil, err
	}
	s.plan.notes = append(s.plan.notes, res.Plan.Related.LeftOut...)
	return records(res.All, func(r api.Relation) *Record {
		rec := matchRecord(s.one, r.Match)
		rec.relation = &relation{Relation: r, find: func() (api.Evidence, error) { return find(ctx, r) }}
		return rec
	}), res.Plan, nil
}

func (s relatedSource) explain(ctx context.Context, q engine.Search) (*api.Plan, error) {
	p, err := s.one.ExplainRelated(ctx, s.target, s.relations(q))
	if err == nil {
		s.plan.notes = append(s.plan.notes, p.Related.LeftOut...)
	}
	return p, err
}

// natural is by kinds, which no field orders by.
func (relatedSource) natural() []Key { return nil }

// relation is what a record of RELATED TO has besides its score. Its evidence is found when a
// field asks for it.
type relation struct {
	api.Relation
	find     func() (api.Evidence, error)
	evidence *api.Evidence
}

// related returns a field of a relation.
func (r *Record) related(k refKind) any {
	switch k {
	case refKindOf:
		return r.relation.Kind.String()
	case refMeasure:
		return r.relation.Method.Measure.Describe(r.relation.Method.Args)
	}
	if r.relation.evidence == nil {
		e, err := r.relation.find()
		r.fail(err)
		r.relation.evidence = &e
	}
	e := r.relation.evidence
	switch k {
	case refEvidenceShared:
		return e.Shared
	case refEvidenceOf:
		return e.Of
	case refLongest:
		if e.Longest == 0 {
			return nil
		}
		return e.Longest
	}
	return e.String()
}
