// Package rendition extracts plain text and metadata from documents. It opens, fetches
// and executes nothing: it ignores what a document references outside itself.
// Unpacking, nesting and output have limits, so a hostile document can only be
// rejected. docs/renditions.md specifies the text of each format. internal/pdftext
// reads PDFs, in a separate process. Begin with Renderer.
package rendition

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
)

// Rendition is the text of a document, with its facts.
type Rendition struct {
	Text  string
	Facts Facts
}

// Facts is the metadata that a document contains; "" means none. Dates are in RFC 3339,
// or unchanged if they cannot be parsed.
type Facts struct {
	MediaType string
	Charset   string // declared or detected; WHATWG name
	Title     string
	Author    string
	Created   string
	Modified  string
	MessageID string // of a mail
}

// byName maps the metadata names to the facts.
func (f *Facts) byName() map[string]*string {
	return map[string]*string{
		"media_type": &f.MediaType, "charset": &f.Charset, "title": &f.Title, "author": &f.Author,
		"created": &f.Created, "modified": &f.Modified, "message_id": &f.MessageID,
	}
}

// Meta returns the facts with a value, by their metadata names.
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
	maxUnpacked    = 64 << 20 // total of the members read from a docx, odt or epub
	maxDepth       = 1000     // of XML elements and of RTF groups
	maxMailDepth   = 16       // of the parts of a mail
	maxMailParts   = 1000
	maxFactBytes   = 1000 // of a title, an author and the like; longer facts are cut
	maxEPUBMembers = 10_000
)

// Error reports the kind of a document and why it has no rendition.
type Error struct {
	Kind   string // kind of document, such as "Word document (docx)"
	Reason string
}

// Error returns the kind and the reason.
func (e *Error) Error() string { return e.Kind + ": " + e.Reason }

// errTooLong reports a text over the limit.
var errTooLong = errors.New("its text is over the limit; raise --max-doc")

// Renderer extracts renditions. The zero value has the default limits. It is safe for
// concurrent use if PDF is.
type Renderer struct {
	MaxTextBytes int64 // of a rendition; 0 means 16 MiB

	// PDF reads a PDF. Its error becomes the reason of the rejection; nil rejects all
	// PDFs.
	PDF func(ctx context.Context, pdf []byte) (Rendition, error)
}

// format is a supported kind of document.
type format struct {
	kind      string // for messages
	mediaType string
	render    func(*job) error
}

// job is the state of one rendition.
type job struct {
	ctx      context.Context
	r        *Renderer
	raw      []byte
	declared string // charset
	out      *builder
	fact     Facts
}

// formats lists the formats by the names that recognise returns.
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

// Reads reports whether a file of this name with these first bytes is a document,
// rather than a text that needs no conversion.
func (r *Renderer) Reads(name string, head []byte) bool { return recognise(name, head) != "" }

// Render returns the rendition of a file. A file that Reads does not recognise is a
// text, and only its charset matters. charset is the one declared outside of the file,
// "" if none was. An error is an *Error or the error of ctx.
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

// cut reduces each fact to one line of at most maxFactBytes.
func (f *Facts) cut() {
	for _, s := range f.byName() {
		*s = strings.Join(strings.Fields(strings.ToValidUTF8(*s, "\uFFFD")), " ")
		if len(*s) > maxFactBytes {
			*s = strings.ToValidUTF8((*s)[:maxFactBytes], "")
		}
	}
}

// text appends the file unchanged but for its charset.
func (j *job) text() error {
	text, charset, err := decode(j.raw, j.declared)
	j.fact.Charset = charset
	j.out.raw(text)
	return j.out.err(err)
}

// pdf delegates to Renderer.PDF. The facts come from it too, except the media type.
func (j *job) pdf() error {
	if j.r.PDF == nil {
		return errors.New("no PDF reader is configured; import the text instead")
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

// mediaTypeOfText returns the media type of a text, by its extension.
func mediaTypeOfText(name string) string {
	if t := textTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "text/plain"
}
