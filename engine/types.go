package engine

// What callers see of the rooms, under the engine's own names.

import (
	"context"
	"io"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/progress"
)

// WithProgress returns a context whose calls tell the function how far they are: when a
// stage of the work begins, and at most ten times a second while it goes on. The function
// is called from any goroutine, never from two at once, and holds up the work while it runs.
func WithProgress(ctx context.Context, tell func(api.Progress)) context.Context {
	return progress.With(ctx, tell)
}

// What is asked and answered.
type (
	Search         = search.Search
	Fields         = search.Fields
	Relations      = search.Relations
	Result[T any]  = search.Result[T]
	DatedDuplicate = pairs.DatedDuplicate
)

// Measures are all there are, in the order of Compare.
var Measures = search.Measures

// BuiltInEntities is the built-in extractor with a list of names, one a line, and groups of
// terms for one thing, one group a line with commas between; either may be nil.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	return record.BuiltInEntities(gazetteer, synonyms)
}

// FingerprintOf computes the SimHash of a text as a collection of these settings
// does. It reports false for a text without shingles.
func FingerprintOf(text string, s api.Settings) (v uint64, ok bool, err error) {
	return record.FingerprintOf(text, s)
}

// CheckCollectionName refuses names that no collection can have, with ErrInvalid.
func CheckCollectionName(name string) error { return record.CheckCollectionName(name) }

// MaxMetaBytes is the most that the metadata of a document takes as JSON.
const MaxMetaBytes = record.MaxMetaBytes

// EncodeMeta returns metadata as it is stored; DecodeMeta reads that.
func EncodeMeta(m api.Meta) ([]byte, error) { return record.EncodeMeta(m) }

// DecodeMeta reads metadata as it is stored. ErrCorrupt if it does not decode.
func DecodeMeta(b []byte) (api.Meta, error) { return record.DecodeMeta(b) }
