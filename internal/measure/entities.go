package measure

// The measure entities: documents about the same subjects.

import "fmt"

// An EntityRule is the measure Entities of paper 004 for documents about the same
// subjects. A document is a list of fingerprints, one for the entities of each
// paragraph (entity.Fingerprints). Two documents are related if enough of their
// paragraphs have a partner in the other list.
//
// As in the paper a number of paragraphs is enough, not a share: a part on another
// topic must not hide the relation. The paper suggests one or two paragraphs. That
// relates too many documents where many paragraphs name a single entity or belong to a
// licence.
//
// Related documents score 1/2 plus half the share of matched paragraphs, over both
// documents. A score below 1/2 means that fewer than Paragraphs match.
type EntityRule struct {
	Bits       int // maximum number of differing bits, of 32, between partners
	Paragraphs int // required number of paragraphs with a partner in each document, or all of a shorter one; at least 1
}

// DefaultEntities returns the settings measured in docs/decisions/0055-versions.md.
func DefaultEntities() EntityRule { return EntityRule{Bits: 2, Paragraphs: 3} }

// Check returns an error for settings outside of their ranges.
func (e EntityRule) Check() error {
	if e.Bits < 0 || e.Bits > 32 {
		return fmt.Errorf("entities: %d bits: want 0 to 32", e.Bits)
	}
	if e.Paragraphs < 1 {
		return fmt.Errorf("entities: %d paragraphs: want at least 1", e.Paragraphs)
	}
	return nil
}

// Score returns the similarity of two documents by their paragraphs: 0 if none matches,
// 1 if all do. It panics for settings that Check rejects.
func (e EntityRule) Score(m ChunkMatch) Score {
	if err := e.Check(); err != nil {
		panic("measure: " + err.Error())
	}
	matched, all := uint64(m.QueryMatched+m.DocMatched), uint64(m.Query+m.Doc)
	if fewer := uint64(min(m.QueryMatched, m.DocMatched)); fewer < e.need(m) {
		return ratio(fewer, 2*e.need(m))
	}
	if matched == 0 {
		return ratio(0, all)
	}
	return ratio(all+matched, 2*all)
}

// need returns the number of paragraphs of each document that must have a partner.
func (e EntityRule) need(m ChunkMatch) uint64 {
	return uint64(min(e.Paragraphs, m.Query, m.Doc))
}
