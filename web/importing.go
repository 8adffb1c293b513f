package web

// POST /api/v1/import: documents without end, stored as they come. The body is what a file for
// simdb import is. It is read as it is stored, so it has no limit, and takes no memory.

import (
	"cmp"

	"github.com/simdb/simdb/api"
)

// maxRejects are told of; of the others how many there are.
const maxRejects = 100

type importAnswer struct {
	Imported int64        `json:"imported"`
	Replaced int64        `json:"replaced"`
	Skipped  int64        `json:"skipped"`
	Similar  int64        `json:"similar"`
	Rejected int64        `json:"rejected"`
	Lines    int64        `json:"lines,omitempty"`
	Rejects  []api.Reject `json:"rejects"`
	Elapsed  float64      `json:"elapsed_ms"`
}

func importing(c *call, asked map[string]string) (err error) {
	a := importAnswer{Rejects: []api.Reject{}}
	o := api.ImportOptions{Into: asked["collection"], IfExists: api.IfExists(asked["if_exists"]), IDField: asked["id_field"], TextField: asked["text_field"],
		Keep: api.Keep(asked["keep"]), Renderer: c.Renderer}
	o.OnReject = func(r api.Reject) {
		if len(a.Rejects) < maxRejects {
			a.Rejects = append(a.Rejects, r)
		}
	}
	if text := asked["unless_similar"]; text != "" {
		if o.UnlessSimilar, err = api.ParseThreshold(text); err != nil {
			return bad("unless_similar: %v", oneLine(err))
		}
	}
	stats, err := c.db.ImportReader(c.ctx, cmp.Or(asked["name"], "documents.jsonl"), c.r.Body, o)
	if err != nil {
		return err
	}
	a.Imported, a.Replaced, a.Skipped, a.Similar, a.Rejected, a.Lines = stats.Imported, stats.Replaced, stats.Skipped, stats.Similar, stats.Rejected, stats.Lines
	a.Elapsed = c.elapsed()
	return c.give(a)
}
