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
	ID     string
	Text   string
	ByText bool // Text is the probe, not ID
}

// ByID probes with a stored document, looked up in the collections searched.
func ByID(id string) Target { return Target{ID: id} }

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return Target{Text: text, ByText: true} }

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
)

// Search says what is looked for. The zero value asks for resemblance ≥ 0 in
// collection docs; most callers set Min.
type Search struct {
	In      []string          // collections; empty means docs
	Against []string          // Pairs only: the other side
	Measure measure.Measure   // default Jaccard
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
}

// CollectionInfo describes a collection.
type CollectionInfo struct {
	Name      string
	Settings  Settings
	Documents int64
	Sets      int64 // distinct shingle bags
	TextBytes int64
}

// Comparison is one row of Compare.
type Comparison struct {
	Measure measure.Measure
	Sim     float64
	Shared  uint64
	Union   uint64
	Dist    int // simhash only
}
