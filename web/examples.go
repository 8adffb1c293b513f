package web

// GET /api/v1/examples: some documents with similar documents, as first targets.

import (
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	defaultExamples = 5
	maxExamples     = 50
	examplesTime    = time.Second // maximum time of the search
)

type examplesAnswer struct {
	Collection string    `json:"collection"`
	Documents  int64     `json:"documents"`
	Examples   []example `json:"examples"`
	Elapsed    float64   `json:"elapsed_ms"`
}

// example is a document with the most similar other document.
type example struct {
	ID     string  `json:"id"`
	Like   string  `json:"like"`
	Sim    float64 `json:"sim"`
	Shared uint64  `json:"shared"`
	Union  uint64  `json:"union"`
}

// examples searches with documents spread over the collection, from early to late ones, until there
// are enough examples or the time is up. Pairs that differ come first, because equal texts show less.
func examples(c *call) error {
	snap, info, limit, err := c.someOf("limit", defaultExamples, maxExamples)
	if err != nil {
		return err
	}
	ids, err := snap.Spread(c.ctx, info.Name, maxSample)
	if err != nil {
		return err
	}
	var differ, equal []example
	named := map[string]bool{} // so that a pair is one example
	for _, id := range ids {
		if len(differ) >= limit || time.Since(c.start) > examplesTime {
			break
		}
		for m, err := range snap.Similar(c.ctx, api.ByID(id), simdb.In(info.Name), simdb.Min(api.Ratio(1, 2)), simdb.Limit(1)) {
			if err != nil {
				return err
			}
			if named[id] || named[m.ID] {
				continue
			}
			named[id], named[m.ID] = true, true
			e := example{id, m.ID, m.Sim, m.Shared, m.Union}
			if m.Sim < 1 {
				differ = append(differ, e)
			} else {
				equal = append(equal, e)
			}
		}
	}
	found := append(differ, equal...)
	return c.respond(examplesAnswer{info.Name, info.Documents, append([]example{}, found[:min(limit, len(found))]...), c.elapsed()})
}
