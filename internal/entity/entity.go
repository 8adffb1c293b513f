// Package entity turns the paragraphs of a text into fingerprints of what they
// name: people, places, dates, key phrases. Texts come in, 32-bit fingerprints
// go out, as in paper 004; which of them are near enough is decided elsewhere.
//
// What a paragraph names is found by an Extractor. BuiltIn goes by capitals,
// digits and repetition alone; a caller who has something better, such as a
// model, hands in that.
package entity

import (
	"slices"

	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// An Extractor finds what a paragraph names.
type Extractor interface {
	// Entities returns the names in order, with repetition. Equal ones are
	// equal strings: the extractor decides about case and spelling.
	Entities(paragraph string) []string
}

// Fingerprints returns one 32-bit fingerprint for each paragraph of doc that
// names something, ascending and distinct.
//
// As in paper 004 the features of a paragraph are the pairs of neighbouring
// bytes of its entities, hashed as those of a chunk are; no pair reaches from
// one entity into the next, so their order is of no matter. Without tf a pair
// counts once, however many entities have it and however often. With tf it
// counts each time it occurs, so an entity that is named ten times outweighs
// ten that are named once: the paper advises to compare both ways.
//
// A paragraph whose pairs are too few for its names has no fingerprint (sketch.Telling).
func Fingerprints(e Extractor, doc string, tf bool) []uint32 {
	return prints(paragraphs(e, doc), tf)
}

// Both returns what Fingerprints returns without tf and with it, for half the
// work: most of it is to find what the paragraphs name.
func Both(e Extractor, doc string) (plain, tf []uint32) {
	named := paragraphs(e, doc)
	return prints(named, false), prints(named, true)
}

// paragraphs returns the names of each paragraph that a fingerprint tells apart from others.
func paragraphs(e Extractor, doc string) (named [][]string) {
	for p := range text.Paragraphs(doc) {
		if names := e.Entities(doc[p.Start:p.End]); len(names) > 0 && sketch.Telling(names) {
			named = append(named, names)
		}
	}
	return named
}

func prints(named [][]string, tf bool) []uint32 {
	var all []uint32
	for _, names := range named {
		all = append(all, sketch.Phrases(names, tf))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
