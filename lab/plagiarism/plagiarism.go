// Package plagiarism runs the experiment of paper 001: texts composed from
// paragraphs of others, and how far the similarities that shingles and the
// sistrings of the Patricia tree give them lie from the truth.
package plagiarism

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
)

const (
	queries  = 900 // as in the paper
	perQuery = 10  // sources of a query
	seed     = 1
)

// Run composes the plagiarised texts from nsf, the abstracts as lines of JSON,
// and compares each with its sources by every method.
func Run(ctx context.Context, nsf string, o report.Options) (*report.Report, error) {
	return run(ctx, nsf, queries, o)
}

// run is Run for some queries.
func run(ctx context.Context, nsf string, queries int, o report.Options) (*report.Report, error) {
	docs, err := corpora.ReadJSONL(nsf, 0)
	if err != nil {
		return nil, err
	}
	long := withParagraphs(docs)
	texts := withoutRepeats(long)
	themes := newThemes(texts)
	o.Progressf("%d of %d texts are eligible, %d themes", len(texts), len(docs), len(themes.words))
	if len(themes.words) == 0 {
		return nil, fmt.Errorf("plagiarism: %s has no %d texts with a word in common", nsf, perQuery)
	}
	methods := allMethods()
	totals := make([]total, len(methods))
	var about composed
	for q := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sources := themes.draw(seed, q)
		terms := 0
		for _, s := range sources {
			terms += corpus.CountTerms(s)
		}
		p := corpus.Plagiarise(uint64(q), corpus.EqualShares(terms/perQuery, sources...)...)
		about.add(p, terms/perQuery)
		for m, method := range methods {
			for i, sim := range method.sims(p.Text, sources) {
				totals[m].add(sim - p.Expected(i))
			}
		}
		if (q+1)%100 == 0 {
			o.Progressf("%d of %d queries", q+1, queries)
		}
	}
	about.read, about.long, about.eligible, about.themes = len(docs), len(long), len(texts), len(themes.words)
	o.Progressf("keywords")
	asked := min(queries, rareQueries)
	keywords, err := rare(ctx, texts, func(q int) []string { return themes.draw(seed, q) }, asked)
	if err != nil {
		return nil, err
	}
	r := reportOf(about, methods, totals)
	reportRare(r, asked, len(texts), keywords)
	return r, nil
}

// composed says what the texts are like that the experiment starts from, and
// those it composes.
type composed struct {
	read, long, eligible, themes int // texts of the corpus, and words
	texts                        int // composed; below, sums over them
	asked, terms, paragraphs     int
	least, most                  float64 // expected similarity
}

func (c *composed) add(p corpus.Plagiarism, asked int) {
	c.texts++
	c.asked += asked
	c.terms += p.Terms
	c.paragraphs += len(corpus.Paragraphs(p.Text))
	for i := range p.Taken {
		expected := p.Expected(i)
		if c.least == 0 || expected < c.least {
			c.least = expected
		}
		c.most = max(c.most, expected)
	}
}
