package agent

// The tool remember: a text is stored unless something similar is there.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const aboutRemember = `Store a text unless a similar one is there, in one step. The answer says whether it was stored, and if not what is there already, with the passages that both share. It never changes or deletes what is there.` + wording

type rememberArgs struct {
	Text       string   `json:"text" jsonschema:"the text to store"`
	ID         string   `json:"id,omitempty" jsonschema:"the id to store it under, which must be new; made from the text if it is left out"`
	Collection string   `json:"collection,omitempty" jsonschema:"the collection to look and store in, which is made if it is missing; docs if it is left out"`
	Threshold  *float64 `json:"threshold,omitempty" jsonschema:"a text of this similarity keeps it out, above 0 and up to 1; 0.8 if it is left out, or the collection's unique_sim"`
	Metadata   api.Meta `json:"metadata,omitempty" jsonschema:"fields to store with the text, such as where it comes from and when it was seen"`
}

type rememberAnswer struct {
	Stored     bool      `json:"stored" jsonschema:"whether the text was stored"`
	ID         string    `json:"id" jsonschema:"of what is there now: the text, or that which kept it out"`
	Collection string    `json:"collection"`
	URI        string    `json:"uri" jsonschema:"the document as a resource"`
	Similar    *found    `json:"similar,omitempty" jsonschema:"what kept the text out"`
	Passages   []passage `json:"passages,omitempty" jsonschema:"what both have word for word; a is the text, b what is there"`
	cut
}

func (s *server) remember(ctx context.Context, db *simdb.DB, asked rememberArgs) (a rememberAnswer, err error) {
	if asked.Text == "" {
		return a, errors.New("there is no text to store; give text")
	}
	doc := api.Document{Collection: cmp.Or(asked.Collection, api.DefaultCollection), ID: asked.ID, Text: asked.Text, Meta: asked.Metadata}
	if doc.ID == "" {
		sum := sha256.Sum256([]byte(asked.Text))
		doc.ID = hex.EncodeToString(sum[:8])
	}
	var shared []api.Passage
	match, stored, err := s.put(ctx, db, doc, asked.Threshold, &shared)
	if err != nil {
		return a, err
	}
	a = rememberAnswer{Stored: stored, ID: doc.ID, Collection: doc.Collection, URI: uriOf(doc.Collection, doc.ID)}
	if stored {
		return a, nil
	}
	there, err := foundOf(ctx, db, match, api.Jaccard)
	if err != nil {
		return a, err
	}
	a.ID, a.URI, a.Similar = there.ID, there.URI, &there
	room := s.room(&a.cut)
	if room.take(there) {
		a.Passages = room.passages(shared)
	}
	return a, nil
}

// put stores a document, unless its id is taken or something similar is there. An equal text of
// the same id is that too: the same call twice is no error.
func (s *server) put(ctx context.Context, db *simdb.DB, doc api.Document, threshold *float64, shared *[]api.Passage) (m api.Match, stored bool, err error) {
	s.puts.Lock()
	defer s.puts.Unlock()
	there, err := db.Get(ctx, doc.Collection, doc.ID)
	switch {
	case err == nil && there.Text == doc.Text:
		return api.Match{Collection: doc.Collection, ID: doc.ID, Sim: 1}, false, nil
	case err == nil:
		return m, false, fmt.Errorf("the id %.200q has another text, which remember does not change; leave id out, or give one that is new", doc.ID)
	case !errors.Is(err, api.ErrNotFound):
		return m, false, err
	}
	opts := []simdb.SearchOption{simdb.WithPassages(shared)}
	if threshold != nil {
		if *threshold == 0 {
			return m, false, errors.New("threshold is 0, which every text has; give one above 0, such as 0.8")
		}
		opts = append(opts, simdb.MinSim(*threshold))
	}
	m, stored, err = db.PutUnlessSimilar(ctx, doc, opts...)
	if unique, ok := errors.AsType[*api.SimilarError](err); ok { // the collection's own threshold is lower
		return unique.Match, false, nil
	}
	return m, stored, err
}
