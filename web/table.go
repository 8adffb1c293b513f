package web

// POST /api/v1/table: rows as a file, which the page saves. Formats are the caller's, so that no
// library for them is here.

import (
	"bytes"
	"strings"
)

type tableRequest struct {
	Format  string   `json:"format"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

func table(c *call, asked tableRequest) error {
	write := c.Tables[asked.Format]
	if write == nil {
		return bad("no file of the format %s can be made here; there are %s", shown(asked.Format), strings.Join(c.tables(), ", "))
	}
	for i, row := range asked.Rows {
		if len(row) != len(asked.Columns) {
			return bad("row %d has %d values, and there are %d columns", i+1, len(row), len(asked.Columns))
		}
	}
	var file bytes.Buffer
	if err := write(&file, asked.Columns, asked.Rows); err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/octet-stream")
	c.w.Header().Set("Cache-Control", "no-store")
	_, err := c.w.Write(file.Bytes())
	return err
}
