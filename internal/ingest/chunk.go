package ingest

// Chunks of input, and the workers that decode them.

import (
	"bytes"
	"context"
	"sync"

	"github.com/simdb/simdb/api"
)

// unit is undecoded input: a future document, or a reject.
type unit struct {
	kind    *kind
	source  string
	line    int64
	n       int64    // number of a record in its file
	path    string   // of the file, below the base of the import
	name    string   // of a text or a document; its extension determines the format
	raw     []byte   // a JSON line, a CSV record, or the bytes of a text
	header  *header  // of the CSV file, if raw is a CSV record
	how     quoting  // quoting of a CSV record
	web     *webPage // the page with the body raw
	reason  string   // of a reject, which has no raw; else ""
	lines   int64    // number of lines that a reject covers; see api.Reject
	rest    bool     // the reject covers the rest of the file
	warning string   // about the text
	alone   bool     // the only named input
	as      string   // description of the format of the file
	taken   *File    // the file, if Options.Take accepted it
}

// chunk is a batch before and after decoding.
type chunk struct {
	units   []unit
	size    int    // of all raw, in bytes
	end     cursor // position of the last unit
	arena   []byte // holds most raw; a new array per line would cost more than decoding it
	batch   Batch
	decoded chan struct{} // closed when batch is complete
}

// arenas recycles the arenas of decoded chunks.
var arenas = sync.Pool{New: func() any { return new([]byte) }}

// newChunk returns an empty chunk with an arena of at least arenaBytes.
func newChunk(arenaBytes int) *chunk {
	arena := *arenas.Get().(*[]byte)
	if cap(arena) < arenaBytes {
		arena = make([]byte, 0, arenaBytes)
	}
	return &chunk{arena: arena[:0], decoded: make(chan struct{})}
}

// hold copies b into the arena, where it is valid until the chunk is decoded.
func (c *chunk) hold(b []byte) []byte {
	start := len(c.arena)
	if len(b) > cap(c.arena)-start {
		return bytes.Clone(b)
	}
	c.arena = append(c.arena, b...)
	return c.arena[start:]
}

// release returns the arena and drops the units after decoding.
func (c *chunk) release() {
	arena := c.arena
	c.arena, c.units = nil, nil
	arenas.Put(&arena)
}

// decoder turns units into documents. It is not safe for concurrent use: each worker has its own.
type decoder struct {
	ctx  context.Context
	o    Options
	ids  idRule
	json jsonDecoder
	csv  csvDecoder
}

// decode fills the batch of a chunk.
func (d *decoder) decode(c *chunk) {
	c.batch.Docs = make([]Doc, 0, len(c.units))
	for _, u := range c.units {
		doc, reason := d.document(u)
		doc.Source, doc.Line, doc.Record, doc.File = u.source, u.line, u.n, u.taken
		if u.kind != nil {
			doc.Kind = u.kind.record
		}
		if reason == "" {
			reason = d.finish(&doc)
		}
		seen := c.batch.seen(u)
		switch reason {
		case "":
			seen.Documents++
			c.batch.Docs = append(c.batch.Docs, doc)
			c.batch.Bytes += int64(len(doc.Text))
		case blank:
		default:
			seen.Rejected++
			c.batch.Rejects = append(c.batch.Rejects, api.Reject{Source: u.source, Line: u.line, ID: doc.ID, Reason: reason, Lines: u.lines, Rest: u.rest, Kind: u.textlessKind(reason)})
		}
	}
	c.release()
}

// textlessKind returns the kind of a reject without text, as in api.Reject.Kind. It returns "" for
// the only named input, which the user expected to be a text.
func (u unit) textlessKind(reason string) string {
	if u.alone {
		return ""
	}
	return textlessKindOf(reason)
}

// blank is the reason for skipping input silently, such as an empty line.
const blank = "blank"

// document decodes a unit, or returns the reason of its reject.
func (d *decoder) document(u unit) (doc Doc, reason string) {
	switch {
	// A rejected file has an id only if that depends on its path: the text is unknown.
	case u.reason != "" && (u.path == "" || d.ids.of == "sha256"):
		return Doc{}, u.reason
	case u.reason != "":
		return Doc{ID: d.ids.ofFile(u.path, "")}, u.reason
	}
	return u.kind.decode(d, u)
}

// record decodes a JSON record.
func (d *decoder) record(u unit) (Doc, string) {
	doc, reason := d.json.decode(u.raw)
	if reason == "" || doc.ID != "" {
		d.ids.ofRecord(u, &doc)
	}
	return doc, reason
}

// row decodes a CSV record.
func (d *decoder) row(u unit) (Doc, string) {
	doc, reason := d.csv.decode(u.raw, u.header, u.how)
	if reason == "" || doc.ID != "" {
		d.ids.ofRecord(u, &doc)
	}
	return doc, reason
}

// renderedDocument decodes a document such as HTML or Word.
func (d *decoder) renderedDocument(u unit) (Doc, string) {
	doc, reason := d.render(u)
	doc.ID = d.ids.ofFile(u.path, doc.Text)
	return doc, reason
}

// text decodes a text file.
func (d *decoder) text(u unit) (Doc, string) {
	doc, reason := textDocument(u.raw, d.o.Binary)
	if reason == "" {
		d.recode(u, &doc)
	}
	if u.warning != "" {
		doc.Warnings = append(doc.Warnings, "stored as one text; it "+u.warning)
	}
	doc.ID = d.ids.ofFile(u.path, doc.Text)
	return doc, reason
}
