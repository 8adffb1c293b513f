package search

// The plan of a search, which says what was done, and the answer that it comes with.

import (
	"iter"
	"strings"
	"time"
)

// FilterStat counts what a filter let through.
type FilterStat struct {
	Name string `json:"name"`
	Safe bool   `json:"safe"`
	In   int64  `json:"in"`
	Out  int64  `json:"out"`
}

// Plan says how a search is, or was, answered. The counts are filled by
// running it; Rows of a Result must be read to the end first.
type Plan struct {
	Statement  string       `json:"statement,omitempty"`
	Measure    string       `json:"measure"`
	MinSim     string       `json:"min_sim"`
	Access     string       `json:"access"`
	Exact      bool         `json:"exact"`
	Why        string       `json:"why"`              // why this access: the costs compared, or who asked
	Recall     *float64     `json:"recall,omitempty"` // lossy access, EXPLAIN ANALYZE: measured against the exact answer
	Filters    []FilterStat `json:"filters"`
	Candidates int64        `json:"candidates"` // left by the index and its filters
	Verified   int64        `json:"verified"`   // compared exactly
	Matches    int64        `json:"matches"`    // rows
	Micros     int64        `json:"micros"`

	// Of these, as far as a search for one target tells them apart: until candidates were
	// found, and for comparing them.
	FindMicros   int64 `json:"find_micros,omitempty"`
	VerifyMicros int64 `json:"verify_micros,omitempty"`

	Related *RelatedPlan `json:"related,omitempty"` // of Related alone
}

// Result is a running answer: a plan and its rows, in order. All may be ranged
// over once.
type Result[T any] struct {
	Plan *Plan
	All  iter.Seq2[T, error]
}

// NewPlan begins the plan of a search that goes by an access.
func NewPlan(q Search, a Access, why string) *Plan {
	return &Plan{
		Measure: q.Measure.Describe(q.Args), MinSim: q.Min.String(),
		Access: string(a), Exact: a != AccessInterval, Why: why, Filters: []FilterStat{},
	}
}

// Filter adds to the counts of a filter, in the order first met.
func (p *Plan) Filter(name string, safe bool, in, out int64) {
	for i := range p.Filters {
		if p.Filters[i].Name == name {
			p.Filters[i].In += in
			p.Filters[i].Out += out
			return
		}
	}
	p.Filters = append(p.Filters, FilterStat{name, safe, in, out})
}

// Add sums the counts of another collection's or worker's share.
func (p *Plan) Add(o *Plan) {
	p.Access, p.Why = alsoNamed(p.Access, o.Access, ", "), alsoNamed(p.Why, o.Why, "; ")
	p.Exact = p.Exact && o.Exact
	for _, f := range o.Filters {
		p.Filter(f.Name, f.Safe, f.In, f.Out)
	}
	p.Candidates += o.Candidates
	p.Verified += o.Verified
}

// alsoNamed adds a name to a list that does not have it yet.
func alsoNamed(list, name, separator string) string {
	if strings.Contains(list, name) {
		return list
	}
	return list + separator + name
}

// Found adds the time since start to that of finding candidates, and returns now.
func (p *Plan) Found(start time.Time) time.Time {
	now := time.Now()
	p.FindMicros += now.Sub(start).Microseconds()
	return now
}

// Compared adds the time since start to that of comparing them.
func (p *Plan) Compared(start time.Time) { p.VerifyMicros += time.Since(start).Microseconds() }

// Took adds the time since start.
func (p *Plan) Took(start time.Time) { p.Micros += time.Since(start).Microseconds() }

// Limited ends a sequence after n items; 0 means all.
func Limited[T any](seq iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	if n <= 0 {
		return seq
	}
	return func(yield func(T, error) bool) {
		left := n
		for item, err := range seq {
			if !yield(item, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}
