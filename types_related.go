package simdb

// The types of relations.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
)

// Relations says what Related looks for. A document has the strongest kind of which one of
// the rules holds. Of the rules of that kind that hold, its row has the one by which it scores
// most, the first of equals.
//
//	type Relations struct {
//		In    []string // collections; empty means docs
//		Rules []Rule   // nil means DefaultRules
//		Where *Fields  // as in Search
//		Meta  bool     // rows carry the metadata of their documents
//	}
type Relations = engine.Relations

// Rule says when a document is of a kind: if it scores Min or more by a method, the target
// being the query.
//
//	type Rule struct {
//		Kind   Kind
//		Method Method
//		Min    Threshold
//		Kept   bool // only in collections that keep what the method searches by; elsewhere it would read every text
//	}
type Rule = engine.Rule

// Kind is what a document is to the target of Related. Lesser kinds are stronger.
//
//	type Kind uint8
//
// Its methods:
//
//	func (k Kind) String() string
//	    String returns the kind as rows show it.
type Kind = engine.Kind

// Relation is one row of Related: the match by its rule.
//
//	type Relation struct {
//		Match
//		Kind   Kind
//		Method Method
//	}
type Relation = engine.Relation

// Evidence is what a relation goes by: Shared of Of units. Shingles are those that the score
// is made of. Sentences and paragraphs are those of both texts that have a partner in the
// other. Characters are those of the document in passages of the target, of all of the
// target. Words are those of both, of all distinct ones.
//
//	type Evidence struct {
//		Shared, Of uint64
//		Unit       string // "shingles", "repetitions", "sentences", "paragraphs", "characters" or "words"
//		Longest    uint64 // characters of the longest passage; 0 unless Unit is "characters"
//	}
//
// Its methods:
//
//	func (e Evidence) String() string
//	    String writes evidence for people.
type Evidence = engine.Evidence

// RelatedPlan is the plan of Related: the search for each kind, which Statement names, and
// what is not searched for, and why.
//
//	type RelatedPlan struct {
//		Parts   []*Plan  `json:"parts"`
//		LeftOut []string `json:"left_out,omitempty"`
//	}
type RelatedPlan = engine.RelatedPlan
