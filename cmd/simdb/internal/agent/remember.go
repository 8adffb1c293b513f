package agent

// The tool remember stores a text unless a similar text is stored.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/notes"
)

const aboutRemember = `Store a text unless a similar text is stored, in one step. If not stored, the answer has the similar text and the common passages. ` +
	`Short texts, such as notes, are rejected if they repeat a stored note in slightly different words; a text that differs in a number, a negation or a word is stored. It never changes or deletes stored texts.` + wording

type rememberArgs struct {
	Text       string   `json:"text" jsonschema:"the text to store"`
	ID         string   `json:"id,omitempty" jsonschema:"id of the new document, which must be unused; default derived from the text"`
	Collection string   `json:"collection,omitempty" jsonschema:"collection to search and store in, created if missing; default docs"`
	Threshold  *float64 `json:"threshold,omitempty" jsonschema:"reject the text if a stored text has at least this similarity, above 0 and up to 1; default 0.4 for up to 300 characters and 0.8 for more, or the collection's unique_sim"`
	Metadata   api.Meta `json:"metadata,omitempty" jsonschema:"fields to store with the text, such as source and date"`
}

type rememberAnswer struct {
	Stored     bool      `json:"stored" jsonschema:"whether the text was stored"`
	ID         string    `json:"id" jsonschema:"id of the new document, or of the similar one"`
	Collection string    `json:"collection"`
	URI        string    `json:"uri" jsonschema:"the document as a resource"`
	Measure    string    `json:"measure" jsonschema:"measure of the comparison"`
	Threshold  float64   `json:"threshold" jsonschema:"least similarity for a rejection"`
	Similar    *found    `json:"similar,omitempty" jsonschema:"the similar document, if the text was rejected"`
	Passages   []passage `json:"passages,omitempty" jsonschema:"common passages, word for word; a is the text, b the stored document"`
	cut
}

// Short texts are compared with shorter shingles and a lower threshold, as measured in
// docs/decisions/0078: with the defaults, a single changed word hides a duplicate note.
const (
	maxNote   = 300 // characters
	noteSim   = 0.4
	mostAlike = 1000 // candidates to examine
)

// noteK is the shingle length for comparing notes, by the unit of the collection.
var noteK = map[string]int{"char": 4, "word": 1}

// forNotes holds the settings of a collection that remember creates.
var forNotes = api.Settings{Unit: "char", K: noteK["char"]}

// remember runs the tool remember.
func (s *server) remember(ctx context.Context, db *simdb.DB, asked rememberArgs) (a rememberAnswer, err error) {
	if asked.Text == "" {
		return a, errors.New("there is no text to store; give text")
	}
	if t := asked.Threshold; t != nil && (*t <= 0 || *t > 1) {
		return a, fmt.Errorf("threshold is %v; give one above 0 and up to 1, such as 0.8", *t)
	}
	doc := api.Document{Collection: cmp.Or(asked.Collection, api.DefaultCollection), ID: asked.ID, Text: asked.Text, Meta: asked.Metadata}
	if doc.ID == "" {
		sum := sha256.Sum256([]byte(asked.Text))
		doc.ID = hex.EncodeToString(sum[:8])
	}
	var shared []api.Passage
	match, stored, err := s.put(ctx, db, doc, asked.Threshold, &shared, &a)
	if err != nil {
		return a, err
	}
	a.Stored, a.ID, a.Collection, a.URI = stored, doc.ID, doc.Collection, uriOf(doc.Collection, doc.ID)
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
	} else {
		there.Metadata = nil // the other fields are short
	}
	return a, nil
}

