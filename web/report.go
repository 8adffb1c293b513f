package web

// POST /api/v1/report: the overview of a collection as one HTML file, to save.

import (
	"bytes"

	"github.com/simdb/simdb/internal/overview"
)

const reportPassages = 100 // pairs with passages

// report answers with the file.
func report(c *call, req overviewRequest) error {
	o, snap, question, err := c.overview(req)
	if err != nil {
		return err
	}
	leave, err := c.overviews.enter(c.ctx)
	if err != nil {
		return err
	}
	r, err := func() (*overview.Report, error) {
		defer leave() // before a slow client reads
		return o.Report(c.ctx, snap, question, reportPassages)
	}()
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := r.WriteHTML(&file); err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	c.w.Header().Set("Content-Disposition", `attachment; filename="report.html"`)
	_, err = c.w.Write(file.Bytes())
	return err
}
