// Package entity turns the paragraphs of a text into fingerprints of the entities that
// they name: people, places, dates, key phrases. Equal texts give equal 32-bit
// fingerprints, as in paper 004; package measure compares them. Begin with
// Fingerprints.
//
// An Extractor finds the entities of a paragraph. BuiltIn uses only capitals, digits
// and repetition; a caller may supply a better one, such as a model.
package entity

import (
	"slices"

	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// An Extractor finds the entities of a paragraph. Fingerprints calls it from one
// goroutine.
type Extractor interface {
	// Entities returns the entities in order, with repetition. Equal entities must be
	// equal strings: the extractor decides about case and spelling.
	Entities(paragraph string) []string
}

// Fingerprints returns one 32-bit fingerprint for each paragraph of doc with entities,
// ascending and distinct.
//
// As in paper 004 the features of a paragraph are the pairs of neighbouring bytes of
// its entities, hashed like the pairs of a chunk; no pair crosses entities, so their
// order has no effect. Without tf a pair counts once, regardless of repetitions. With
// tf it counts each time it occurs, so an entity named ten times outweighs ten entities
// named once: the paper advises comparing both ways.
//
// A paragraph with too few distinct pairs for its entities has no fingerprint
// (sketch.HasDistinctPairs).
func Fingerprints(e Extractor, doc string, tf bool) []uint32 {
	return prints(paragraphs(e, doc), tf)
}

// Both returns the results of Fingerprints without and with tf in half the time:
// extraction dominates.
func Both(e Extractor, doc string) (plain, tf []uint32) {
	named := paragraphs(e, doc)
	return prints(named, false), prints(named, true)
}

// paragraphs returns the entities of each paragraph that a fingerprint can distinguish
// from others.
func paragraphs(e Extractor, doc string) (named [][]string) {
	for p := range text.Paragraphs(doc) {
		if names := e.Entities(doc[p.Start:p.End]); len(names) > 0 && sketch.HasDistinctPairs(names) {
			named = append(named, names)
		}
	}
	return named
}

// prints returns the fingerprints of paragraphs given by their entities, ascending and
// distinct.
func prints(named [][]string, tf bool) []uint32 {
	var all []uint32
	for _, names := range named {
		all = append(all, sketch.Phrases(names, tf))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
