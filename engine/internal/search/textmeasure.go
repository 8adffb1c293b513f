package search

// The parts of a measure of texts: a probe, and the functions that differ between measures.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// A textProbe compares one text with others by a measure of texts. It is safe for concurrent
// use.
type textProbe interface {
	// score computes the measure. Of is 0 if one of the texts has no value.
	score(ctx context.Context, doc string) (measure.Score, error)
	// scoreSet is score for the text of a set, from its stored features where possible.
	scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error)
	// countsNothing reports whether the text has nothing for the measure to count, so that
	// it scores 0 with itself or has no score.
	countsNothing() bool
	// candidates lists the sets with numbers ≥ from that may match, ascending, and adds its
	// counts to f's plan. It uses the features that the collection keeps.
	candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error)
}

// textMeasure computes a measure of texts and finds its candidates. Optional functions are nil.
type textMeasure struct {
	probe  func(v *view.View, by api.Method, r *measure.Reading, text string) (textProbe, error)
	shared func(ctx context.Context, m *view.Snapshot, v *view.View, by api.Method, text string) (textProbe, error) // replaces probe where it reads more than the text

	keeps  func(v *view.View, a api.Args) (kept bool, setting string, err error) // replaces api.Measure.Kept where arguments decide
	scans  func(v *view.View, a api.Args) string                                 // the reason to read every text despite the index; "": none
	needs  func(v *view.View) string                                             // the requirement that a collection does not meet; "": none
	differ func(a, b *view.View) string                                          // the obstacle to pairing two collections of the same analysis; "": none
	chunks func(v *view.View, q Search) (ChunkRule, error)                       // the rule of a join of chunks
	ofView func(v *view.View) api.Args                                           // the default arguments of COMPARE
	counts func(v *view.View, by api.Method, doc string) (bool, error)           // reports anything to count in a text; nil: equal normal forms suffice
	partly bool                                                                  // a text may have less than 1 with itself
}

// ChunkRule is the rule by which a join compares chunks.
type ChunkRule struct {
	Bits  int     // partners differ in at most this many bits
	Share float64 // least share of chunks, of both sides, with a partner in a match
	Rate  func(measure.ChunkMatch) measure.Score

	versions measure.VersionRule
	reading  sketch.Reading
	stored   func(*record.Features) []uint32
}
