package simdb

// The types of what is asked.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query"
)

// Target is the probe of a search: a stored document or a text.
//
//	type Target struct {
//		ID            string
//		Text          string
//		ByText        bool // Text is the probe, not ID
//		Fingerprint   uint64
//		ByFingerprint bool // Fingerprint is the probe: SimHash only
//		Tokens        []string
//		ByTokens      bool // Tokens are the probe: in collections of own tokens only. With ByText they come with the text
//	}
type Target = engine.Target

// Search says what is looked for. The zero value asks for resemblance ≥ 0 in
// collection docs; most callers set Min.
//
//	type Search struct {
//		In      []string          // collections; empty means docs
//		Against []string          // Pairs only: the other side
//		Measure Measure   // default Jaccard
//		Args    Args      // of the measure, if it takes any
//		Access  Access            // default AccessAuto
//		Min     Threshold // smallest sim that counts
//		Since   string            // Pairs and Clusters only: a mark; rows with a document written after it
//		Limit   int               // rows wanted, 0 means all: a hint that lets the engine stop early
//		Nearest int               // Pairs only: so many of the most similar b for each a, 0 means all; in Similar a Limit alone does this
//		Mutual  bool              // with Nearest: only rows whose a is also among the nearest of its b
//		Meta    bool              // rows carry the metadata of their documents
//
//		// Where says of the documents found what an index of metadata fields may know, in
//		// Pairs of a, and WhereB of b. Most rows that do not meet it are left out, not all:
//		// who sets it tests the rows: Limit counts them before the test.
//		Where, WhereB *Fields
//
//		// Keep, in Clusters only, says which documents are put into groups. The others are
//		// taken for not there: they tie nothing together. nil keeps all.
//		Keep func(collection string, d DocInfo) (bool, error)
//
//		// Accept, in Pairs with Nearest only, says which rows there are, given an a and a b with
//		// its score: the nearest of a are among those. It is called by one goroutine at a time.
//		// nil accepts all.
//		Accept func(collection, id string, b Match) (bool, error)
//	}
//
// Its methods:
//
//	func (q Search) CanGuard() error
//	    CanGuard says whether a search can be the condition of a put: it names a measure of
//	    sets and nothing that only an answer has.
//
//	func (q Search) Check() error
//	    Check refuses what no answer could heed.
//
//	func (q Search) Match(collection, id string, s measure.Score) Match
//	    Match is the row of a document of a hit.
//
//	func (q Search) Method() Method
//	    Method is what the search scores by.
type Search = engine.Search

// Access names the way candidates are found. Only AccessInterval may miss
// matches, and it is used only where it is asked for.
//
//	type Access string
type Access = engine.Access

// Measure names a similarity. The zero value is Jaccard.
//
//	type Measure uint8
//
// Its methods:
//
//	func (m Measure) Check(a Args) error
//	    Check refuses arguments that do not go together, or that the measure does not take.
//
//	func (m Measure) Describe(a Args) string
//	    Describe writes a measure with the arguments that are not the defaults, as
//	    the language does.
//
//	func (m Measure) Formula(a Args) Formula
//	    Formula returns that of a measure. It panics for a measure that does not compare bags
//	    (see OfBags).
//
//	func (m Measure) OfBags() bool
//	    OfBags reports whether Score compares bags by m.
//
//	func (m Measure) OfTexts() bool
//	    OfTexts reports whether m compares texts: neither bags nor the fingerprints of
//	    their sets.
//
//	func (m Measure) String() string
//	    String returns the name used in the language: "jaccard",
//	    "containment(of='query')", "containment(of='doc')", "multiset",
//	    "repetition", "tversky", "simhash", "patricia", "coverage", "versions", "entities", "words", "si".
//
//	func (m Measure) Swapped(a Args) (Measure, Args, bool)
//	    Swapped returns the measure that scores a query and a document as m scores the document
//	    and the query, if there is one.
//
//	func (m Measure) Symmetric(a Args) bool
//	    Symmetric reports whether the score stays the same if query and document are swapped.
//
//	func (m Measure) Unused(a Args) string
//	    Unused names the arguments that a measure does not take, of those that are given;
//	    "" if it takes all.
//
//	func (m Measure) Valid() bool
//	    Valid reports whether m is one of the measures.
type Measure = measure.Measure

