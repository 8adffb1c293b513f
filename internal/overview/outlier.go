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
	documents []tracked
}

// tracked is a document with the percent of its last pair, and the number of its pairs above that.
type tracked struct {
	Outlier
	percent int
	above   int64
}

// add adds a pair.
func (t *tracker) add(row api.PairMatch, percent int) {
	for _, id := range [2]string{row.A, row.B} {
		place, known := t.places[id]
		if !known {
			place = int32(len(t.documents))
			t.places[id] = place
			t.documents = append(t.documents, tracked{Outlier: Outlier{ID: id, Best: row}, percent: percent})
		}
		d := &t.documents[place]
		if d.percent != percent {
			d.percent, d.above = percent, d.Pairs
		}
		if d.Pairs++; d.Pairs == t.middle {
			d.Usual = row.Sim
		}
	}
}

// drop takes back the pairs of a percent, the last one if there are any.
func (t *tracker) drop(percent int) {
	left := t.documents[:0]
	for _, d := range t.documents {
		if d.percent == percent {
			if d.Pairs = d.above; d.Pairs < t.middle {
				d.Usual = 0
			}
		}
		if d.Pairs > 0 {
			left = append(left, d)
		}
	}
	t.documents = left
}

// outliers returns the documents that stand out most, at most so many.
func (t *tracker) outliers(least float64, most int) (first []Outlier) {
	for i := range t.documents {
		d := &t.documents[i]
		d.Above = d.Best.Sim - max(d.Usual, least)
	}
	slices.SortFunc(t.documents, func(a, b tracked) int {
		return cmp.Or(cmp.Compare(b.Above, a.Above), cmp.Compare(b.Best.Sim, a.Best.Sim), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range t.documents[:min(most, len(t.documents))] {
		first = append(first, d.Outlier)
	}
	return first
}
