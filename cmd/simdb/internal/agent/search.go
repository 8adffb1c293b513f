package agent

// The tools that look for texts: similar and nearest.

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	aboutSimilar = `Find the stored texts that are similar to a text, or to a stored document: copies and near-duplicates, with their exact similarity from 0 to 1. Ask "do I have this already?" with it.` + wording
	aboutNearest = `Find the stored texts that are most similar to a text, or to a stored document, whatever their similarity above 0. Use it if similar finds nothing.` + wording
	wording      = " Only shared wording counts: the same thing said in other words is not found."
)

// excerptBytes of a text stand in an answer.
const excerptBytes = 400

// lookup is what is looked for, where, and how similarity is meant.
type lookup struct {
	Text       string `json:"text,omitempty" jsonschema:"the text to look for; give text or id"`
	ID         string `json:"id,omitempty" jsonschema:"the id of a stored document to look for; give text or id"`
	Collection string `json:"collection,omitempty" jsonschema:"the collection to look in; docs if it is left out"`
	Measure    string `json:"measure,omitempty" jsonschema:"jaccard if it is left out: what both share, of all that both have. containment(of='query'): how much of the text stands in the document; containment(of='doc'): the other way round. Others: dice, overlap, multiset, repetition, tversky, weighted, simhash, patricia, coverage, versions, entities, words; quotes: how much of the text stands in rows of 20 words that the document has"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many documents at most; 10 if it is left out"`
}

type similarArgs struct {
	lookup
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"the least similarity, from 0 to 1; 0.8 if it is left out"`
}

type foundAnswer struct {
	Matches []found `json:"matches" jsonschema:"the most similar first"`
	cut
}

// found is a document in an answer.
type found struct {
	ID         string   `json:"id"`
	Collection string   `json:"collection"`
	URI        string   `json:"uri" jsonschema:"the document as a resource"`
	Sim        float64  `json:"sim" jsonschema:"the similarity, from 0 to 1, by the measure"`
	Shared     uint64   `json:"shared,omitempty" jsonschema:"how many shingles both texts share"`
	Union      uint64   `json:"union,omitempty" jsonschema:"how many shingles both texts have in all"`
	Excerpt    string   `json:"excerpt,omitempty" jsonschema:"how the document begins"`
	Metadata   api.Meta `json:"metadata,omitempty"`
}

func (s *server) similar(ctx context.Context, db *simdb.DB, asked similarArgs) (foundAnswer, error) {
	var opts []simdb.SearchOption
	if asked.Threshold != nil {
		opts = append(opts, simdb.MinSim(*asked.Threshold))
	}
	return s.search(ctx, db, asked.lookup, func(limit int) []simdb.SearchOption { return append(opts, simdb.Limit(limit+1)) })
}

func (s *server) nearest(ctx context.Context, db *simdb.DB, asked lookup) (foundAnswer, error) {
	return s.search(ctx, db, asked, func(limit int) []simdb.SearchOption { return []simdb.SearchOption{simdb.Nearest(limit)} })
}

// search answers with so many documents at most. The options say which.
func (s *server) search(ctx context.Context, db *simdb.DB, asked lookup, which func(limit int) []simdb.SearchOption) (a foundAnswer, err error) {
	target, err := targetOf("", asked.Text, asked.ID)
	if err != nil {
		return a, err
	}
	measure, ok := api.ParseMeasure(cmp.Or(asked.Measure, api.Jaccard.String()))
	if !ok {
		return a, fmt.Errorf("there is no measure %.100q; the inputSchema has those there are", asked.Measure)
	}
	limit := cmp.Or(asked.Limit, min(10, s.Web.MaxRows))
	if limit < 1 || limit > s.Web.MaxRows {
		return a, fmt.Errorf("limit is %d, and must be from 1 to %d", limit, s.Web.MaxRows)
	}
	snap, err := db.Snapshot()
	if err != nil {
		return a, err
	}
	defer snap.Close()
	a.Matches = []found{}
	room := s.room(&a.cut)
	for m, err := range snap.Similar(ctx, target, append(which(limit), in(asked.Collection), simdb.Using(measure))...) {
		if err != nil {
			return a, err
		}
		if len(a.Matches) == limit {
			a.leave("these are the first %d of more: ask with a higher threshold, or a limit up to %d", limit, s.Web.MaxRows)
			break
		}
		row, err := foundOf(ctx, snap, m, measure)
		if err != nil {
			return a, err
		}
		if !room.take(row) {
			break
		}
		a.Matches = append(a.Matches, row)
	}
	if len(a.Matches) == 0 && !a.More {
		a.Notes = append(a.Notes, "nothing stored shares so much wording; the same thing may still be there in other words")
	}
	return a, nil
}

// foundOf adds to a match what is stored.
func foundOf(ctx context.Context, from simdb.Reader, m api.Match, by api.Measure) (found, error) {
	f := found{ID: m.ID, Collection: m.Collection, URI: uriOf(m.Collection, m.ID), Sim: m.Sim}
	if by.Counts() {
		f.Shared, f.Union = m.Shared, m.Union
	}
	doc, err := from.Get(ctx, m.Collection, m.ID)
	f.Excerpt, f.Metadata = excerpt(doc.Text), doc.Meta
	return f, err
}

// targetOf reads a target from two arguments, whose names may begin with that of a side.
func targetOf(side, text, id string) (api.Target, error) {
	switch {
	case (text == "") == (id == ""):
		return api.Target{}, fmt.Errorf("give %stext or %sid, and not both", side, side)
	case id != "":
		return api.ByID(id), nil
	}
	return api.ByText(text), nil
}

func in(collection string) simdb.SearchOption {
	return simdb.In(cmp.Or(collection, api.DefaultCollection))
}

// excerpt is how a text begins, in whole characters.
func excerpt(text string) string {
	if len(text) <= excerptBytes {
		return text
	}
	return strings.ToValidUTF8(text[:excerptBytes], "") + "…"
}

// uriOf is a document as a resource.
func uriOf(collection, id string) string {
	return "simdb://" + url.PathEscape(collection) + (&url.URL{Path: "/" + id}).EscapedPath()
}
