package web

// POST /api/v1/render: a file as a text, where the caller has the file alone. Nothing is
// stored.

import (
	"net/http"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
)

// headBytes of a file are looked at to tell what it is.
const headBytes = 8 << 10

type renderAnswer struct {
	Text     string   `json:"text"`
	Metadata api.Meta `json:"metadata"`
	Size     int      `json:"size"`
	Notes    []string `json:"notes"`
	Elapsed  float64  `json:"elapsed_ms"`
}

func render(c *call) error {
	if c.Renderer == nil {
		return refuse(http.StatusNotFound, "not_found", "this server reads no documents, only texts")
	}
	given, err := c.parameters("name")
	if err != nil {
		return err
	}
	file := c.body
	a := renderAnswer{Text: string(file), Metadata: api.Meta{}, Notes: []string{}}
	if c.Renderer.Reads(given["name"], file[:min(len(file), headBytes)]) || !utf8.Valid(file) {
		a.Text, a.Metadata, err = c.Renderer.Render(c.ctx, given["name"], "", file)
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil:
			return bad("%s cannot be read: %s", shown(given["name"]), oneLine(err))
		}
	}
	if a.Size = len(a.Text); !hasContent(a.Text) {
		a.Notes = append(a.Notes, noContent)
	}
	a.Elapsed = c.elapsed()
	return c.give(a)
}
