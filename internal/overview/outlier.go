package overview

// Documents whose best pair is above their usual similarity.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
)

// An Outlier is a document whose most similar other document is more similar than its usual ones.
type Outlier struct {
	ID    string
	Best  api.PairMatch // the most similar pair of the document
	Pairs int64         // pairs of the document
	Usual float64       // median similarity to the other documents, the greater of the middle two; 0 if below Least
	Above float64       // similarity of Best minus Usual, or minus Least if Usual is below
}

// Other returns the other document of the best pair.
func (o Outlier) Other() string {
	if o.Best.A == o.ID {
		return o.Best.B
	}
	return o.Best.A
}

// tracker follows the documents of pairs that arrive by descending similarity: the first pair of a
// document is its best one, and the median is the similarity of the pair in the middle.
type tracker struct {
	middle    int64            // rank of the median among the other documents
	places    map[string]int32 // by id, in documents
	documents []Outlier
}

// add adds a pair.
func (t *tracker) add(row api.PairMatch) {
	for _, id := range [2]string{row.A, row.B} {
		place, known := t.places[id]
		if !known {
			place = int32(len(t.documents))
			t.places[id] = place
			t.documents = append(t.documents, Outlier{ID: id, Best: row})
		}
		d := &t.documents[place]
		if d.Pairs++; d.Pairs == t.middle {
			d.Usual = row.Sim
		}
	}
}

// outliers returns the documents that stand out most, at most so many.
func (t *tracker) outliers(least float64, most int) []Outlier {
	for i := range t.documents {
		d := &t.documents[i]
		d.Above = d.Best.Sim - max(d.Usual, least)
	}
	slices.SortFunc(t.documents, func(a, b Outlier) int {
		return cmp.Or(cmp.Compare(b.Above, a.Above), cmp.Compare(b.Best.Sim, a.Best.Sim), cmp.Compare(a.ID, b.ID))
	})
	return slices.Clone(t.documents[:min(most, len(t.documents))])
}
