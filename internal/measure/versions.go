package measure

// The measure versions: documents with common sentences.

import (
	"fmt"
	"math/bits"

	"github.com/simdb/simdb/api"
)

// ChunkMatch counts the distinct chunks of two documents, and the chunks of each with a
// partner in the other within some number of bits.
type ChunkMatch struct{ Query, Doc, QueryMatched, DocMatched int }

// MatchChunks compares the distinct chunks of a query with the distinct chunks of a
// document: two are partners if at most dist bits differ. A chunk may have several
// partners.
func MatchChunks(query, doc []uint32, dist int) ChunkMatch {
	m, _ := MatchChunksUntil(query, doc, dist, func() error { return nil })
	return m
}

// MatchChunksUntil is MatchChunks with cancellation: it calls stop about every
// millisecond, and returns its error.
func MatchChunksUntil(query, doc []uint32, dist int, stop func() error) (ChunkMatch, error) {
	m := ChunkMatch{Query: len(query), Doc: len(doc)}
	inQuery, inDoc := make([]bool, len(query)), make([]bool, len(doc))
	err := eachNear(query, doc, dist, stop, func(i, j int) error {
		inQuery[i], inDoc[j] = true, true
		return nil
	})
	if err != nil {
		return m, err
	}
	for _, yes := range inQuery {
		if yes {
			m.QueryMatched++
		}
	}
	for _, yes := range inDoc {
		if yes {
			m.DocMatched++
		}
	}
	return m, nil
}

// eachNear calls near with the indices of all pairs of chunks that differ in at most
// dist bits, possibly repeatedly.
func eachNear(query, doc []uint32, dist int, stop func() error, near func(i, j int) error) error {
	match := func(i int) error {
		for j, d := range doc {
			if bits.OnesCount32(query[i]^d) <= dist {
				if err := near(i, j); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if dist <= 3 && min(len(query), len(doc)) >= 256 {
		match = nearByBytes(query, doc, dist, near)
	}
	const comparisons = 1 << 20
	step := max(comparisons/max(len(doc), 1), 1)
	for i := range query {
		if i%step == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		if err := match(i); err != nil {
			return err
		}
	}
	return nil
}

// nearByBytes suits long lists and at most three bits: near chunks then share at least
// a byte of their four. A book has 10,000 sentences, too many to compare all pairs.
func nearByBytes(query, doc []uint32, dist int, near func(i, j int) error) func(i int) error {
	var places [4][256][]int
	for j, d := range doc {
		for b := range places {
			list := &places[b][byte(d>>(8*b))]
			*list = append(*list, j)
		}
	}
	return func(i int) error {
		q := query[i]
		for b := range places {
			for _, j := range places[b][byte(q>>(8*b))] {
				if bits.OnesCount32(q^doc[j]) <= dist {
					if err := near(i, j); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
}

// A VersionRule is the measure Versions of paper 004. A document is a list of sentence
// fingerprints (sketch.Chunks); two documents are versions of each other if enough of
// these have a partner in the other list.
//
// The share is Dice's: matched chunks of both documents over all chunks of both. The
// documents are versions if the share is at least Share, and then the score lies
// between Theta and 1; otherwise it is below Theta. In both ranges it grows with the
// share.
//
// Score is the score of the paper. Rate, which simdb's searches use, also considers
// resemblance, as documents of few sentences may differ in all of them.
type VersionRule struct {
	Bits  int           // maximum number of differing bits, of 32, between partners
	Share api.Threshold // least share of versions; above 0
	Theta api.Threshold // score at Share; above 0
	Of    api.Side      // the side that the share refers to; Dice's share uses both
	Alone bool          // Rate ignores resemblance
	Print bool          // near fingerprints are partners without verification (MatchSentences)
}

// counts returns the chunks with a partner and all chunks, over the sides of v.Of.
func (v VersionRule) counts(m ChunkMatch) (matched, all uint64) {
	switch v.Of {
	case api.QuerySide:
		return uint64(m.QueryMatched), uint64(m.Query)
	case api.DocSide:
		return uint64(m.DocMatched), uint64(m.Doc)
	}
	return uint64(m.QueryMatched + m.DocMatched), uint64(m.Query + m.Doc)
}

// DefaultVersions returns the settings measured in docs/decisions/0055-versions.md.
func DefaultVersions() VersionRule {
	return VersionRule{Bits: 3, Share: api.Ratio(19, 20), Theta: api.Ratio(4, 5)}
}

// VersionRuleOf returns the rule of the arguments of a measure.
func VersionRuleOf(a api.Args) VersionRule {
	r := DefaultVersions()
	switch {
	case a.Bits > 0:
		r.Bits = a.Bits
	case a.Bits < 0:
		r.Bits = 0
	}
	if a.Versions.Share.Given() {
		r.Share = a.Versions.Share.Threshold()
	}
	r.Of, r.Alone, r.Print = a.Versions.Of, a.Versions.Alone, a.Versions.Print
	return r
}

// maxPart bounds the numerators and denominators of Share and Theta, so that the score
// of up to 2³³ chunks fits 64 bits.
const maxPart = 1 << 15

// Check returns an error for settings outside of their ranges.
func (v VersionRule) Check() error {
	if err := api.CheckVersions(v.Bits, v.Of, v.Share); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		t    api.Threshold
	}{{"share", v.Share}, {"theta", v.Theta}} {
		num, den := p.t.Fraction()
		if num == 0 {
			return fmt.Errorf("versions: %s is 0: want more", p.name)
		}
		if den > maxPart {
			return fmt.Errorf("versions: %s %v: want a fraction with a denominator of at most %d", p.name, p.t, maxPart)
		}
	}
	return nil
}

// LeastShare returns a share of matched chunks below which Score is less than score:
// slightly less than the exact share, to allow for rounding.
func (v VersionRule) LeastShare(score float64) float64 {
	share, theta := v.Share.Float64(), v.Theta.Float64()
	least := score * share / theta
	if score > theta && theta < 1 {
		least = share + (score-theta)*(1-share)/(1-theta)
	}
	return min(least, 1) - 1e-9
}

// Rate returns the greater of Score and resemblance, or resemblance if they are equal,
// so that sentences need no verification where fingerprints add nothing. A score without
// a value, as of documents without chunks, is less than any other.
func (v VersionRule) Rate(m ChunkMatch, resemblance Score) Score {
	s := v.Score(m)
	if v.Alone {
		return s
	}
	if s.Of == 0 || resemblance.Of > 0 && s.Compare(resemblance) <= 0 {
		return resemblance
	}
	return s
}

// Score returns the similarity of two documents by their chunks alone, of up to 2³²
// chunks each. It is 0 without matches and 1 if all match, as for equal non-empty
// lists. It panics for settings that Check rejects.
func (v VersionRule) Score(m ChunkMatch) Score {
	if err := v.Check(); err != nil {
		panic("measure: " + err.Error())
	}
	matched, all := v.counts(m)
	if matched == 0 {
		return ratio(0, all)
	}
	share, shareOf := v.Share.Fraction()
	theta, thetaOf := v.Theta.Fraction()
	if !v.Share.Admits(matched, all) { // theta · (matched/all) / share
		return ratio(theta*matched*shareOf, thetaOf*all*share)
	}
	if share == shareOf { // the only share in this range
		return ratio(1, 1)
	}
	// theta + (1−theta) · (matched/all − share) / (1−share)
	of := thetaOf * all * (shareOf - share)
	return ratio(theta*all*(shareOf-share)+(thetaOf-theta)*(matched*shareOf-all*share), of)
}
