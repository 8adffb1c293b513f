package agent

// The search tools: similar and nearest.

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
	aboutSimilar = `Find the stored texts similar to a text or a stored document: copies and near-duplicates, with their exact similarity from 0 to 1. Use it to check whether a text is already stored.` + wording
	aboutNearest = `Find the stored texts most similar to a text or a stored document, at any similarity above 0. Use it if similar finds nothing.` + wording
	wording      = " Only shared wording counts; paraphrases are not found."
)

// excerptBytes limits the excerpt of a text in an answer.
const excerptBytes = 400

// lookup holds the arguments of a search: target, collection, measure and limit.
type lookup struct {
	Text       string `json:"text,omitempty" jsonschema:"the text to search for; give text or id"`
	ID         string `json:"id,omitempty" jsonschema:"the id of a stored document to search for; give text or id"`
	Collection string `json:"collection,omitempty" jsonschema:"collection to search; default docs"`
	Measure    string `json:"measure,omitempty" jsonschema:"default jaccard: shared shingles over all shingles of both. containment(of='query'): the share of the text that is in the document; containment(of='doc'): the reverse. Others: dice, overlap, multiset, repetition, tversky, weighted, simhash, patricia, coverage, versions, entities, words; quotes: the share of the text in runs of 20 words of the document"`
	Limit      int    `json:"limit,omitempty" jsonschema:"maximal number of documents; default 10"`
}

type similarArgs struct {
	lookup
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"least similarity, from 0 to 1; default 0.8"`
}

type foundAnswer struct {
	Matches []found `json:"matches" jsonschema:"matches, most similar first"`
	cut
}

// found is a document in an answer.
type found struct {
	ID         string   `json:"id"`
	Collection string   `json:"collection"`
	URI        string   `json:"uri" jsonschema:"the document as a resource"`
	Sim        float64  `json:"sim" jsonschema:"similarity by the measure, from 0 to 1"`
	Shared     uint64   `json:"shared,omitempty" jsonschema:"number of shared shingles"`
	Union      uint64   `json:"union,omitempty" jsonschema:"number of shingles in either text"`
	Excerpt    string   `json:"excerpt,omitempty" jsonschema:"beginning of the document"`
	Metadata   api.Meta `json:"metadata,omitempty"`
}

// similar runs the tool similar.
func (s *server) similar(ctx context.Context, db *simdb.DB, asked similarArgs) (foundAnswer, error) {
	var opts []simdb.SearchOption
	if asked.Threshold != nil {
		opts = append(opts, simdb.MinSim(*asked.Threshold))
	}
	return s.search(ctx, db, asked.lookup, func(limit int) []simdb.SearchOption { return append(opts, simdb.Limit(limit+1)) })
}

// nearest runs the tool nearest.
func (s *server) nearest(ctx context.Context, db *simdb.DB, asked lookup) (foundAnswer, error) {
	return s.search(ctx, db, asked, func(limit int) []simdb.SearchOption { return []simdb.SearchOption{simdb.Nearest(limit)} })
}

// search returns at most asked.Limit documents. which returns the options that select them.
func (s *server) search(ctx context.Context, db *simdb.DB, asked lookup, which func(limit int) []simdb.SearchOption) (a foundAnswer, err error) {
	target, err := targetOf("", asked.Text, asked.ID)
	if err != nil {
		return a, err
	}
	measure, ok := api.ParseMeasure(cmp.Or(asked.Measure, api.Jaccard.String()))
	if !ok {
		return a, fmt.Errorf("there is no measure %.100q; the inputSchema lists the measures", asked.Measure)
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
			a.leave("only the first %d matches; raise the threshold, or the limit up to %d", limit, s.Web.MaxRows)
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
		a.Notes = append(a.Notes, "no stored text shares that much wording; a paraphrase may still be stored")
	}
	return a, nil
}

// foundOf returns a match with the excerpt and the metadata of its document.
func foundOf(ctx context.Context, from simdb.Reader, m api.Match, by api.Measure) (found, error) {
	f := found{ID: m.ID, Collection: m.Collection, URI: uriOf(m.Collection, m.ID), Sim: m.Sim}
	if by.Counts() {
		f.Shared, f.Union = m.Shared, m.Union
	}
	doc, err := from.Get(ctx, m.Collection, m.ID)
	f.Excerpt, f.Metadata = excerpt(doc.Text), doc.Meta
	return f, err
}

// targetOf returns the target of the arguments text and id. side is the prefix of their names in
// errors.
func targetOf(side, text, id string) (api.Target, error) {
	switch {
	case (text == "") == (id == ""):
		return api.Target{}, fmt.Errorf("give %stext or %sid, and not both", side, side)
	case id != "":
		return api.ByID(id), nil
	}
	return api.ByText(text), nil
}

// in selects a collection; "" means the default.
func in(collection string) simdb.SearchOption {
	return simdb.In(cmp.Or(collection, api.DefaultCollection))
}

// excerpt returns the first excerptBytes of a text, cut between characters.
func excerpt(text string) string {
	if len(text) <= excerptBytes {
		return text
	}
	return strings.ToValidUTF8(text[:excerptBytes], "") + "…"
}

// uriOf returns the URI of a document as a resource.
func uriOf(collection, id string) string {
	return "simdb://" + url.PathEscape(collection) + (&url.URL{Path: "/" + id}).EscapedPath()
}