// Threshold is a similarity bound as an exact rational in [0,1]. Decisions at
// the bound are made in integers: in float64 (1−0.9)·10 is 0.9999999999999998.
//
// The fraction is in lowest terms, so equal thresholds are ==.
//
//	type Threshold struct {
//		// contains filtered or unexported fields
//	} // den 0 stands for the zero value: 0
//
// Its methods:
//
//	func (t Threshold) Admits(num, den uint64) bool
//	    Admits reports whether num/den ≥ t, exactly. It never admits den 0.
//
//	func (t Threshold) Ceil(n uint64) uint64
//	    Ceil returns ⌈t·n⌉.
//
//	func (t Threshold) Cmp(u Threshold) int
//	    Cmp orders thresholds: −1, 0 or +1.
//
//	func (t Threshold) Float64() float64
//	    Float64 returns the nearest float64.
//
//	func (t Threshold) Overlap(total uint64) uint64
//	    Overlap returns how many members two sets with total members together must
//	    share for resemblance ≥ t. From s/(total−s) ≥ t follows s ≥ ⌈t/(1+t)·total⌉.
//
//	func (t Threshold) String() string
//	    String returns the shortest decimal, such as "0.8", or "num/den" if no
//	    decimal is exact.
type Threshold = measure.Threshold

// Args are the arguments of all measures. The zero value means the defaults.
//
//	type Args struct {
//		Alpha Weight // tversky: of what only the query has; not given means 1
//		Beta  Weight // tversky: of what only the document has; not given means 1
//		K     int    // measures of bags: tokens of a shingle, 1 to 100; 0 means as many as those of the collection
//
//		Min      int         // patricia, coverage: a match counts if it has more characters than this; 0 means 15
//		Bits     int         // versions, entities: in how many bits near fingerprints may differ; 0 means the default, negative means none
//		Versions VersionArgs // versions: how sentences are read and counted
//
//		TF  bool   // entities: weigh an entity by how often it is named
//		IDF bool   // words: weigh a word by how rare it is in the collection
//		SI  string // si: which one, as sketch.ParseSI reads it; "" means the first that the collection keeps
//	}
type Args = measure.Args

// VersionArgs say how versions reads sentences and counts them. The zero value is the
// default.
//
//	type VersionArgs struct {
//		KeepCase bool   // capitals differ from small letters
//		DropStop bool   // the full stop at the end of a sentence is left out, with closing quotes behind it
//		Alone    bool   // resemblance does not count, only sentences do
//		Of       Side   // whose sentences must have a partner
//		Share    Weight // of those that must have one: above 0, at most 1; not given means 0.95
//	}
//
// Its methods:
//
//	func (a VersionArgs) String() string
//	    String lists the arguments that are given, as the language writes them.
type VersionArgs = measure.VersionArgs

// Side says whose sentences a share is of.
//
//	type Side uint8
type Side = measure.Side

// Weight is how much it counts against a score that one side has a shingle which the
// other has not: an exact fraction in lowest terms, from 0 to MaxWeight. The zero value is
// a weight that is not given, and means 1.
//
//	type Weight struct {
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (w Weight) Given() bool
//	    Given reports whether the weight is not the zero value.
//
//	func (w Weight) String() string
//	    String returns the weight as ParseWeight reads it: the shortest decimal, or a fraction
//	    if no decimal is exact.
type Weight = measure.Weight

// Method is a measure with its arguments.
//
//	type Method struct {
//		Measure Measure
//		Args    Args
//	}
//
// Its methods:
//
//	func (m Method) Check() error
//	    Check refuses a measure that there is not, and arguments that the measure does not
//	    take.
//
//	func (m Method) Formula() measure.Formula
//	    Formula is what a measure of bags scores by.
//
//	func (m Method) Symmetric() bool
//	    Symmetric says whether the score stays the same if query and document are swapped.
type Method = engine.Method

// QueryOptions is Options in the package it comes from. Options say what a statement may do. The zero value reads no files, and sets no
// other limits.
//
//	type QueryOptions struct {
//		Files    bool          // FILE '…' reads files of this machine. Without it such a statement is rejected: leave it out for statements written by strangers
//		Input    io.Reader     // what FILE '-' reads; nil: nothing. Only with Files
//		ReadOnly bool          // INSERT, UPDATE, DELETE, CREATE, DROP and COMPACT are rejected before they do anything; the error wraps ErrReadOnly
//		MaxRows  int64         // the rows end with an error that wraps ErrTooLarge where there would be more; 0 means any number
//		Timeout  time.Duration // for the statement and the reading of its rows; then an error that wraps context.DeadlineExceeded. 0 means as long as the context
//	}
type QueryOptions = query.Options

// NamedArg is the argument of a parameter :name.
//
//	type NamedArg struct {
//		Name  string
//		Value any
//	}
type NamedArg = query.NamedArg

// Progress is how far a call has come: so many of what are done, of Total. A call may
// have several stages, one after the other, each with a name and numbers of its own.
//
//	type Progress struct {
//		What        string // what is counted: "sets searched"
//		Done, Total int64  // Total is 0 where no one knows it
//	}
type Progress = engine.Progress

// Keep is the order in which documents are kept: the first of a group always stays.
//
//	type Keep string
type Keep = engine.Keep
