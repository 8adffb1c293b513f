package api

// What a document is to a text: its relation, or its source.

import (
	"fmt"
	"math"
)

// Evidence is what a relation goes by: Shared of Of units. Shingles are those that the score
// is made of. Sentences and paragraphs are those of both texts that have a partner in the
// other. Characters are those of the document in passages of the target, of all of the
// target. Words are those of both, of all distinct ones.
type Evidence struct {
	Shared  uint64 `json:"shared"`
	Of      uint64 `json:"of"`
	Unit    string `json:"unit,omitempty"`    // "shingles", "repetitions", "sentences", "paragraphs", "characters" or "words"
	Longest uint64 `json:"longest,omitempty"` // characters, or words by quotes, of the longest passage; 0 for other measures
}

// String writes evidence for people.
func (e Evidence) String() string {
	s := fmt.Sprintf("%d of %d %s", e.Shared, e.Of, e.Unit)
	if e.Longest > 0 {
		s += fmt.Sprintf(", longest passage %d", e.Longest)
	}
	return s
}

// Kind is what a document is to the target of Related. Lesser kinds are stronger.
type Kind uint8

// The kinds, the strongest first.
const (
	KindCopy     Kind = iota + 1 // it is the target
	KindVersion                  // most of either is in the other
	KindForm                     // it is the same form with other names and numbers
	KindContains                 // it has nearly all of the target
	KindPartOf                   // the target has nearly all of it
	KindPassages                 // long passages of it are in the target
	KindTopic                    // it is about the same
	kinds
)

var kindNames = [kinds]string{"", "copy", "version", "same form", "contains", "part of", "shares passages", "same topic"}

// String returns the kind as rows show it.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// Rule says when a document is of a kind: if it scores Min or more by a method, the target
// being the query. Of KindForm it also has to be the same form with other names and numbers; where there is
// such a rule, what it holds for is no version.
type Rule struct {
	Kind   Kind      `json:"kind"`
	Method Method    `json:"method"`
	Min    Threshold `json:"min"`
	Kept   bool      `json:"kept"` // only in collections that keep what the method searches by; elsewhere it would read every text
}

// QuotedWords is how many words in a row are a quotation by default: about two sentences have them.
const QuotedWords = 20

// Relation is one row of Related: the match by its rule.
type Relation struct {
	Match
	Kind     Kind     `json:"kind"`
	Method   Method   `json:"method"`
	Evidence Evidence `json:"evidence"` // what it goes by
}

// leastSim is reached by a single character of a text.
func leastSim() Threshold { return Ratio(1, math.MaxUint32) }

// DefaultRules are those of RELATED TO. A copy has all shingles. A version resembles by 0.6,
// as a text does of which a twelfth of the words were replaced, or shares its sentences. A
// tenth may be missing of what is contained; a passage is longer than 100 characters, or 20 words in a row; topics
// are told by what paragraphs name, and by words.
func DefaultRules() []Rule {
	by := func(m Measure, a Args) Method { return Method{Measure: m, Args: a} }
	return []Rule{
		{KindCopy, by(Jaccard, Args{}), Ratio(1, 1), false},
		{KindVersion, by(Jaccard, Args{}), Ratio(3, 5), false},
		{KindVersion, by(Versions, Args{}), Ratio(4, 5), true},
		{KindForm, by(Jaccard, Args{}), Ratio(1, 8), false},
		{KindContains, by(ContainmentOfQuery, Args{}), Ratio(9, 10), false},
		{KindPartOf, by(ContainmentOfDoc, Args{}), Ratio(9, 10), false},
		{KindPassages, by(Patricia, Args{Min: 100}), leastSim(), true},
		{KindPassages, by(Quotes, Args{}), leastSim(), true},
		{KindTopic, by(Entities, Args{}), Ratio(1, 2), true},
		{KindTopic, by(Words, Args{}), Ratio(7, 10), true},
	}
}

// PaperRules are DefaultRules as paper 004 reads: sentences as its versions does, of either
// text, and topics by words from 0.4 on, as two short texts have them about the same. Every
// text is read for them.
func PaperRules() (rules []Rule) {
	for _, r := range DefaultRules() {
		if r.Kind == KindForm || r.Method.Measure == Quotes { // the paper has neither
			continue
		}
		switch r.Method.Measure {
		case Versions:
			for _, of := range []Side{QuerySide, DocSide} {
				r.Method.Args.Versions, r.Kept = PaperVersions(), false
				r.Method.Args.Versions.Of = of
				rules = append(rules, r)
			}
			continue
		case Words:
			r.Min, r.Kept = Ratio(2, 5), false
		}
		rules = append(rules, r)
	}
	return rules
}

// Sources says what FindSources looks for.
type Sources struct {
	In       []string // collections; empty means docs
	Ignoring Ignoring // what no passage has
	Min      int      // a passage has more characters than this, a source one of more than twice as many; 0 means 30
}

// Cover is what stored documents account for of a text.
type Cover struct {
	Chars   int      `json:"chars"`   // of the text, as it is read: in code points, white space collapsed
	Sources []Source `json:"sources"` // what they have of it, descending, then by id and collection
}

// Source is a document that a text is partly made of.
type Source struct {
	Collection string    `json:"collection"`
	ID         string    `json:"id"`
	Store      int       `json:"store,omitempty"` // its place among several stores that were asked together, else 0
	Chars      int       `json:"chars"`           // of its passages
	Passages   []Passage `json:"passages"`        // in the order of the text, which is A; the document is B
}
