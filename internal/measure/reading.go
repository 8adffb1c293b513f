package measure

// This file has what a question changes of the bags that it compares: shingles that it
// ignores, and how much each of the others weighs.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// Reading is how a question reads bags. Each part may be nil.
type Reading struct {
	Ignores   func(shingle uint64) bool   // what is taken out of every bag
	Documents func(shingle uint64) uint64 // how many documents have a shingle, for Weighted
}

// Read is the formula that compares bags as a question reads them.
func (f Formula) Read(r *Reading) Formula {
	f.reading = r
	return f
}

// Weighs reports whether members weigh.
func (f Formula) Weighs() bool { return f.weighs }

// Loose is a formula that bounds this one where shingles are ignored: of the query it is known
// what is left, of a document only that this is what they share, or more. Then the score by
// sets is at most what it is if the document has nothing else. The others are only bounded by
// whether anything is shared.
func (f Formula) Loose() Formula {
	f.reading = nil
	if f.loose != nil {
		return f.loose(f)
	}
	return Formula{shape: &weighted, query: f.query, doc: f.doc, unit: 1}
}

// Weight is what a shingle weighs.
func (r *Reading) Weight(shingle uint64) uint64 { return WeightOf(r.Documents(shingle)) }

// WeightOf is what a shingle weighs that so many documents have.
func WeightOf(documents uint64) uint64 {
	n := max(documents, 1)
	return (api.WeightUnit + n/2) / n
}

// Most is the highest score, by a formula of sets or Weighted, of two bags that share so much
// or less, in members or in weight, if the query has so much and the document no less than doc.
func (f Formula) Most(query, doc, shared uint64) Score {
	shared = min(shared, query)
	return f.ofSets(Size{Distinct: query}, Size{Distinct: max(doc, shared)}, shared)
}

// OfDoc reports whether what only a document has lowers its score, by Most.
func (f Formula) OfDoc() bool { return f.doc > 0 || f.of != nil }

// Rest is a bag as a question reads it.
type Rest struct {
	shingle.Bag             // what is left; the bag itself if nothing is ignored
	Gone        shingle.Set // what is taken out
}

// Rest reads a bag.
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

// ScoreRest is Score by a formula that reads, for a query that is read already.
func (f Formula) ScoreRest(query Rest, doc shingle.Bag) (s Score) {
	other := f.reading.Rest(doc)
	if f.weighs {
		s = f.weighed(query.Set, other.Set)
	} else {
		s = f.score(query.Bag, other.Bag)
	}
	s.Ignored = uint64(len(query.Gone) + len(other.Gone) - shingle.Shared(query.Gone, other.Gone, 0))
	return s
}

// weighed is the score of sets by what their members weigh.
func (f Formula) weighed(query, doc shingle.Set) (s Score) {
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
