package engine

// What callers see of the rooms, under the engine's own names.

import (
	"context"
	"io"

	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/progress"
)

// DefaultCollection is where documents go that name none.
const DefaultCollection = record.DefaultCollection

// What is stored.
type (
	Document = record.Document
	Meta     = record.Meta
	SI       = record.SI

	EntityExtractor = record.EntityExtractor
	Settings        = record.Settings
	CollectionInfo  = view.CollectionInfo
	DocInfo         = view.DocInfo
	UnreadableError = view.UnreadableError
)

// Progress is how far a call has come; WithProgress brings who is told.
type Progress = progress.Progress

// WithProgress returns a context whose calls tell the function how far they are: when a
// stage of the work begins, and at most ten times a second while it goes on. The function
// is called from any goroutine, never from two at once, and holds up the work while it runs.
func WithProgress(ctx context.Context, tell func(Progress)) context.Context {
	return progress.With(ctx, tell)
}

// What is asked.
type (
	Target = search.Target
	Search = search.Search
	Access = search.Access
	Method = search.Method
	Fields = search.Fields

	Relations = search.Relations
	Rule      = search.Rule
	Sources   = search.Sources
	Kind      = search.Kind
)

// The kinds of relations, the strongest first; see package search.
const (
	KindCopy     = search.KindCopy
	KindVersion  = search.KindVersion
	KindContains = search.KindContains
	KindPartOf   = search.KindPartOf
	KindPassages = search.KindPassages
	KindTopic    = search.KindTopic
)

// DefaultRules are those of RELATED TO. A copy has all shingles, a version resembles, or
// shares its sentences; a tenth may be missing of what is contained; a passage is longer than
// 100 characters; topics are told by what paragraphs name, and by words.
func DefaultRules() []Rule { return search.DefaultRules() }

// The ways to find candidates; see package search.
const (
	AccessAuto      = search.AccessAuto
	AccessPrefix    = search.AccessPrefix
	AccessPostings  = search.AccessPostings
	AccessSignature = search.AccessSignature
	AccessInterval  = search.AccessInterval
	AccessRotated   = search.AccessRotated
	AccessScan      = search.AccessScan
	AccessRange     = search.AccessRange
	AccessChunks    = search.AccessChunks
	AccessTerms     = search.AccessTerms
)

// What is answered.
type (
	Match         = search.Match
	Comparison    = search.Comparison
	Passage       = search.Passage
	SentencePair  = search.SentencePair
	FilterStat    = search.FilterStat
	Plan          = search.Plan
	Result[T any] = search.Result[T]
	PairMatch     = pairs.PairMatch
	ClusterMember = pairs.ClusterMember
	Duplicate     = pairs.Duplicate
	Relation      = search.Relation
	Evidence      = search.Evidence
	Cover         = search.Cover
	Source        = search.Source
	RelatedPlan   = search.RelatedPlan
	Keep          = pairs.Keep
	CheckReport   = check.CheckReport
	Problem       = check.Problem
)

// The orders in which Dedupe keeps documents; see package pairs.
const (
	KeepFirst      = pairs.KeepFirst
	KeepNewest     = pairs.KeepNewest
	KeepLongest    = pairs.KeepLongest
	KeepShortestID = pairs.KeepShortestID
)

// Measures are all there are, in the order of Compare.
var Measures = search.Measures

// ByID probes with a stored document, looked up in the collections searched.
func ByID(id string) Target { return search.ByID(id) }

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return search.ByText(text) }

// ByTokens probes with tokens, as documents of collections with unit = 'token' bring them.
func ByTokens(tokens []string) Target { return search.ByTokens(tokens) }

// ByFingerprint probes with the SimHash of a text that is not at hand.
func ByFingerprint(v uint64) Target { return search.ByFingerprint(v) }

// BuiltInEntities is the built-in extractor with a list of names, one a line, and groups of
// terms for one thing, one group a line with commas between; either may be nil.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*EntityExtractor, error) {
	return record.BuiltInEntities(gazetteer, synonyms)
}

// FingerprintOf computes the SimHash of a text as a collection of these settings
// does. It reports false for a text without shingles.
func FingerprintOf(text string, s Settings) (v uint64, ok bool, err error) {
	return record.FingerprintOf(text, s)
}

// CheckCollectionName refuses names that no collection can have, with ErrInvalid.
func CheckCollectionName(name string) error { return record.CheckCollectionName(name) }

// MaxMetaBytes is the most that the metadata of a document takes as JSON.
const MaxMetaBytes = record.MaxMetaBytes

// EncodeMeta returns metadata as it is stored; DecodeMeta reads that.
func EncodeMeta(m Meta) ([]byte, error) { return record.EncodeMeta(m) }

// DecodeMeta reads metadata as it is stored. ErrCorrupt if it does not decode.
func DecodeMeta(b []byte) (Meta, error) { return record.DecodeMeta(b) }
