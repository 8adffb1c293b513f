package engine

import (
	"iter"

	"github.com/simdb/simdb/measure"
)

// Document is one stored text.
type Document struct {
	Collection string // "" means "docs"
	ID         string // any non-empty string of at most 4 kB
	Text       string // need not be valid UTF-8; stored as it is
	Meta       Meta   // may be nil
}

// Meta holds a document's other fields: what encoding/json makes of an object,
// with numbers as json.Number, int, int64 or float64.
type Meta map[string]any

// Target is the probe of a search: a stored document or a text.
type Target struct {
	ID            string
	Text          string
	ByText        bool // Text is the probe, not ID
	Fingerprint   uint64
	ByFingerprint bool // Fingerprint is the probe: SimHash only
}

// ByID probes with a stored document, looked up in the collections searched.
func ByID(id string) Target { return Target{ID: id} }

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return Target{Text: text, ByText: true} }

// ByFingerprint probes with the SimHash of a text that is not at hand.
func ByFingerprint(v uint64) Target { return Target{Fingerprint: v, ByFingerprint: true} }

// Access names the way candidates are found. Only AccessInterval may miss
// matches, and it is used only where it is asked for.
type Access string

const (
	AccessAuto      Access = ""          // the cheapest exact one
	AccessPrefix    Access = "prefix"    // prefix buckets; jaccard at or above min_sim
	AccessSignature Access = "signature" // scan of the parity signatures in memory
	AccessInterval  Access = "interval"  // repetition-interval buckets: lossy
	AccessRotated   Access = "rotated"   // rotated tables; simhash
	AccessScan      Access = "scan"      // every set compared; simhash: flat scan of fingerprints
	AccessRange     Access = "range"     // si: the values in order
	AccessChunks    Access = "chunks"    // versions, entities: rotated tables of 32-bit fingerprints
	AccessTerms     Access = "terms"     // words, patricia: postings of words or of passages
)

// Search says what is looked for. The zero value asks for resemblance ≥ 0 in
// collection docs; most callers set Min.
type Search struct {
	In      []string          // collections; empty means docs
	Against []string          // Pairs only: the other side
	Measure measure.Measure   // default Jaccard
	Args    measure.Args      // of the measure, if it takes any
	Access  Access            // default AccessAuto
	Min     measure.Threshold // smallest sim that counts
	Limit   int               // rows wanted, 0 means all: a hint that lets the engine stop early
}

// Match is one row of Similar.
type Match struct {
	Collection, ID string
	Sim            float64
	Shared, Union  uint64
	Of             uint64 // Sim is Shared/Of: Union, or for containment the size of one side
	Dist           int    // simhash only
	SI             int64  // si only: the index of the document
}

// PairMatch is one row of Pairs: A < B bytewise, or A from In and B from Against.
type PairMatch struct {
	CollectionA, A string
	CollectionB, B string
	Sim            float64
	Shared, Union  uint64
	Of             uint64 // as in Match
	Dist           int    // simhash only
}

// ClusterMember is one row of Clusters: the groups largest first, then by
// Cluster; members by id.
type ClusterMember struct {
	Cluster    string // smallest id of the group
	Collection string
	ID         string
	Size       int
}

// FilterStat counts what a filter let through.
type FilterStat struct {
	Name string `json:"name"`
	Safe bool   `json:"safe"`
	In   int64  `json:"in"`
	Out  int64  `json:"out"`
}

// Plan says how a search is, or was, answered. The counts are filled by
// running it; Rows of a Result must be read to the end first.
type Plan struct {
	Statement  string       `json:"statement,omitempty"`
	Measure    string       `json:"measure"`
	MinSim     string       `json:"min_sim"`
	Access     string       `json:"access"`
	Exact      bool         `json:"exact"`
	Why        string       `json:"why"`              // why this access: the costs compared, or who asked
	Recall     *float64     `json:"recall,omitempty"` // lossy access, EXPLAIN ANALYZE: measured against the exact answer
	Filters    []FilterStat `json:"filters"`
	Candidates int64        `json:"candidates"` // left by the index and its filters
	Verified   int64        `json:"verified"`   // compared exactly
	Matches    int64        `json:"matches"`    // rows
	Micros     int64        `json:"micros"`
}

// Result is a running answer: a plan and its rows, in order. All may be ranged
// over once.
type Result[T any] struct {
	Plan *Plan
	All  iter.Seq2[T, error]
}

// Settings are fixed when a collection is created.
type Settings struct {
	Unit      string // "word" (default) or "char"
	K         int    // 0 means 3 for words, 5 for characters
	MinSim    string // smallest indexed resemblance, "" means "0.5"
	Intervals string // "" or "none", "paper", or '1-10,11-20,…'
	Sets      string `json:",omitempty"` // "stored" (default) or "derived": folded sets are not kept, but texts read where they would serve

	// What is kept of every text for the measures of the papers. Without it they
	// are answered all the same, by reading every text.
	SI       string `json:",omitempty"` // similarity indexes, at most 4, as sketch.ParseSI reads them: "m43b k40, m3b k16"
	Versions bool   `json:",omitempty"` // fingerprints of sentences
	Entities bool   `json:",omitempty"` // fingerprints of what paragraphs name
	Words    bool   `json:",omitempty"` // word frequencies
	Patricia bool   `json:",omitempty"` // passages
}

// CollectionInfo describes a collection.
type CollectionInfo struct {
	Name      string
	Settings  Settings
	Documents int64
	Sets      int64 // distinct shingle bags
	TextBytes int64
}

// Method is a measure with its arguments.
type Method struct {
	Measure measure.Measure
	Args    measure.Args
}

// Comparison is one row of Compare.
type Comparison struct {
	Method
	Sim    float64
	Shared uint64
	Union  uint64
	Dist   int  // simhash only
	None   bool // the measure has no value for these texts: they are too short for it
}

// Passage is a piece that two texts have in common: bytes [AStart, AEnd) of the
// first and [BStart, BEnd) of the second.
type Passage struct {
	AStart, AEnd int
	BStart, BEnd int
	Chars        int    // code points, as texts are read
	A, B         string // the bytes themselves
}

// SentencePair is a sentence of one text and its nearest in the other.
type SentencePair struct {
	Passage
	Dist int // bits in which their fingerprints differ
}
