package api

// How an answer was found.

import (
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

	// Pairs is how many pairs Pairs is about to make, before a row is read: all that there are,
	// before WHERE. 0 if that is not known, if there are fewer than a million, or if a limit ends them.
	Pairs int64 `json:"-"`

	// Of these, as far as a search for one target tells them apart: until candidates were
	// found, and for comparing them.
	FindMicros   int64 `json:"find_micros,omitempty"`
	VerifyMicros int64 `json:"verify_micros,omitempty"`

	Related *RelatedPlan `json:"related,omitempty"` // of Related alone
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

// RelatedPlan is the plan of Related: the search for each kind, which Statement names, and
// what is not searched for, and why.
type RelatedPlan struct {
	Parts   []*Plan  `json:"parts"`
	LeftOut []string `json:"left_out,omitempty"`
}
