package check

// What a check found, in an order that does not depend on who found it first.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
)

// maxProblems bounds a report; Found goes on counting.
const maxProblems = 1000

// The kinds of problems.
const (
	KindDocument   = "document"   // its record, its text, or what the record leads to
	KindSet        = "set"        // what is stored of a set, and all of one kind that sets have
	KindPostings   = "postings"   // in a posting file
	KindMetadata   = "metadata"   // the index of it
	KindCounters   = "counters"   // of a collection
	KindConstraint = "constraint" // unique_sim
	KindGroups     = "groups"     // that are kept
	KindLedger     = "ledger"     // a row of it
	KindCollection = "collection" // its record
	KindAnswers    = "answers"    // a search or a join that a scan answers otherwise
	KindStore      = "store"      // it cannot be opened, or read
)

// sortProblems brings the problems into their order, whoever found them first, and keeps the first.
func sortProblems(r *api.CheckReport) {
	slices.SortFunc(r.Problems, func(a, b api.Problem) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.What, b.What))
	})
	r.Problems = r.Problems[:min(len(r.Problems), maxProblems)]
}

// Add takes one more problem into a report that is made.
func Add(r *api.CheckReport, p api.Problem) {
	note(r, p)
	sortProblems(r)
}

// note counts a problem, and lists it for now.
func note(r *api.CheckReport, p api.Problem) {
	r.Found++
	if r.Problems = append(r.Problems, p); len(r.Problems) == 2*maxProblems {
		sortProblems(r)
	}
}
