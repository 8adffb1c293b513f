package api

// Relations of documents to a text, and the sources of a text.

import (
	"fmt"
	"math"
)

// Evidence is the basis of a relation: Shared of Of units.
//
//   - Shingles are counted as in the score.
//   - Sentences and paragraphs count in both texts if the other has a partner, of all in both.
//   - Characters count in the document, in passages of the target, of all of the target.
//   - Words are those in both texts, of all distinct words.
type Evidence struct {
	Shared  uint64 `json:"shared"`
	Of      uint64 `json:"of"`
	Unit    string `json:"unit,omitempty"`    // "shingles", "repetitions", "sentences", "paragraphs", "characters" or "words"
	Longest uint64 `json:"longest,omitempty"` // characters, or words by quotes, of the longest passage; 0 for other measures
}

// String formats evidence for people.
func (e Evidence) String() string {
	s := fmt.Sprintf("%d of %d %s", e.Shared, e.Of, e.Unit)
	if e.Longest > 0 {
		s += fmt.Sprintf(", longest passage %d", e.Longest)
	}
	return s
}

// Kind is the relation of a document to the target of Related. Lower kinds are stronger.
type Kind uint8

// The kinds, the strongest first.
const (
	KindCopy     Kind = iota + 1 // the document equals the target
	KindVersion                  // most of each text is in the other
	KindForm                     // the same form with other names and numbers
	KindContains                 // the document contains nearly all of the target
	KindPartOf                   // the target contains nearly all of the document
	KindPassages                 // long passages of the document are in the target
	KindTopic                    // the same topic
	kinds
)

var kindNames = [kinds]string{"", "copy", "version", "same form", "contains", "part of", "shares passages", "same topic"}

// String returns the kind as in rows.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// Rule assigns a kind to documents that score Min or more by a method, with the target as the
// query. A rule for KindForm also requires the same form with other names and numbers, and excludes
// the documents that it matches from KindVersion.
type Rule struct {
	Kind   Kind      `json:"kind"`
	Method Method    `json:"method"`
	Min    Threshold `json:"min"`
	Kept   bool      `json:"kept"` // only in collections that keep the index of the method; elsewhere the search would read every text
}

// QuotedWords is the default minimum length of a quotation in words, the length of about two
// sentences.
const QuotedWords = 20

// Relation is one row of Related: the match by its rule.
type Relation struct {
	Match
	Kind     Kind     `json:"kind"`
	Method   Method   `json:"method"`
	Evidence Evidence `json:"evidence"` // of the score
}

// leastSim returns a threshold that a single character of a text reaches.
func leastSim() Threshold { return Ratio(1, math.MaxUint32) }

// DefaultRules returns the rules of RELATED TO.
//
//   - A copy has all shingles of the target, and no others.
//   - A version has resemblance 0.6, as after replacing a twelfth of the words, or shares its sentences.
//   - Of contained text a tenth may be missing.
//   - A passage is longer than 100 characters, or has 20 consecutive words.
//   - A topic is a similarity of the entities in paragraphs, or of words.
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

// PaperRules returns DefaultRules with the definitions of paper 004: sentences of either text, by
// the paper's versions, and topics by words from 0.4 on, the typical value of two short texts on
// the same topic. These rules read every text.
func PaperRules() (rules []Rule) {
	for _, r := range DefaultRules() {
		if r.Kind == KindForm || r.Method.Measure == Quotes { // not in the paper
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

// Sources are the arguments of FindSources.
type Sources struct {
	In       []string // collections; empty means docs
	Ignoring Ignoring // shingles that no passage has
	Min      int      // a passage has more characters than this, and a source a passage of more than twice as many; 0 means 30
}

// Cover lists the parts of a text that stored documents contain.
type Cover struct {
	Chars   int      `json:"chars"`   // of the text in its normal form: code points, with white space collapsed
	Sources []Source `json:"sources"` // by characters descending, then by id and collection
}

// Source is a document that contains parts of a text.
type Source struct {
	Collection string    `json:"collection"`
	ID         string    `json:"id"`
	Store      int       `json:"store,omitempty"` // index of the store in a search of several stores, otherwise 0
	Chars      int       `json:"chars"`           // of its passages
	Passages   []Passage `json:"passages"`        // in the order of the text, which is A; the document is B
}
