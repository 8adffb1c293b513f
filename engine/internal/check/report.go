package check

// What a check found, in an order that does not depend on who found it first.

import (
	"cmp"
	"slices"
)

// maxProblems bounds a report; Found goes on counting.
const maxProblems = 1000

// Problem is one thing that Check found.
type Problem struct {
	Kind       string // what it is of: document, set, postings, metadata, counters, constraint, collection, answers or store
	Collection string // "" where none is concerned
	ID         string // of a document; "" where no single one is concerned
	What       string
	Place      string // where in the store, as far as that is known: a set, a file
}

// The kinds of problems.
const (
	KindDocument   = "document"   // its record, its text, or what the record leads to
	KindSet        = "set"        // what is stored of a set, and all of one kind that sets have
	KindPostings   = "postings"   // in a posting file
	KindMetadata   = "metadata"   // the index of it
	KindCounters   = "counters"   // of a collection
	KindConstraint = "constraint" // unique_sim
	KindCollection = "collection" // its record
	KindAnswers    = "answers"    // a search or a join that a scan answers otherwise
	KindStore      = "store"      // it cannot be opened, or read
)

// CheckReport is what Check looked at and found.
type CheckReport struct {
	Documents, Sets, Postings int64
	Problems                  []Problem // the first 1,000 by collection, id, kind, place and what they say
	Found                     int64
}

// sort brings the problems into their order, whoever found them first, and keeps the first.
func (r *CheckReport) sort() {
	slices.SortFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.What, b.What))
	})
	r.Problems = r.Problems[:min(len(r.Problems), maxProblems)]
}

// Add takes one more problem into a report that is made.
func (r *CheckReport) Add(p Problem) {
	r.note(p)
	r.sort()
}

// note counts a problem, and lists it for now.
func (r *CheckReport) note(p Problem) {
	r.Found++
	if r.Problems = append(r.Problems, p); len(r.Problems) == 2*maxProblems {
		r.sort()
	}
}
