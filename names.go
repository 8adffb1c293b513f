package simdb

import (
	"fmt"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query"
)

// What Open takes and what is stored.
type (
	Options        = engine.Options
	Document       = engine.Document
	Meta           = engine.Meta
	Batch          = engine.Batch
	BatchStats     = engine.BatchStats
	Dropped        = engine.Dropped
	SimilarError   = engine.SimilarError
	Settings       = engine.Settings
	CollectionInfo = engine.CollectionInfo
	DocInfo        = engine.DocInfo
	SIValue        = engine.SI // of DocInfo; SI is the measure
	Snapshot       = engine.Snapshot
)

// What is looked for, and what is found.
type (
	Target        = engine.Target
	Search        = engine.Search
	Keep          = engine.Keep
	Access        = engine.Access
	Measure       = measure.Measure
	Threshold     = measure.Threshold
	Args          = measure.Args
	Method        = engine.Method
	Match         = engine.Match
	PairMatch     = engine.PairMatch
	ClusterMember = engine.ClusterMember
	Duplicate     = engine.Duplicate
	Comparison    = engine.Comparison
	Passage       = engine.Passage
	SentencePair  = engine.SentencePair
	Plan          = engine.Plan
	FilterStat    = engine.FilterStat
)

// What statements return.
type (
	Rows       = query.Rows
	Row        = query.Row
	NamedArg   = query.NamedArg
	ParseError = query.ParseError

	QueryOptions = query.Options
)

// What imports and checks report.
type (
	Note        = engine.Note
	Reject      = ingest.Reject
	Problem     = engine.Problem
	CheckReport = engine.CheckReport
	Metrics     = engine.Metrics
)

// What a caller can act on; test with errors.Is.
var (
	ErrNotFound = engine.ErrNotFound
	ErrExists   = engine.ErrExists
	ErrClosed   = engine.ErrClosed
	ErrLocked   = engine.ErrLocked
	ErrCorrupt  = engine.ErrCorrupt
	ErrPoisoned = engine.ErrPoisoned
	ErrFormat   = engine.ErrFormat
	ErrTooLarge = engine.ErrTooLarge
	ErrInvalid  = engine.ErrInvalid
	ErrReadOnly = engine.ErrReadOnly
	ErrUnicode  = engine.ErrUnicode

	ErrNoCollection = engine.ErrNoCollection // an ErrNotFound too

	ErrSimilar = engine.ErrSimilar // a *SimilarError: the collection has unique_sim

	ErrMark = engine.ErrMark // also ErrInvalid: from Since

	ErrChanged = ingest.ErrChanged // from Import
)

// The orders in which Dedupe keeps documents: the first in it stays.
const (
	KeepFirst      = engine.KeepFirst      // written longest ago, as it is now
	KeepNewest     = engine.KeepNewest     // written last
	KeepLongest    = engine.KeepLongest    // the most bytes of text
	KeepShortestID = engine.KeepShortestID // the fewest bytes of id
)

// The measures.
const (
	Jaccard            = measure.Jaccard
	ContainmentOfQuery = measure.ContainmentOfQuery
	ContainmentOfDoc   = measure.ContainmentOfDoc
	Multiset           = measure.Multiset
	Repetition         = measure.Repetition
	SimHash            = measure.SimHash
	Patricia           = measure.Patricia
	Versions           = measure.Versions
	Entities           = measure.Entities
	Words              = measure.Words
	SI                 = measure.SI
)

// The ways to find candidates; only AccessInterval may miss matches.
const (
	AccessAuto      = engine.AccessAuto
	AccessPrefix    = engine.AccessPrefix
	AccessSignature = engine.AccessSignature
	AccessInterval  = engine.AccessInterval
	AccessRotated   = engine.AccessRotated
	AccessScan      = engine.AccessScan
	AccessRange     = engine.AccessRange
	AccessChunks    = engine.AccessChunks
	AccessTerms     = engine.AccessTerms
)

// ByID probes with a stored document.
func ByID(id string) Target { return engine.ByID(id) }

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return engine.ByText(text) }

// Ratio is the threshold num/den. It panics unless num ≤ den and 0 < den < 2³².
func Ratio(num, den uint64) Threshold { return measure.Ratio(num, den) }

// ParseThreshold reads "0.8", "80%" or "4/5". ErrInvalid for anything else.
func ParseThreshold(s string) (Threshold, error) {
	t, err := measure.ParseThreshold(s)
	if err != nil {
		return Threshold{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return t, nil
}

// invalid marks a call that can never succeed, and says why.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
