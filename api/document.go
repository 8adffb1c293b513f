package api

// What is stored, and what is said of it and of writing it.

// Document is one stored text.
type Document struct {
	Collection string   `json:"collection"`       // "" means "docs"
	ID         string   `json:"id"`               // any non-empty string of at most 4 kB
	Text       string   `json:"text"`             // need not be valid UTF-8; stored as it is
	Tokens     []string `json:"tokens,omitempty"` // where the collection has unit = 'token', and only there: what shingles are made of, as it is
	Meta       Meta     `json:"meta,omitempty"`   // may be nil

	// Lexed, where the collection has unit = 'code', is what a lexer has found in the text, as a
	// document that was read has it. Without it, or if it is that of another text, the text is
	// read anew.
	Lexed []byte `json:"lexed,omitempty"`
}

// SIValue is a similarity index of a document; a text may be too short to have one.
type SIValue struct {
	Value int64 `json:"value"`
	Valid bool  `json:"valid"`
}

// Meta holds a document's other fields: what encoding/json makes of an object,
// with numbers as json.Number, int, int64 or float64. Text in it is valid UTF-8, objects
// and arrays nest 10,000 deep at most, the object itself counted, and all of it is 1 MiB
// of JSON at most.
type Meta map[string]any

// CollectionInfo describes a collection.
type CollectionInfo struct {
	Name      string   `json:"name"`
	Settings  Settings `json:"settings"`
	Documents int64    `json:"documents"`
	Sets      int64    `json:"sets"` // distinct shingle bags
	TextBytes int64    `json:"text_bytes"`
	Implied   bool     `json:"implied,omitempty"` // docs before it is made, by its first document or by CreateCollection
}

// DocInfo is what is known of a document without reading its text.
type DocInfo struct {
	ID        string    `json:"id"`
	Meta      Meta      `json:"meta,omitempty"`
	TextBytes int64     `json:"size"`
	Shingles  int64     `json:"shingles"`     // distinct
	SimHash   uint64    `json:"simhash"`      // valid when Shingles > 0
	SI        []SIValue `json:"si,omitempty"` // similarity indexes, in the order of the collection's settings
}

// BatchStats says what a batch did. An operation that a later one on the same
// id in the same batch overrides counts as superseded only. Dropped counts the
// puts that something similar kept out.
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
	OutcomeRefused  Outcome = "refused"  // a similar document kept it out
)

// Dropped is a put of a batch that did not take effect, because of a similar document.
type Dropped struct {
	Op      int     `json:"op"`      // which operation of the batch, counted from 0
	ID      string  `json:"id"`      // of the document that was to be put
	Match   Match   `json:"match"`   // what was there when its turn came, or was put by the same batch
	Measure Measure `json:"measure"` // of the match: that of the condition, or Jaccard for unique_sim
}
