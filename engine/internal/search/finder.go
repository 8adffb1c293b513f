package search

// The state of a search in one collection, and its results.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Hit is a set with its exact score.
type Hit struct {
	Set   uint32
	Score measure.Score
	id    string // restricts the hit to one document of the set; "": all
}

// Finder searches one collection for sets similar to a probe, for one probe after another.
// It must be used from one goroutine and closed after use.
type Finder struct {
	scope
	q      Search
	plan   *api.Plan
	reader *view.Reader

	formula measure.Formula // formula of the filters, for a measure of bags

	counting *counting           // planned lookup of the next probe; nil: not planned
	only     *Sets               // restriction of the search; nil: all
	late     bool                // read the metadata index only if there are many candidates
	scanned  map[uint64][]uint32 // results of a shared flat scan, by fingerprint

	probe Probe // the current probe, without ignored shingles
	readsBags

	again usedAgain
}

// scope is the search space of a Finder.
type scope struct {
	m       *view.Snapshot
	v       *view.View
	weights *view.View // view with the document counts for idf weights
}

// usedAgain holds buffers that searches of a finder share.
type usedAgain struct {
	buf    []uint32
	chunks *index.ChunkProbe // counts per set with postings; all 0 between searches
	bounds []float64         // word bounds per set, likewise
}

// counting is the lookup plan of one probe in a collection's postings.
type counting struct {
	*index.Search
	beyond []uint32 // sets that postings may miss, because they repeat shingles so often
}

// readsBags is the state of a finder for a search that changes bags.
type readsBags struct {
	exact    measure.Formula  // the scoring formula
	reading  *measure.Reading // nil: bags are unchanged
	whole    shingle.Bag      // of the probe, with ignored shingles
	rest     measure.Rest     // of the probe, without them
	weighing *index.Weighing  // weights of the probe's members, if members have weights
	least    []uint32         // lower bound of each set's remaining members or weight, in units of perLeast; nil: unknown
	perLeast uint64
}
