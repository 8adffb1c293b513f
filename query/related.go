package query

// How RELATED TO is answered: its rules, its fields, and where its records come from.

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// relatedRefs are the fields of a relation.
var relatedRefs = map[string]refKind{"kind": refKindOf, "score": refSim, "measure": refMeasure, "evidence": refEvidence,
	"shared": refEvidenceShared, "of": refEvidenceOf, "longest": refLongest}

const scoreHint = "a row of RELATED TO has the field score, by the measure of its kind"

func (pl *planner) related(s *Related) (*plan, error) {
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, p.search.In)
	if err != nil {
		return nil, err
	}
	if s.Target.Kind == TargetFingerprint {
		return nil, errorAt(s.Target.Pos, "an id, FILE or TEXT", "FINGERPRINT", "relations are found in texts")
	}
	rules, err := pl.rules(s.With)
	if err != nil {
		return nil, err
	}
	p.source = relatedSource{p, t, rules}
	pl.scope = scope{names: mergeRefs(documentRefs, relatedRefs), missing: map[string]string{"sim": scoreHint, "dist": scoreHint, "union": "a row of RELATED TO has shared and of"}}
	if err := pl.noSimilarity(s.Where, api.Jaccard); err != nil {
		return nil, err
	}
	if s.Where != nil {
		p.search.Where = pl.fields(s.Where, 0)
		if p.keep, err = pl.predicate(s.Where); err != nil {
			return nil, err
		}
		p.lists = &pl.lists
	}
	columns := []string{"id", "kind", "score", "evidence"}
	if len(p.search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// rules are those of the engine, with the bounds of a statement. A kind that is named is
// looked for also where every text has to be read for it.
func (pl *planner) rules(with []Setting) ([]api.Rule, error) {
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
					at := with[slices.IndexFunc(with, func(x Setting) bool { return x.Name == name })].Value.Place()
					return nil, errorAt(at, want+", on or off", show(v), hint)
				}
			}
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errorAt(with[0].Pos, "a kind that is on", "all of them off", "")
	}
	return rules, nil
}

// boundOf is what WITH calls the bound of a rule.
func boundOf(r api.Rule) string {
	if r.Method.Measure == api.Words {
		return "words"
	}
	return relationNames[r.Kind-1]
}

// setBound sets the bound of a rule. If the value is wrong, it returns what was wanted.
func setBound(r *api.Rule, v any) (want, hint string) {
	number, isNumber := v.(rational)
	if r.Method.Measure == api.Patricia {
		chars, whole := number.whole()
		if !isNumber || !whole || chars < 1 || chars > 1000 {
			return "a whole number of characters from 1 to 1000", ""
		}
		r.Method.Args.Min = int(chars)
		return "", ""
	}
	hint, ok := "", isNumber
	if isNumber {
		hint, ok = simHint(number.decimal())
	}
	if !ok || number.compare(rational{den: 1}) == 0 {
		return "a similarity above 0, up to 1", hint
	}
	r.Min, _ = threshold(number)
	return "", ""
}

// relatedSource is RELATED TO.
type relatedSource struct {
	plan   *plan
	target api.Target
	rules  []api.Rule
}

func (s relatedSource) relations(q engine.Search) engine.Relations {
	return engine.Relations{In: q.In, Rules: s.rules, Where: q.Where}
}

func (s relatedSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	res, err := snap.Related(ctx, s.target, s.relations(q))
	if err != nil {
		return nil, nil, err
	}
	find, err := snap.Evidence(s.target, q.In)
	if err != nil {
		return nil, nil, err
	}
	s.plan.notes = append(s.plan.notes, res.Plan.Related.LeftOut...)
	return records(res.All, func(r api.Relation) *record {
		rec := matchRecord(snap, r.Match)
		rec.relation = &relation{Relation: r, find: func() (api.Evidence, error) { return find(ctx, r) }}
		return rec
	}), res.Plan, nil
}

func (s relatedSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	p, err := snap.ExplainRelated(ctx, s.target, s.relations(q))
	if err == nil {
		s.plan.notes = append(s.plan.notes, p.Related.LeftOut...)
	}
	return p, err
}

// natural is by kinds, which no field orders by.
func (relatedSource) natural() []sortKey { return nil }

// relation is what a record of RELATED TO has besides its score. Its evidence is found when a
// field asks for it.
type relation struct {
	api.Relation
	find     func() (api.Evidence, error)
	evidence *api.Evidence
}

// related returns a field of a relation.
func (r *record) related(k refKind) any {
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

// relatedRows shows the searches of a plan, one after another.
func relatedRows(p *api.Plan, ran bool) []Row {
	rows := []Row{{"statement", p.Statement}, {"exact", "yes"}, {"why", p.Why}}
	for _, part := range p.Related.Parts {
		rows = append(rows, Row{"kind", part.Statement}, Row{"measure", part.Measure}, Row{"min_sim", part.MinSim},
			Row{"access", part.Access}, Row{"why", part.Why})
		rows = slices.Concat(rows, filterRows(part, ran))
		if ran {
			rows = append(rows, Row{"candidates", itoa(part.Candidates)}, Row{"verified", itoa(part.Verified)}, Row{"found", itoa(part.Matches)})
		}
	}
	rows = append(rows, filterRows(p, ran)...)
	if !ran {
		return rows
	}
	return append(rows, Row{"matches", itoa(p.Matches)}, Row{"micros", itoa(p.Micros)})
}
