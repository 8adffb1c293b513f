package measure

// This file is the measure entities: documents about the same things.

import "fmt"

// An EntityRule is the measure Entities of paper 004 for documents about the same
// things. A document is a list of fingerprints, one for the entities of each paragraph
// (entity.Fingerprints). Two documents are related when enough of their paragraphs have
// a partner in the other list.
//
// As in the paper a number of paragraphs is enough, not a share of them: a part on
// another topic must not hide that the rest is related. The paper suggests one or two
// paragraphs. That relates too much where many paragraphs name a single thing or are
// a licence.
//
// Related documents have a score of 1/2 plus half the share of matched paragraphs,
// counted over both documents. A score below 1/2 says that fewer paragraphs match
// than are asked for.
type EntityRule struct {
	Bits       int // paragraphs that differ in at most so many of 32 bits are partners
	Paragraphs int // so many must have a partner in each document, or all if there are fewer; at least 1
}

// DefaultEntities returns the settings that docs/decisions/0055-versions.md
// measures.
func DefaultEntities() EntityRule { return EntityRule{Bits: 2, Paragraphs: 3} }

// Check reports settings that Score cannot work with.
func (e EntityRule) Check() error {
	if e.Bits < 0 || e.Bits > 32 {
		return fmt.Errorf("entities: %d bits: want 0 to 32", e.Bits)
	}
	if e.Paragraphs < 1 {
		return fmt.Errorf("entities: %d paragraphs: want at least 1", e.Paragraphs)
	}
	return nil
}

// Score returns the similarity of two documents by their paragraphs: 0 when
// none matches, 1 when all do. It panics for settings that Check refuses.
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

// need returns how many paragraphs of each document must have a partner.
func (e EntityRule) need(m ChunkMatch) uint64 {
	return uint64(min(e.Paragraphs, m.Query, m.Doc))
}
