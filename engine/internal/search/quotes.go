package search

// The measure quotes: runs of words in both texts. Candidates come from the postings that
// every collection of words has.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// unitOfQuotes is the only unit of shingles that quotes supports.
const unitOfQuotes = text.Word

// quotesProbe searches for the runs of words of a text.
type quotesProbe struct {
	*measure.Quotes
	v   *view.View
	doc string
}

// ofQuotes implements the measure quotes.
var ofQuotes = textMeasure{
	probe: func(v *view.View, by api.Method, _ *measure.Reading, doc string) (textProbe, error) {
		return newQuotesProbe(v, by.Args, doc)
	},
	scans: func(v *view.View, a api.Args) string {
		if n := quotedWords(a); n < v.Analysis.K {
			return fmt.Sprintf("a row of %d words has no shingle of %d", n, v.Analysis.K)
		}
		return ""
	},
	counts: func(v *view.View, by api.Method, doc string) (bool, error) {
		return counts(newQuotesProbe(v, by.Args, doc))
	},
	partly: true, // words outside of the rows that count
}

// newQuotesProbe returns a probe of doc; api.ErrInvalid unless the collection has words.
func newQuotesProbe(v *view.View, a api.Args, doc string) (*quotesProbe, error) {
	if v.Analysis.Unit != unitOfQuotes {
		return nil, fault.Invalid("quotes compares words, and collection %q has unit = '%s'", v.Name, v.Analysis.Unit)
	}
	return &quotesProbe{measure.NewQuotes(doc, v.Analysis.Form, quotedWords(a)), v, doc}, nil
}

// quotedWords returns the least number of consecutive words in a quotation, by default about
// two sentences.
func quotedWords(a api.Args) int {
	if a.Min == 0 {
		return api.QuotedWords
	}
	return a.Min
}

// countsNothing reports whether the text is too short for a run.
func (p *quotesProbe) countsNothing() bool { return p.None() }

// score counts the words of common runs.
func (p *quotesProbe) score(_ context.Context, doc string) (measure.Score, error) {
	s, _ := p.Score(doc)
	return s, nil
}

// scoreSet reads the text: the collection stores no runs.
func (p *quotesProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Snapshot, p, len(p.doc), doc)
}

// evidence counts the words of common runs and returns the longest.
func (p *quotesProbe) evidence(_ context.Context, doc string) (api.Evidence, error) {
	s, longest := p.Score(doc)
	return api.Evidence{Shared: s.Shared, Of: s.Of, Longest: uint64(longest)}, nil
}

// candidates returns the sets that share as many shingles with the text as its poorest run
// has. No match is lost: a text that contains a run contains its shingles.
func (p *quotesProbe) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	type read struct {
		bag   shingle.Bag
		least uint64
	}
	q, err := view.Apart(ctx, f.m.Shared, int64(len(p.doc)), func() (read, error) {
		return read{p.v.Analysis.Bag(p.doc), p.Least(p.v.Analysis.K)}, nil
	})
	if err != nil || q.least == 0 {
		return nil, err
	}
	return f.resembling(ctx, q.bag, api.ContainmentOfQuery, api.Ratio(q.least, uint64(len(q.bag.Set))), from)
}
