// Package render converts documents to text for imports of simdb: HTML, Word,
// OpenDocument, EPUB, RTF, mail, Markdown, subtitles, and texts in charsets other than
// UTF-8. It is a separate package so that programs which import only plain text do not
// link it. Begin with New:
//
//	stats, err := load.Import(ctx, db, []string{"papers"}, api.ImportOptions{Renderer: render.New(render.Options{})})
//
// docs/renditions.md specifies the text of each format. The package never executes a
// document and never accesses the network.
package render

import (
	"context"
	"io"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/rendition"
)

// Options configures New. The zero value supports all formats except PDF.
type Options struct {
	MaxDocBytes int64 // longest text in bytes; 0 means 16 MiB

	// PDF returns the text of a PDF, and optional metadata (title, author, created,
	// modified). nil rejects PDFs. PDF libraries are not safe on hostile files: run one
	// in a separate process, as the simdb command does, or run pdftotext:
	//
	//	cmd := exec.CommandContext(ctx, "pdftotext", "-", "-")
	//	cmd.Stdin = bytes.NewReader(pdf)
	//	text, err := cmd.Output()
	PDF func(ctx context.Context, pdf []byte) (text string, meta map[string]any, err error)
}

// New returns a renderer for api.ImportOptions. It is safe for concurrent use if
// o.PDF is.
func New(o Options) api.Renderer {
	r := renderer{rendition.Renderer{MaxTextBytes: o.MaxDocBytes}}
	if o.PDF != nil {
		r.r.PDF = func(ctx context.Context, pdf []byte) (rendition.Rendition, error) {
			text, meta, err := o.PDF(ctx, pdf)
			return rendition.Rendition{Text: text, Facts: rendition.FactsOf(meta)}, err
		}
	}
	return r
}

// renderer adapts rendition.Renderer to api.Renderer.
type renderer struct{ r rendition.Renderer }

// Reads implements api.Renderer.
func (r renderer) Reads(name string, head []byte) bool { return r.r.Reads(name, head) }

// Render implements api.Renderer.
func (r renderer) Render(ctx context.Context, name, charset string, file []byte) (string, map[string]any, error) {
	got, err := r.r.Render(ctx, name, charset, file)
	if err != nil {
		return "", nil, err
	}
	return got.Text, got.Facts.Meta(), nil
}

// Recode returns the charset of records with these bytes, and a decoder of in.
func (r renderer) Recode(sample []byte, in io.Reader) (string, io.Reader) {
	return rendition.Recode(sample, in)
}
