package check

// Report in an order that does not depend on the scheduling of the workers.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
)

// maxProblems limits the listed problems; Found counts all.
const maxProblems = 1000

// Kinds of problems.
const (
	KindDocument   = "document"   // record or text of a document, or data that the record leads to
	KindSet        = "set"        // stored data of a set, or the number of keys of a kind
	KindPostings   = "postings"   // posting file
	KindMetadata   = "metadata"   // metadata index
	KindCounters   = "counters"   // counters of a collection
	KindConstraint = "constraint" // unique_sim
	KindGroups     = "groups"     // maintained groups
	KindLedger     = "ledger"     // ledger row
	KindCollection = "collection" // record of a collection
	KindAnswers    = "answers"    // search or join that disagrees with a scan
	KindStore      = "store"      // store that cannot be opened or read
)

// sortProblems sorts the problems and keeps the first maxProblems, so that repeated runs report
// the same.
func sortProblems(r *api.CheckReport) {
	slices.SortFunc(r.Problems, func(a, b api.Problem) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.What, b.What))
	})
	r.Problems = r.Problems[:min(len(r.Problems), maxProblems)]
}

// Add adds a problem to a complete report.
func Add(r *api.CheckReport, p api.Problem) {
	note(r, p)
	sortProblems(r)
}

// note counts a problem and appends it to the list, which it sorts and shortens only at twice
// maxProblems.
func note(r *api.CheckReport, p api.Problem) {
	r.Found++
	if r.Problems = append(r.Problems, p); len(r.Problems) == 2*maxProblems {
		sortProblems(r)
	}
}
