package agent

// The tools that show what texts have in common: compare and sources.

import (
	"context"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const aboutCompare = `Compare two texts, each given as text or as the id of a stored document: their similarity by every measure, and the passages that both have word for word, with their places. Use it as evidence.` + wording
const aboutSources = `Find which stored documents a text is composed of: how much of it each contributes, and the passages with their places in both. No character is counted twice. Use it for texts that quote, merge or copy several others.` + wording

type compareArgs struct {
	AText      string `json:"a_text,omitempty" jsonschema:"the first text; give a_text or a_id"`
	AID        string `json:"a_id,omitempty" jsonschema:"the id of a stored document as the first text"`
	BText      string `json:"b_text,omitempty" jsonschema:"the second text; give b_text or b_id"`
	BID        string `json:"b_id,omitempty" jsonschema:"the id of a stored document as the second text"`
	Collection string `json:"collection,omitempty" jsonschema:"where the documents are, and how the texts are read; docs if it is left out"`
	Min        int    `json:"min,omitempty" jsonschema:"passages have more characters than this; 20 if it is left out"`
}

type compareAnswer struct {
	Scores   []score   `json:"scores" jsonschema:"by each measure that has a value for the two texts"`
	Passages []passage `json:"passages" jsonschema:"what both have word for word, in the order of the second"`
	cut
}

type score struct {
	Measure string  `json:"measure"`
	Sim     float64 `json:"sim"`
}

// passage is a piece that two texts have in common. In sources a is the text that was asked
// about, and b the stored document.
type passage struct {
	AStart int    `json:"a_start_byte" jsonschema:"where it begins in the first text, in bytes of UTF-8"`
	AEnd   int    `json:"a_end_byte"`
	BStart int    `json:"b_start_byte" jsonschema:"where it begins in the second text, or in the document"`
	BEnd   int    `json:"b_end_byte"`
	Chars  int    `json:"chars" jsonschema:"its length in characters"`
	Text   string `json:"text" jsonschema:"how it begins"`
}

// passages are those that there is room for.
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
	Text       string `json:"text,omitempty" jsonschema:"the text to ask about; give text or id"`
	ID         string `json:"id,omitempty" jsonschema:"the id of a stored document to ask about; give text or id"`
	Collection string `json:"collection,omitempty" jsonschema:"the collection to look in; docs if it is left out"`
	Min        int    `json:"min,omitempty" jsonschema:"passages have more characters than this; 30 if it is left out"`
}

type sourcesAnswer struct {
	Chars   int      `json:"chars" jsonschema:"characters of the text, white space collapsed"`
	Covered int      `json:"covered" jsonschema:"how many of them stand in stored documents"`
	Sources []source `json:"sources" jsonschema:"the documents that the text is made of, the one with most of it first"`
	cut
}

type source struct {
	ID         string    `json:"id"`
	Collection string    `json:"collection"`
	URI        string    `json:"uri" jsonschema:"the document as a resource"`
	Chars      int       `json:"chars" jsonschema:"how many characters of the text are from here"`
	Passages   []passage `json:"passages" jsonschema:"a is the text, b the document"`
}

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
			continue // all count for covered
		}
		row.Passages = room.passages(c.Passages)
		a.Sources = append(a.Sources, row)
	}
	return a, nil
}
