// Package render reads documents that are no plain texts, for imports of simdb: HTML,
// Word, OpenDocument, EPUB, RTF, mail, Markdown, subtitles, and texts in other charsets
// than UTF-8. It is a package of its own so that a program which imports texts only does
// not link it:
//
//	stats, err := load.Import(ctx, db, []string{"papers"}, api.ImportOptions{Renderer: render.New(render.Options{})})
//
// What is read and what is left out of each format stands in docs/renditions.md. Nothing
// is executed and nothing is fetched.
package render

import (
	"context"
	"io"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/rendition"
)

// Options are the settings of New. The zero value reads all formats but PDF.
type Options struct {
	MaxDocBytes int64 // longest text; 0 means 16 MiB

	// PDF returns the text of a PDF, and what else is known of it as metadata (title,
	// author, created, modified). nil rejects PDFs. Readers of PDFs are not safe from
	// hostile files: it should run one in a process of its own, as the command does, or
	// as pdftotext is run:
	//
	//	cmd := exec.CommandContext(ctx, "pdftotext", "-", "-")
	//	cmd.Stdin = bytes.NewReader(pdf)
	//	text, err := cmd.Output()
	PDF func(ctx context.Context, pdf []byte) (text string, meta map[string]any, err error)
}

// New returns a reader of documents for api.ImportOptions.
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

type renderer struct{ r rendition.Renderer }

func (r renderer) Reads(name string, head []byte) bool { return r.r.Reads(name, head) }

func (r renderer) Render(ctx context.Context, name, charset string, file []byte) (string, map[string]any, error) {
	got, err := r.r.Render(ctx, name, charset, file)
	if err != nil {
		return "", nil, err
	}
	return got.Text, got.Facts.Meta(), nil
}

// Recode returns the charset that records of such bytes are in, and what decodes them.
func (r renderer) Recode(sample []byte, in io.Reader) (string, io.Reader) {
	return rendition.Recode(sample, in)
}
