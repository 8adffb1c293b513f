package web

// POST /api/v1/import: a stream of documents in a format of simdb import. Its size is unlimited,
// because the handler stores documents while it reads them, in constant memory.

import (
	"cmp"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

// maxRejects is the maximum number of listed rejects; further rejects are only counted.
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

// importing stores the documents of the body as they arrive.
func importing(c *call, req map[string]string) (err error) {
	a := importAnswer{Rejects: []api.Reject{}}
	o := api.ImportOptions{Into: req["collection"], IfExists: api.IfExists(req["if_exists"]), IDField: req["id_field"], TextField: req["text_field"],
		Keep: api.Keep(req["keep"]), Renderer: c.Renderer}
	o.OnReject = func(r api.Reject) {
		if len(a.Rejects) < maxRejects {
			a.Rejects = append(a.Rejects, r)
		}
	}
	if text := req["unless_similar"]; text != "" {
		if o.UnlessSimilar, err = api.ParseThreshold(text); err != nil {
			return bad("unless_similar: %v", oneLine(err))
		}
	}
	stats, err := load.ImportReader(c.ctx, c.db, cmp.Or(req["name"], "documents.jsonl"), c.r.Body, o)
	if err != nil {
		return err
	}
	a.Imported, a.Replaced, a.Skipped, a.Similar, a.Rejected, a.Lines = stats.Imported, stats.Replaced, stats.Skipped, stats.Similar, stats.Rejected, stats.Lines
	a.Elapsed = c.elapsed()
	return c.respond(a)
}
