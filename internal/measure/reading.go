package measure

// Changes that a query makes to bags: ignored shingles, and weights of the others.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// Reading is a transformation of bags by a query. Each part may be nil.
type Reading struct {
	Ignores   func(shingle uint64) bool   // shingles to remove from every bag
	Documents func(shingle uint64) uint64 // number of documents with a shingle, for Weighted
}

// Read returns f with the transformation r.
func (f Formula) Read(r *Reading) Formula {
	f.reading = r
	return f
}

// Weighs reports whether the formula weights members.
func (f Formula) Weighs() bool { return f.weighs }

// Loose returns an upper bound of f for ignored shingles: for the query the remaining
// members are known, for a document only that it has at least the common ones. The
// score by sets is then at most the score of a document with no other members. Other
// formulas are bounded only by the presence of a common member.
func (f Formula) Loose() Formula {
	f.reading = nil
	if f.loose != nil {
		return f.loose(f)
	}
	return Formula{shape: &weighted, query: f.query, doc: f.doc, unit: 1}
}

// Weight returns the weight of a shingle, in api.WeightUnit.
func (r *Reading) Weight(shingle uint64) uint64 { return WeightOf(r.Documents(shingle)) }

// WeightOf returns the weight of a shingle that so many documents have, in
// api.WeightUnit, rounded.
func WeightOf(documents uint64) uint64 {
	n := max(documents, 1)
	return (api.WeightUnit + n/2) / n
}

// Most returns the highest score, by a formula of sets or Weighted, of two bags that
// share at most shared, if the query has query and the document at least doc. All three
// are numbers of members, or weights.
func (f Formula) Most(query, doc, shared uint64) Score {
	shared = min(shared, query)
	return f.ofSets(Size{Distinct: query}, Size{Distinct: max(doc, shared)}, shared)
}

// OfDoc reports whether members of only the document lower its score in Most.
func (f Formula) OfDoc() bool { return f.doc > 0 || f.of != nil }

// Rest is a bag as transformed by a Reading.
type Rest struct {
	shingle.Bag             // the remaining members; the bag itself if nothing is ignored
	Gone        shingle.Set // the removed members
}

// Rest transforms a bag.
func (r *Reading) Rest(b shingle.Bag) (left Rest) {
	if r.Ignores == nil {
		return Rest{Bag: b}
	}
	left.Set = make(shingle.Set, 0, len(b.Set))
	for i, h := range b.Set {
		if r.Ignores(h) {
			left.Gone = append(left.Gone, h)
			continue
		}
		left.Set = append(left.Set, h)
		left.Total += uint64(b.Count(i))
		if b.Counts != nil {
			left.Counts = append(left.Counts, b.Counts[i])
		}
	}
	return left
}

// ScoreRest is Score for a query already transformed; f must have a Reading.
func (f Formula) ScoreRest(query Rest, doc shingle.Bag) (s Score) {
	other := f.reading.Rest(doc)
	if f.weighs {
		s = f.scoreWeighted(query.Set, other.Set)
	} else {
		s = f.score(query.Bag, other.Bag)
	}
	s.Ignored = uint64(len(query.Gone) + len(other.Gone) - shingle.Shared(query.Gone, other.Gone, 0))
	return s
}

// scoreWeighted returns the weighted score of sets.
func (f Formula) scoreWeighted(query, doc shingle.Set) (s Score) {
	for len(query) > 0 || len(doc) > 0 {
		switch {
		case len(doc) == 0 || len(query) > 0 && query[0] < doc[0]:
			w := f.reading.Weight(query[0])
			s.Union, s.Of, query = s.Union+w, s.Of+f.query*w, query[1:]
		case len(query) == 0 || doc[0] < query[0]:
			w := f.reading.Weight(doc[0])
			s.Union, s.Of, doc = s.Union+w, s.Of+f.doc*w, doc[1:]
		default:
			w := f.reading.Weight(doc[0])
			s.Shared, s.Union, s.Of = s.Shared+w, s.Union+w, s.Of+w
			query, doc = query[1:], doc[1:]
		}
	}
	return s
}
