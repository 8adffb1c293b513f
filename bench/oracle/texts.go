package main

// The measures of fingerprints and texts. Their definitions are pure functions of the
// project's packages below the index, which the engine calls too: what is held against
// them is that no index, bound or record changes an answer.

import (
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

var units = map[string]text.Unit{"word": text.Word, "char": text.Char, "token": text.Own}

// hashes is the bag of a document with hashes in the place of shingles.
func (d *Document) hashes(c *Collection) shingle.Bag {
	return derived(d, "hashes "+c.unit(), c.k(), func() shingle.Bag {
		a := shingle.Analysis{Unit: units[c.unit()], K: c.k()}
		if c.unit() == "token" {
			return a.BagOf(slices.Values(d.Tokens))
		}
		return a.Bag(d.Text)
	})
}

// fingerprint is that of the shingles of a document; false if it has none.
func (d *Document) fingerprint(c *Collection) (uint64, bool) {
	bag := d.hashes(c)
	return derived(d, "simhash "+c.unit(), c.k(), func() uint64 { return sketch.SimHash(bag.Set) }), len(bag.Set) > 0
}

// measureTexts scores two documents by a measure that is none of sets.
func (c *Collection) measureTexts(m *Method, query, doc *Document) (score, bool) {
	switch m.Name {
	case "simhash":
		q, ok := query.fingerprint(c)
		d, also := doc.fingerprint(c)
		dist := uint64(bits.OnesCount64(q ^ d))
		return score{N: 64 - dist, D: 64, dist: dist}, ok && also && dist < 64
	}
	panic("no measure " + m.Name)
}

// firstSI is the first similarity index that the collection keeps of a document.
func (d *Document) firstSI(c *Collection) value { return nil }

// siOf is the similarity index that a method compares.
func (d *Document) siOf(c *Collection, m *Method) value { return nil }

// doesTexts answers the statements about texts.
func (w *World) doesTexts(s *Statement) *Answer { panic("no statement " + s.Kind) }
