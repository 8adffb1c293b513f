package api

// Documents, and descriptions of documents, collections and writes.

// Document is one stored text.
type Document struct {
	Collection string   `json:"collection"`       // "" means "docs"
	ID         string   `json:"id"`               // any non-empty string of at most 4 kB
	Text       string   `json:"text"`             // need not be valid UTF-8; stored unchanged
	Tokens     []string `json:"tokens,omitempty"` // the units of the shingles, only in collections with unit = 'token'; stored unchanged
	Meta       Meta     `json:"meta,omitempty"`   // may be nil

	// Lexed caches the tokens that a lexer found in the text, in collections with unit = 'code';
	// documents read from a database have it. If it is missing or belongs to another text, simdb
	// lexes the text again.
	Lexed []byte `json:"lexed,omitempty"`
}

// SIValue is a similarity index of a document; it is invalid if the text is too short for the
// index.
type SIValue struct {
	Value int64 `json:"value"`
	Valid bool  `json:"valid"`
}

// Meta holds a document's metadata, as encoding/json decodes an object, with numbers as
// json.Number, int, int64 or float64. Its strings are valid UTF-8, objects and arrays nest at most
// 10,000 deep including the object itself, and the whole is at most 1 MiB of JSON.
type Meta map[string]any

// CollectionInfo describes a collection.
type CollectionInfo struct {
	Name      string   `json:"name"`
	Settings  Settings `json:"settings"`
	Documents int64    `json:"documents"`
	Sets      int64    `json:"sets"` // distinct shingle bags
	TextBytes int64    `json:"text_bytes"`
	Implied   bool     `json:"implied,omitempty"` // the collection docs, before a first document or CreateCollection creates it
}

// DocInfo describes a document without its text.
type DocInfo struct {
	ID        string    `json:"id"`
	Meta      Meta      `json:"meta,omitempty"`
	TextBytes int64     `json:"size"`
	Shingles  int64     `json:"shingles"`     // distinct
	SimHash   uint64    `json:"simhash"`      // valid when Shingles > 0
	SI        []SIValue `json:"si,omitempty"` // similarity indexes, in the order of the collection's settings
}

// BatchStats counts the effects of a batch. If a later operation of the batch on the same id
// overrides an earlier one, the earlier one counts only as superseded. Dropped counts the puts that
// a similar document prevented.
type BatchStats struct {
	Inserted   int `json:"inserted"`
	Replaced   int `json:"replaced"`
	Deleted    int `json:"deleted"`
	Updated    int `json:"updated"`
	Superseded int `json:"superseded"`
	Dropped    int `json:"dropped"`
}

// Outcome is the effect of PutUnlessSimilar.
type Outcome string

const (
	OutcomeStored   Outcome = "stored"   // under a new id
	OutcomeReplaced Outcome = "replaced" // in place of the document of the same id
	OutcomeRefused  Outcome = "refused"  // not stored, because of a similar document
)

// Dropped is a document that a batch did not store, or removed, because of a similar document.
type Dropped struct {
	Op      int     `json:"op"`      // index of the put in the batch, from 0
	ID      string  `json:"id"`      // of the document that was not stored, or was removed
	Match   Match   `json:"match"`   // the similar document, which was stored before or put by the same batch
	Measure Measure `json:"measure"` // of the match: that of the condition, or Jaccard for unique_sim
}