// put stores a document unless its id is taken or a similar text is stored. An equal text with the
// same id counts as similar, so repeating a call is not an error.
func (s *server) put(ctx context.Context, db *simdb.DB, doc api.Document, threshold *float64, shared *[]api.Passage, a *rememberAnswer) (m api.Match, stored bool, err error) {
	s.puts.Lock()
	defer s.puts.Unlock()
	settings, err := s.settings(ctx, db, doc.Collection)
	if err != nil {
		return m, false, err
	}
	k := noteK[settings.Unit]
	note := k > 0 && utf8.RuneCountInString(doc.Text) <= maxNote && !settings.Ledger && (threshold != nil || settings.UniqueSim == "")
	a.Measure, a.Threshold = api.Jaccard.String(), 0.8
	if note {
		a.Measure, a.Threshold = api.Jaccard.Describe(api.Args{K: k}), noteSim
	}
	if threshold != nil {
		a.Threshold = *threshold
	} else if unique, err := api.ParseThreshold(settings.UniqueSim); err == nil {
		a.Threshold = unique.Float64()
	}
	there, err := db.Get(ctx, doc.Collection, doc.ID)
	switch {
	case err == nil && there.Text == doc.Text:
		return api.Match{Collection: doc.Collection, ID: doc.ID, Sim: 1}, false, nil
	case err == nil:
		return m, false, fmt.Errorf("the id %.200q has another text, which remember does not change; omit id, or give an unused one", doc.ID)
	case !errors.Is(err, api.ErrNotFound):
		return m, false, err
	}
	if note {
		m, stored, err = putNote(ctx, db, doc, api.Args{K: k}, shared, a)
	} else {
		var o api.Outcome
		m, o, err = db.PutNewUnlessSimilar(ctx, doc, simdb.WithPassages(shared), simdb.MinSim(a.Threshold))
		stored = o == api.OutcomeStored
	}
	if unique, ok := errors.AsType[*api.SimilarError](err); ok { // unique_sim of the collection is lower
		return unique.Match, false, nil
	}
	return m, stored, err
}

// settings returns the settings of a collection and creates it if it is missing.
func (s *server) settings(ctx context.Context, db *simdb.DB, name string) (api.Settings, error) {
	snap, err := db.Snapshot()
	if err != nil {
		return api.Settings{}, err
	}
	info, err := snap.Collection(name)
	if err := snap.Close(); err != nil {
		return api.Settings{}, err
	}
	if err == nil && !info.Implied {
		return info.Settings, nil
	}
	if err != nil && !errors.Is(err, api.ErrNoCollection) {
		return api.Settings{}, err
	}
	if err = db.CreateCollection(ctx, name, forNotes); errors.Is(err, api.ErrExists) { // another call just created it
		return s.settings(ctx, db, name)
	}
	return forNotes, err
}

// putNote stores a short text unless a stored note repeats it. Its check and its write are not
// atomic with statements of query, which may store a similar text in between.
func putNote(ctx context.Context, db *simdb.DB, doc api.Document, by api.Args, shared *[]api.Passage, a *rememberAnswer) (m api.Match, stored bool, err error) {
	snap, err := db.Snapshot()
	if err != nil {
		return m, false, err
	}
	defer snap.Close()
	text, longest := api.ByText(doc.Text), 16*maxNote
	for m, err := range snap.Similar(ctx, text, in(doc.Collection), simdb.Using(api.Jaccard, by), simdb.MinSim(a.Threshold), simdb.Limit(mostAlike)) {
		if err != nil {
			return m, false, err
		}
		there, err := snap.Get(ctx, m.Collection, m.ID)
		if err != nil {
			return m, false, err
		}
		if len(there.Text) > longest {
			continue // similar only because the candidate repeats itself
		}
		if differ := notes.Differ(doc.Text, there.Text); differ == notes.None {
			a.Notes = nil
			*shared, err = snap.Passages(ctx, text, api.ByID(m.ID), in(m.Collection))
			return m, false, err
		} else if a.Notes == nil {
			a.Notes = []string{fmt.Sprintf("the text is like %s (%.2f), but %s tells them apart", uriOf(m.Collection, m.ID), m.Sim, differ)}
		}
	}
	err = db.PutNew(ctx, doc)
	return m, err == nil, err
}
