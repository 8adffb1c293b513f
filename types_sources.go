package simdb

// The types of sources.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
)

// Sources says what FindSources looks for.
//
//	type Sources struct {
//		In  []string // collections; empty means docs
//		Min int      // a passage has more characters than this, a source one of more than twice as many; 0 means 30
//	}
type Sources = engine.Sources

// Cover is what stored documents account for of a text.
//
//	type Cover struct {
//		Chars   int      // of the text, as it is read: in code points, white space collapsed
//		Sources []Source // what they have of it, descending, then by id and collection
//	}
type Cover = engine.Cover

// Source is a document that a text is partly made of.
//
//	type Source struct {
//		Collection, ID string
//		Store          int       // its place among several stores that were asked together, else 0
//		Chars          int       // of its passages
//		Passages       []Passage // in the order of the text, which is A; the document is B
//	}
type Source = engine.Source
