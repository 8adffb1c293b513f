package api

// Plans: the execution of a search, with its costs.

import (
	"strings"
	"time"
)

// FilterStat counts the candidates before (In) and after (Out) a filter. A Safe filter loses no
// match.
type FilterStat struct {
	Name string `json:"name"`
	Safe bool   `json:"safe"`
	In   int64  `json:"in"`
	Out  int64  `json:"out"`
}

// Plan describes the execution of a search. Running the search fills the counts, so read all rows
// first.
type Plan struct {
	Statement  string       `json:"statement,omitempty"`
	Measure    string       `json:"measure"`
	MinSim     string       `json:"min_sim"`
	Access     string       `json:"access"`
	Exact      bool         `json:"exact"`
	Why        string       `json:"why"`              // reason for this access path: the compared costs, or the option that set it
	Recall     *float64     `json:"recall,omitempty"` // lossy access, EXPLAIN ANALYZE: measured against the exact answer
	Filters    []FilterStat `json:"filters"`
	Candidates int64        `json:"candidates"` // sets that remain after the index and its filters
	Verified   int64        `json:"verified"`   // candidates compared exactly
	Matches    int64        `json:"matches"`    // rows
	Micros     int64        `json:"micros"`

	// Pairs is an estimate of the number of pairs before WHERE, known before the first row. It is 0
	// if the number is unknown or below a million, or if a limit ends the search.
	Pairs int64 `json:"-"`

	// Parts of Micros in a search for one target: finding candidates, and comparing them.
	FindMicros   int64 `json:"find_micros,omitempty"`
	VerifyMicros int64 `json:"verify_micros,omitempty"`

	Related *RelatedPlan `json:"related,omitempty"` // only for Related
	Chains  []Chain      `json:"chains,omitempty"`  // only for Clusters: the largest groups with members that are not similar
}

// Chain describes a group of Clusters that chains of similar pairs connect: its documents A and B are
// not similar. They are the least similar of the compared members, so others may be less similar.
type Chain struct {
	Cluster     string  `json:"cluster"` // smallest id of the group
	Size        int     `json:"size"`
	CollectionA string  `json:"a_collection"`
	A           string  `json:"a"`
	CollectionB string  `json:"b_collection"`
	B           string  `json:"b"`
	Sim         float64 `json:"sim"` // of A and B, below the threshold
	Shared      uint64  `json:"shared"`
	Union       uint64  `json:"union"`
	Of          uint64  `json:"of"`
	Steps       int     `json:"steps"` // least possible number of similar pairs that lead from A to B
}

// Filter adds to the counts of a filter, in the order of first use.
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

// Add adds the counts of another collection or worker.
func (p *Plan) Add(o *Plan) {
	p.Access, p.Why = alsoNamed(p.Access, o.Access, ", "), alsoNamed(p.Why, o.Why, "; ")
	p.Exact = p.Exact && o.Exact
	for _, f := range o.Filters {
		p.Filter(f.Name, f.Safe, f.In, f.Out)
	}
	p.Candidates += o.Candidates
	p.Verified += o.Verified
	p.Chains = append(p.Chains, o.Chains...)
}

// alsoNamed appends a name to a list unless the list contains it.
func alsoNamed(list, name, separator string) string {
	if strings.Contains(list, name) {
		return list
	}
	return list + separator + name
}

// Found adds the time since start to FindMicros, and returns the present time.
func (p *Plan) Found(start time.Time) time.Time {
	now := time.Now()
	p.FindMicros += now.Sub(start).Microseconds()
	return now
}

// Compared adds the time since start to VerifyMicros.
func (p *Plan) Compared(start time.Time) { p.VerifyMicros += time.Since(start).Microseconds() }

// Took adds the time since start to Micros.
func (p *Plan) Took(start time.Time) { p.Micros += time.Since(start).Microseconds() }

// RelatedPlan is the plan of Related: Parts has the search for each kind, named by its Statement,
// and LeftOut the skipped kinds with their reasons.
type RelatedPlan struct {
	Parts   []*Plan  `json:"parts"`
	LeftOut []string `json:"left_out,omitempty"`
}
