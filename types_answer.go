package simdb

// The types of what is found, and of what is told.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// Result is a running answer: a plan and its rows, in order. All may be ranged
// over once.
//
//	type Result[T any] struct {
//		Plan *Plan
//		All  iter.Seq2[T, error]
//	}
type Result[T any] = engine.Result[T]

// Match is one row of Similar.
//
//	type Match struct {
//		Collection, ID string
//		Sim            float64
//		Shared, Union  uint64
//		Of             uint64 // Sim is Shared/Of: Union, or for containment the size of one side
//		Unit           uint64 // Sim is Unit·Shared/Of where this is not 0: tversky with weights that are no whole numbers
//		Dist           int    // simhash only
//		SI             int64  // si only: the index of the document
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (m Match) Meta() Meta
//	    Meta is the metadata of the document; nil if it has none, or the search does not ask.
//
//	func (m Match) Ratio() (num, den uint64)
//	    Ratio is Sim as an exact fraction.
type Match = engine.Match

// PairMatch is one row of Pairs: A < B bytewise, or A from In and B from Against.
//
//	type PairMatch struct {
//		CollectionA, A string
//		CollectionB, B string
//		Sim            float64
//		Shared, Union  uint64
//		Of, Unit       uint64 // as in Match
//		Dist           int    // simhash only
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (m PairMatch) MetaA() Meta
//	    MetaA is the metadata of A; nil if it has none, or the search does not ask.
//
//	func (m PairMatch) MetaB() Meta
//	    MetaB is the metadata of B.
//
//	func (m PairMatch) Ratio() (num, den uint64)
//	    Ratio is Sim as an exact fraction.
type PairMatch = engine.PairMatch

// ClusterMember is one row of Clusters: the groups largest first, then by
// Cluster; members by id.
//
//	type ClusterMember struct {
//		Cluster    string // smallest id of the group
//		Collection string
//		ID         string
//		Size       int
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (m ClusterMember) Meta() Meta
//	    Meta is the metadata of the document; nil if it has none, or the search does not ask.
type ClusterMember = engine.ClusterMember

// Comparison is one row of Compare.
//
//	type Comparison struct {
//		Method
//		Sim    float64
//		Shared uint64
//		Union  uint64
//		Dist   int  // simhash only
//		None   bool // the measure has no value for these texts: they are too short for it
//	}
type Comparison = engine.Comparison

// Passage is a piece that two texts have in common: bytes [AStartByte, AEndByte) of the
// first and [BStartByte, BEndByte) of the second.
//
//	type Passage struct {
//		AStartByte, AEndByte int
//		BStartByte, BEndByte int
//		Chars                int    // code points, as texts are read
//		A, B                 string // the bytes themselves
//	}
type Passage = engine.Passage

// SentencePair is a sentence of one text and its nearest in the other.
//
//	type SentencePair struct {
//		Passage
//		Dist int // bits in which their fingerprints differ
//	}
type SentencePair = engine.SentencePair

// Plan says how a search is, or was, answered. The counts are filled by
// running it; Rows of a Result must be read to the end first.
//
//	type Plan struct {
//		Statement  string       `json:"statement,omitempty"`
//		Measure    string       `json:"measure"`
//		MinSim     string       `json:"min_sim"`
//		Access     string       `json:"access"`
//		Exact      bool         `json:"exact"`
//		Why        string       `json:"why"`              // why this access: the costs compared, or who asked
//		Recall     *float64     `json:"recall,omitempty"` // lossy access, EXPLAIN ANALYZE: measured against the exact answer
//		Filters    []FilterStat `json:"filters"`
//		Candidates int64        `json:"candidates"` // left by the index and its filters
//		Verified   int64        `json:"verified"`   // compared exactly
//		Matches    int64        `json:"matches"`    // rows
//		Micros     int64        `json:"micros"`
//
//		// Of these, as far as a search for one target tells them apart: until candidates were
//		// found, and for comparing them.
//		FindMicros   int64 `json:"find_micros,omitempty"`
//		VerifyMicros int64 `json:"verify_micros,omitempty"`
//
//		Related *RelatedPlan `json:"related,omitempty"` // of Related alone
//	}
//
// Its methods:
//
//	func (p *Plan) Add(o *Plan)
//	    Add sums the counts of another collection's or worker's share.
//
//	func (p *Plan) Compared(start time.Time)
//	    Compared adds the time since start to that of comparing them.
//
//	func (p *Plan) Filter(name string, safe bool, in, out int64)
//	    Filter adds to the counts of a filter, in the order first met.
//
//	func (p *Plan) Found(start time.Time) time.Time
//	    Found adds the time since start to that of finding candidates, and returns now.
//
//	func (p *Plan) Took(start time.Time)
//	    Took adds the time since start.
type Plan = engine.Plan

