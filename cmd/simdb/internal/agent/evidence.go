package agent

// The tools compare and sources, which show common passages.

import (
	"context"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const aboutCompare = `Compare two texts, each given as text or as the id of a stored document. Returns their similarity by every measure and their common passages, word for word, with offsets. Use it as evidence.` + wording
const aboutSources = `Find the stored documents that a text is composed of. Returns the share of each document and the common passages, with offsets in both; no character is counted twice. Use it for texts that quote, merge or copy several others.` + wording

type compareArgs struct {
	AText      string `json:"a_text,omitempty" jsonschema:"the first text; give a_text or a_id"`
	AID        string `json:"a_id,omitempty" jsonschema:"the id of a stored document as the first text"`
	BText      string `json:"b_text,omitempty" jsonschema:"the second text; give b_text or b_id"`
	BID        string `json:"b_id,omitempty" jsonschema:"the id of a stored document as the second text"`
	Collection string `json:"collection,omitempty" jsonschema:"collection of the documents, whose settings apply to the texts; default docs"`
	Min        int    `json:"min,omitempty" jsonschema:"passages must have more characters than this; default 20"`
}

type compareAnswer struct {
	Scores   []score   `json:"scores" jsonschema:"one score per measure that is defined for the two texts"`
	Passages []passage `json:"passages" jsonschema:"common passages, word for word, in the order of the second text"`
	cut
}

type score struct {
	Measure string  `json:"measure"`
	Sim     float64 `json:"sim"`
}

// passage is a common passage of two texts. In sources, a is the given text and b the stored
// document.
type passage struct {
	AStart int    `json:"a_start_byte" jsonschema:"offset in the first text, in bytes of UTF-8"`
	AEnd   int    `json:"a_end_byte"`
	BStart int    `json:"b_start_byte" jsonschema:"offset in the second text, or in the document"`
	BEnd   int    `json:"b_end_byte"`
	Chars  int    `json:"chars" jsonschema:"length in characters"`
	Text   string `json:"text" jsonschema:"beginning of the passage"`
}

// passages returns the passages that fit into the answer.
func (r *room) passages(all []api.Passage) []passage {
	list := []passage{}
	for _, p := range all {
		row := passage{p.AStartByte, p.AEndByte, p.BStartByte, p.BEndByte, p.Chars, excerpt(p.A)}
		if !r.take(row) {
			break
		}
		list = append(list, row)
	}
	return list
}

// compare runs the tool compare.
func (s *server) compare(ctx context.Context, db *simdb.DB, asked compareArgs) (a compareAnswer, err error) {
	first, err := targetOf("a_", asked.AText, asked.AID)
	if err != nil {
		return a, err
	}
	second, err := targetOf("b_", asked.BText, asked.BID)
	if err != nil {
		return a, err
	}
	snap, err := db.Snapshot()
	if err != nil {
		return a, err
	}
	defer snap.Close()
	scores, err := snap.Compare(ctx, first, second, in(asked.Collection))
	if err != nil {
		return a, err
	}
	for _, c := range scores {
		if !c.None {
			a.Scores = append(a.Scores, score{c.Measure.Describe(c.Args), c.Sim})
		}
	}
	shared, err := snap.Passages(ctx, first, second, in(asked.Collection), simdb.Using(api.Patricia, api.Args{Min: asked.Min}))
	if err != nil {
		return a, err
	}
	a.Passages = s.room(&a.cut).passages(shared)
	return a, nil
}

type sourcesArgs struct {
	Text       string `json:"text,omitempty" jsonschema:"the text to search for; give text or id"`
	ID         string `json:"id,omitempty" jsonschema:"the id of a stored document to search for; give text or id"`
	Collection string `json:"collection,omitempty" jsonschema:"collection to search; default docs"`
	Min        int    `json:"min,omitempty" jsonschema:"passages must have more characters than this; default 30"`
}

type sourcesAnswer struct {
	Chars   int      `json:"chars" jsonschema:"characters of the text, with white space collapsed"`
	Covered int      `json:"covered" jsonschema:"characters found in stored documents"`
	Sources []source `json:"sources" jsonschema:"documents by their share of the text, largest first"`
	cut
}

type source struct {
	ID         string    `json:"id"`
	Collection string    `json:"collection"`
	URI        string    `json:"uri" jsonschema:"the document as a resource"`
	Chars      int       `json:"chars" jsonschema:"characters of the text from this document"`
	Passages   []passage `json:"passages" jsonschema:"a is the text, b the document"`
}

// sources runs the tool sources.
func (s *server) sources(ctx context.Context, db *simdb.DB, asked sourcesArgs) (a sourcesAnswer, err error) {
	target, err := targetOf("", asked.Text, asked.ID)
	if err != nil {
		return a, err
	}
	cover, err := db.Sources(ctx, target, in(asked.Collection), simdb.Using(api.Coverage, api.Args{Min: asked.Min}))
	if err != nil {
		return a, err
	}
	a.Chars, a.Sources = cover.Chars, []source{}
	room := s.room(&a.cut)
	for _, c := range cover.Sources {
		a.Covered += c.Chars
		row := source{c.ID, c.Collection, uriOf(c.Collection, c.ID), c.Chars, []passage{}}
		if a.More || !room.take(row) {
			continue // covered counts all sources, shown or not
		}
		row.Passages = room.passages(c.Passages)
		a.Sources = append(a.Sources, row)
	}
	return a, nil
}
