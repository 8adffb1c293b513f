package web

// POST /api/v1/render: extracts the text of a file, for clients that cannot. It stores nothing.

import (
	"net/http"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
)

// headBytes is the size of the head of a file that identifies its format.
const headBytes = 8 << 10

type renderAnswer struct {
	Text     string   `json:"text"`
	Metadata api.Meta `json:"metadata"`
	Size     int      `json:"size"`
	Notes    []string `json:"notes"`
	Elapsed  float64  `json:"elapsed_ms"`
}

// render answers with the text of the file in the body.
func render(c *call) error {
	if c.Renderer == nil {
		return refuse(http.StatusNotFound, "not_found", "this server cannot extract the text of documents: it reads only texts")
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
			return bad("%s cannot be read: %s", quoted(given["name"]), oneLine(err))
		}
	}
	if a.Size = len(a.Text); !hasContent(a.Text) {
		a.Notes = append(a.Notes, noContent)
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}