// FilterStat counts what a filter let through.
//
//	type FilterStat struct {
//		Name string `json:"name"`
//		Safe bool   `json:"safe"`
//		In   int64  `json:"in"`
//		Out  int64  `json:"out"`
//	}
type FilterStat = engine.FilterStat

// Rows is the running answer of a statement. Range over All once, then call
// Close.
//
//	type Rows struct {
//		Columns []string
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (r *Rows) All() iter.Seq2[Row, error]
//	    All yields the rows. If there is an error, it is yielded last. All can be
//	    ranged over once.
//
//	func (r *Rows) Close() error
//	    Close frees what the rows hold. Rows that were not read are dropped. Closing
//	    again does nothing.
//
//	func (r *Rows) Err() error
//	    Err returns why Next has ended before the last row, if it has.
//
//	func (r *Rows) Next() bool
//	    Next goes to the next row, for Scan. It returns false at the end and after an error,
//	    which Err tells. It reads the same rows as All: use one of the two.
//
//	func (r *Rows) Notes() []string
//	    Notes returns what a reader of the rows should know, such as a threshold that
//	    was assumed. The notes are complete when the rows have been read.
//
//	func (r *Rows) Plan() *Plan
//	    Plan returns how a search went. It has the counts once the rows have been
//	    read. It is nil for a statement that searches nothing.
//
//	func (r *Rows) Scan(into ...any) error
//	    Scan copies the values of the row that Next went to into variables, one for each column.
//	    A variable is a pointer to a string, an integer, a float, a bool, a time.Time, a
//	    json.Number, a []string, a []any, a Meta or an any, to a pointer to one of these, which
//	    NULL makes nil, or has a method Scan(any) error as sql.Scanner. A value must be what the
//	    variable holds, without loss: 2.5 is no int, 300 no int8, and 9007199254740993 no
//	    float64. Fields that come from CSV are strings, so a string that reads as a number or a
//	    time is taken for one.
type Rows = query.Rows

// Row holds one value per column: string, int64, uint64, float64, bool, nil,
// json.Number, or a list or an object of metadata.
//
//	type Row []any
type Row = query.Row

// ParseError rejects a statement and points at its place. Line and Col count
// from 1, Col in code points. Test with errors.As. errors.Is finds ErrInvalid, or what
// else is the cause: ErrNotFound if the statement names something that is not there,
// ErrExists, ErrSimilar, ErrTooLarge, ErrReadOnly, or why a file could not be read.
//
//	type ParseError struct {
//		Line, Col  int
//		Expected   string // what was wanted: `a number after ">="`
//		Found      string // what stood there: `"high"`; may be empty
//		Suggestion string // a hint: `did you mean 80%?`; may be empty
//		Err        error  // the cause: ErrInvalid, unless another package found it
//	}
//
// Its methods:
//
//	func (e *ParseError) Error() string
//	    Error returns one line, such as 1:29: want a number after ">=", found "high".
//
//	func (e *ParseError) Unwrap() error
//	    Unwrap returns the cause.
//
//	func (e *ParseError) Within(statement StatementText) *ParseError
//	    Within returns the error with its place in the script that the statement is
//	    part of.
type ParseError = syntax.ParseError

