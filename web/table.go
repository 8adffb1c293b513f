package web

// POST /api/v1/table: converts rows to a file, which the page saves. Options.Tables implements the
// formats, so that this package needs no library for them.

import (
	"bytes"
	"strings"
)

type tableRequest struct {
	Format  string   `json:"format"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// table answers with a file of the rows in the request.
func table(c *call, req tableRequest) error {
	write := c.Tables[req.Format]
	if write == nil {
		return bad("no file of the format %s can be made here; there are %s", quoted(req.Format), strings.Join(c.tables(), ", "))
	}
	for i, row := range req.Rows {
		if len(row) != len(req.Columns) {
			return bad("row %d has %d values, and there are %d columns", i+1, len(row), len(req.Columns))
		}
	}
	var file bytes.Buffer
	if err := write(&file, req.Columns, req.Rows); err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/octet-stream")
	c.w.Header().Set("Cache-Control", "no-store")
	_, err := c.w.Write(file.Bytes())
	return err
}
