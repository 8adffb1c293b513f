package search

// What a document can be to a target: kinds of relations, and the rules that tell them
// (docs/decisions/0056).

import (
	"fmt"
	"math"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/measure"
)

// Kind is what a document is to the target of Related. Lesser kinds are stronger.
type Kind uint8

// The kinds, the strongest first.
const (
	KindCopy     Kind = iota + 1 // it is the target
	KindVersion                  // most of either is in the other
	KindContains                 // it has nearly all of the target
	KindPartOf                   // the target has nearly all of it
	KindPassages                 // long passages of it are in the target
	KindTopic                    // it is about the same
	kinds
)

var kindNames = [kinds]string{"", "copy", "version", "contains", "part of", "shares passages", "same topic"}

// String returns the kind as rows show it.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// Rule says when a document is of a kind: if it scores Min or more by a method, the target
// being the query.
type Rule struct {
	Kind   Kind
	Method Method
	Min    measure.Threshold
	Kept   bool // only in collections that keep what the method searches by; elsewhere it would read every text
}

// Relations says what Related looks for. A document has the strongest kind of which one of
// the rules holds. Of the rules of that kind that hold, its row has the one by which it scores
// most, the first of equals.
type Relations struct {
	In    []string // collections; empty means docs
	Rules []Rule   // nil means DefaultRules
	Where *Fields  // as in Search
	Meta  bool     // rows carry the metadata of their documents
}

// Relation is one row of Related: the match by its rule.
type Relation struct {
	Match
	Kind   Kind
	Method Method
}

// leastSim is reached by a single character of a text.
func leastSim() measure.Threshold { return measure.Ratio(1, math.MaxUint32) }

// DefaultRules are those of RELATED TO. A copy has all shingles, a version resembles, or
// shares its sentences; a tenth may be missing of what is contained; a passage is longer than
// 100 characters; topics are told by what paragraphs name, and by words.
func DefaultRules() []Rule {
	version := measure.DefaultVersions().Theta
	by := func(m measure.Measure, a measure.Args) Method { return Method{Measure: m, Args: a} }
	return []Rule{
		{KindCopy, by(measure.Jaccard, measure.Args{}), measure.Ratio(1, 1), false},
		{KindVersion, by(measure.Jaccard, measure.Args{}), version, false},
		{KindVersion, by(measure.Versions, measure.Args{}), version, true},
		{KindContains, by(measure.ContainmentOfQuery, measure.Args{}), measure.Ratio(9, 10), false},
		{KindPartOf, by(measure.ContainmentOfDoc, measure.Args{}), measure.Ratio(9, 10), false},
		{KindPassages, by(measure.Patricia, measure.Args{Min: 100}), leastSim(), true},
		{KindTopic, by(measure.Entities, measure.Args{}), measure.Ratio(1, 2), true},
		{KindTopic, by(measure.Words, measure.Args{}), measure.Ratio(7, 10), true},
	}
}

// check refuses rules that say nothing.
func (q Relations) check() error {
	if len(q.Rules) == 0 {
		return fault.Invalid("no kind of relation is asked for")
	}
	for _, r := range q.Rules {
		if r.Kind == 0 || r.Kind >= kinds {
			return fault.Invalid("there is no %s of relation", r.Kind)
		}
		if r.Min.Ceil(1) == 0 {
			return fault.Invalid("%s by %s: every document is related from 0 on", r.Kind, r.Method.Measure)
		}
		if r.Method.Measure == measure.SimHash || r.Method.Measure == measure.SI {
			return fault.Invalid("%s by %s: it has no evidence to show", r.Kind, r.Method.Measure)
		}
		if err := r.search(nil, q).Check(); err != nil {
			return err
		}
	}
	return q.Where.check()
}

// search is the search that finds what is related by a rule.
func (r Rule) search(in []string, q Relations) Search {
	return Search{In: in, Measure: r.Method.Measure, Args: r.Method.Args, Min: r.Min, Where: q.Where, Meta: q.Meta}
}
