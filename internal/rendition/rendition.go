// Package rendition makes plain text of documents: bytes and a name come in, the text and
// what the document says of itself go out, or an error with the kind of the document and
// the reason. What is read and what is left out stands in docs/renditions.md. The package
// opens nothing, fetches nothing and runs nothing: what a document names outside itself is
// never looked at. What it unpacks, nests and gives is bounded. It knows no database, and
// no PDF: internal/pdftext reads these, in a process of their own.
package rendition

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
)

// Rendition is the text of a document, and its facts.
type Rendition struct {
	Text  string
	Facts Facts
}

// Facts are what a document says of itself; "" where it says nothing. Dates are in RFC
// 3339, or as the document has them if they cannot be read.
type Facts struct {
	MediaType string
	Charset   string // as it was declared or detected, by the names of the WHATWG
	Title     string
	Author    string
	Created   string
	Modified  string
	MessageID string // of a mail
}

// byName gives each fact the name that it has as metadata.
func (f *Facts) byName() map[string]*string {
	return map[string]*string{
		"media_type": &f.MediaType, "charset": &f.Charset, "title": &f.Title, "author": &f.Author,
		"created": &f.Created, "modified": &f.Modified, "message_id": &f.MessageID,
	}
}

// Meta returns the facts that are there by the names of metadata.
func (f Facts) Meta() map[string]any {
	meta := map[string]any{}
	for name, value := range f.byName() {
		if *value != "" {
			meta[name] = *value
		}
	}
	return meta
}

// FactsOf is the inverse of Meta.
func FactsOf(meta map[string]any) (f Facts) {
	for name, value := range f.byName() {
		*value, _ = meta[name].(string)
	}
	return f
}

// The limits of every rendition.
const (
	maxUnpacked    = 64 << 20 // of what is read of a docx, odt or epub, all together
	maxDepth       = 1000     // of XML elements and of RTF groups
	maxMailDepth   = 16       // of the parts of a mail
	maxMailParts   = 1000
	maxFactBytes   = 1000 // of a title, an author and the like; longer ones are cut
	maxEPUBMembers = 10_000
)

// Error says why a document has no rendition.
type Error struct {
	Kind   string // what the document is, as in "Word document (docx)"
	Reason string
}

func (e *Error) Error() string { return e.Kind + ": " + e.Reason }

// errTooLong is met by a text that outgrows its limit.
var errTooLong = errors.New("its text is over the limit; raise --max-doc")

// Renderer makes renditions. The zero value has the defaults.
type Renderer struct {
	MaxTextBytes int64 // of a rendition; 0 means 16 MiB

	// PDF reads a PDF. Its own errors are the reason of a reject; nil rejects all PDFs.
	PDF func(ctx context.Context, pdf []byte) (Rendition, error)
}

// format is a kind of document that is read.
type format struct {
	kind      string // for messages
	mediaType string
	render    func(*job) error
}

// job is a document on its way to a rendition.
type job struct {
	ctx      context.Context
	r        *Renderer
	raw      []byte
	declared string // charset
	out      *builder
	fact     Facts
}

var formats = map[string]format{
	"html":     {"HTML document", "text/html", (*job).html},
	"docx":     {"Word document (docx)", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", (*job).docx},
	"odt":      {"OpenDocument text (odt)", "application/vnd.oasis.opendocument.text", (*job).odt},
	"epub":     {"EPUB book", "application/epub+zip", (*job).epub},
	"pdf":      {"PDF document", "application/pdf", (*job).pdf},
	"rtf":      {"RTF document", "application/rtf", (*job).rtf},
	"mail":     {"mail", "message/rfc822", (*job).mail},
	"markdown": {"Markdown document", "text/markdown", (*job).markdown},
	"srt":      {"SubRip subtitles", "application/x-subrip", (*job).subtitles},
	"vtt":      {"WebVTT subtitles", "text/vtt", (*job).subtitles},
	"text":     {"text", "text/plain", (*job).text},
}

// Reads reports whether a file of this name that begins like this has a rendition other
// than its bytes as they are.
func (r *Renderer) Reads(name string, head []byte) bool { return recognise(name, head) != "" }

// Render makes the rendition of a file. A file that Reads does not know is a text: only
// its charset is of interest. charset is what was declared beside the file, "" if nothing was. An
// error is an *Error, or that of ctx.
func (r *Renderer) Render(ctx context.Context, name, charset string, raw []byte) (Rendition, error) {
	what := recognise(name, raw)
	what = cmp.Or(what, "text")
	f := formats[what]
	j := &job{ctx: ctx, r: r, raw: raw, declared: charset, out: newBuilder(r.MaxTextBytes)}
	j.fact.MediaType = f.mediaType
	if what == "text" {
		j.fact.MediaType = mediaTypeOfText(name)
	}
	err := f.render(j)
	switch {
	case ctx.Err() != nil:
		return Rendition{}, ctx.Err()
	case err != nil:
		return Rendition{}, &Error{Kind: f.kind, Reason: strings.ToValidUTF8(err.Error(), "\uFFFD")}
	}
	j.fact.cut()
	return Rendition{Text: j.out.String(), Facts: j.fact}, nil
}

// cut makes one line of each fact, and shortens it if need be.
func (f *Facts) cut() {
	for _, s := range f.byName() {
		*s = strings.Join(strings.Fields(strings.ToValidUTF8(*s, "\uFFFD")), " ")
		if len(*s) > maxFactBytes {
			*s = strings.ToValidUTF8((*s)[:maxFactBytes], "")
		}
	}
}

func (j *job) text() error {
	text, charset, err := decode(j.raw, j.declared)
	j.fact.Charset = charset
	j.out.raw(text)
	return j.out.err(err)
}

func (j *job) pdf() error {
	if j.r.PDF == nil {
		return errors.New("no reader of PDFs is there; import the text of it")
	}
	got, err := j.r.PDF(j.ctx, j.raw)
	if err != nil {
		return err
	}
	got.Facts.MediaType = j.fact.MediaType
	j.fact = got.Facts
	j.out.raw(got.Text)
	return j.out.err(nil)
}

// mediaTypeOfText returns what a text is, by the ending of its name.
func mediaTypeOfText(name string) string {
	if t := textTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "text/plain"
}
