package simdb

// The errors, constants and functions that have their meaning elsewhere. The types are in types_history.go,
// types_store.go, types_search.go, types_related.go and types_answer.go.

import (
	"fmt"
	"io"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/internal/measure"
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
	ErrNotKept  = engine.ErrNotKept

	ErrNoCollection = engine.ErrNoCollection // an ErrNotFound too
	ErrFormatTooNew = engine.ErrFormatTooNew // an ErrFormat too

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

// What Open does with texts that were read with other Unicode tables; see Options.
const (
	ConvertNewer  = engine.ConvertNewer
	ConvertNever  = engine.ConvertNever
	ConvertAlways = engine.ConvertAlways
)

// What OpenProgress tells of.
const (
	StepReplay    = engine.StepReplay
	StepReadAgain = engine.StepReadAgain
	StepRepair    = engine.StepRepair
)

// DefaultCollection is where documents go, and searches look, that name no collection.
const DefaultCollection = engine.DefaultCollection

// The measures.
const (
	Jaccard            = measure.Jaccard
	ContainmentOfQuery = measure.ContainmentOfQuery
	ContainmentOfDoc   = measure.ContainmentOfDoc
	Multiset           = measure.Multiset
	Repetition         = measure.Repetition
	Tversky            = measure.Tversky
	SimHash            = measure.SimHash
	Patricia           = measure.Patricia
	Coverage           = measure.Coverage
	Versions           = measure.Versions
	Entities           = measure.Entities
	Words              = measure.Words
	SI                 = measure.SI
)

// Whose sentences a share of Versions is of.
const (
	BothSides = measure.BothSides
	QuerySide = measure.QuerySide
	DocSide   = measure.DocSide
)

// The ways to find candidates; only AccessInterval may miss matches.
const (
	AccessAuto      = engine.AccessAuto
	AccessPrefix    = engine.AccessPrefix
	AccessPostings  = engine.AccessPostings
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

// ByTokens probes with tokens, as documents of collections with unit = 'token' bring them.
func ByTokens(tokens []string) Target { return engine.ByTokens(tokens) }

// BuiltInEntities is the built-in extractor of entities with a list of names, one a line, and
// groups of terms for one thing, one group a line with commas between; either may be nil.
// It is for Options.Entities.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*EntityExtractor, error) {
	return engine.BuiltInEntities(gazetteer, synonyms)
}

// Ratio is the threshold num/den. Unless num ≤ den and 0 < den < 2³² there is none: a search by
// it is ErrInvalid, and no fingerprint is similar by it.
func Ratio(num, den uint64) Threshold { return measure.RatioOf(num, den) }

// ParseThreshold reads "0.8", "80%" or "4/5". ErrInvalid for anything else.
func ParseThreshold(s string) (Threshold, error) {
	t, err := measure.ParseThreshold(s)
	if err != nil {
		return Threshold{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return t, nil
}

// Weights are the arguments of Tversky: how much a shingle counts against a score that only
// the query has, and one that only the document found has. A float is read as the decimal it
// prints as; Args with weights of ParseWeight can have fractions. For weights that there
// are not, below 0, above 100 or with more than three decimals, the search is ErrInvalid.
func Weights(alpha, beta float64) Args {
	return Args{Alpha: measure.FloatWeight(alpha), Beta: measure.FloatWeight(beta)}
}

// PaperVersions are arguments of Versions for the reading of paper 004: case is kept, the
// final stop is left out, and only the sentences of the query count.
func PaperVersions() VersionArgs { return measure.PaperVersions() }

// ParseWeight reads "1", "0.5" or "1/3". ErrInvalid for anything else.
func ParseWeight(s string) (Weight, error) {
	w, err := measure.ParseWeight(s)
	if err != nil {
		return Weight{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return w, nil
}

// invalid marks a call that can never succeed, and says why.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
