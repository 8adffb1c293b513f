package search

// What a document can be to a target: kinds of relations, and the rules that tell them
// (docs/decisions/0056).

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// Relations says what Related looks for. A document has the strongest kind of which one of
// the rules holds. Of the rules of that kind that hold, its row has the one by which it scores
// most, the first of equals.
type Relations struct {
	In    []string   // collections; empty means docs
	Rules []api.Rule // nil means DefaultRules
	Where *Fields    // as in Search
	Meta  bool       // rows carry the metadata of their documents
}

// check refuses rules that say nothing.
func (q Relations) check() error {
	if len(q.Rules) == 0 {
		return fault.Invalid("no kind of relation is asked for")
	}
	for _, r := range q.Rules {
		if r.Kind == 0 || r.Kind > api.KindTopic {
			return fault.Invalid("there is no %s of relation", r.Kind)
		}
		if r.Min.Ceil(1) == 0 {
			return fault.Invalid("%s by %s: every document is related from 0 on", r.Kind, r.Method.Measure)
		}
		if r.Method.Measure == api.SimHash || r.Method.Measure == api.SI {
			return fault.Invalid("%s by %s: it has no evidence to show", r.Kind, r.Method.Measure)
		}
		if err := searchBy(r, nil, q).Check(); err != nil {
			return err
		}
	}
	return q.Where.check()
}

// searchBy is the search that finds what is related by a rule.
func searchBy(r api.Rule, in []string, q Relations) Search {
	return Search{In: in, Measure: r.Method.Measure, Args: r.Method.Args, Min: r.Min, Where: q.Where, Meta: q.Meta}
}