// Reject is something in the input that did not become a document.
//
//	type Reject struct {
//		Source string `json:"source"`
//		Line   int64  `json:"line,omitempty"`
//		ID     string `json:"id,omitempty"`
//		Reason string `json:"reason"`
//	}
type Reject = ingest.Reject

// Problem is one thing that Check found.
//
//	type Problem struct {
//		Kind       string // what it is of: document, set, postings, metadata, counters, constraint, collection, answers or store
//		Collection string // "" where none is concerned
//		ID         string // of a document; "" where no single one is concerned
//		What       string
//		Place      string // where in the store, as far as that is known: a set, a file
//	}
type Problem = engine.Problem

// RepairReport says what a repair found amiss, and what is left of it.
//
//	type RepairReport struct {
//		Found   CheckReport // before; that the store did not open, or could not be checked, is one problem
//		Left    CheckReport // afterwards: what is damaged of the documents themselves
//		Rebuilt bool        // everything derived was made anew, now or by a repair that had not ended
//	}
type RepairReport = engine.RepairReport

// Salvaged says what came out of a broken store, and how many things were lost.
//
//	type Salvaged struct{ Collections, Documents, Notes, Lost int64 }
type Salvaged = engine.Salvaged

// CheckReport is what Check looked at and found.
//
//	type CheckReport struct {
//		Documents, Sets, Postings int64
//		Problems                  []Problem // the first 1,000 by collection, id, kind, place and what they say
//		Found                     int64
//	}
//
// Its methods:
//
//	func (r *CheckReport) Add(p Problem)
//	    Add takes one more problem into a report that is made.
type CheckReport = engine.CheckReport

// Metrics is a state report.
//
//	type Metrics struct {
//		Documents     int64 `json:"documents"`
//		Sets          int64 `json:"sets"`     // distinct shingle bags
//		Segments      int64 `json:"segments"` // posting segments
//		TailSets      int64 `json:"tail_sets"`
//		DiskBytes     int64 `json:"disk_bytes"` // without posting segments that are about to go
//		LogBytes      int64 `json:"log_bytes"`
//		CacheHits     int64 `json:"cache_hits"`
//		CacheMisses   int64 `json:"cache_misses"`
//		OpenSnapshots int64 `json:"open_snapshots"`
//
//		BuildFailures int64     `json:"build_failures"`           // how often making postings has failed since Open; it is tried again
//		BuildError    string    `json:"build_error,omitempty"`    // why it failed last
//		BuildFailedAt time.Time `json:"build_failed_at,omitzero"` // when it failed last
//		BuildFailing  bool      `json:"build_failing,omitempty"`  // it has not gone well since
//	}
type Metrics = engine.Metrics

// Duplicate is one row of Dedupe: a document of a group, and whether it stays. One that
// goes is similar to Like, which stays: of several such, the most similar, then the first
// in the order.
//
//	type Duplicate struct {
//		Cluster        int // groups are numbered from 1, in the order of their first documents
//		Collection, ID string
//		Keep           bool
//		LikeCollection string // the rest is of documents that go
//		Like           string
//		Sim            float64
//		Shared, Union  uint64
//		Of, Unit       uint64 // as in Match
//		Dist           int    // simhash only
//		Changed        bool   // it was not deleted, because it or Like had changed by then
//
//		Written, LikeWas record.Written // when they were written, for DeleteDuplicates
//	}
//
// Its methods:
//
//	func (d Duplicate) Ratio() (num, den uint64)
//	    Ratio is Sim as an exact fraction; 0/1 for a document that stays.
type Duplicate = engine.Duplicate

// Renderer makes texts of documents. Its methods are called by several goroutines.
//
//	type Renderer interface {
//		// Reads reports whether a file is a document, by its name and the first 8 KiB or fewer
//		// bytes of it. Any other file is a text, a file of records or an archive.
//		Reads(name string, head []byte) bool
//
//		// Render returns the text of a document and what it says of itself, as metadata. The
//		// error is why it is rejected. It is also asked for texts that are not UTF-8.
//		Render(ctx context.Context, name string, file []byte) (text string, meta map[string]any, err error)
//	}
type Renderer = ingest.Renderer
