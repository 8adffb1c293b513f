package ingest

// What has been read but not yet decoded, and the workers that decode it.

import (
	"bytes"
	"context"
	"sync"

	"github.com/simdb/simdb/api"
)

// unit is one thing that was read and not yet decoded: a document to be, or a
// reject.
type unit struct {
	kind    *kind
	source  string
	line    int64
	n       int64    // of a record, in its file
	path    string   // of its file, below the base of the import
	name    string   // of a text or a document: its ending tells what it is
	raw     []byte   // a JSON line, a CSV record, or the bytes of a text
	header  *header  // of the CSV file that raw is a record of
	how     quoting  // of that record
	web     *webPage // that raw is
	reason  string   // not "" for a reject, which has no raw
	lines   int64    // that a reject covers; see api.Reject
	rest    bool     // it covers the rest of the file
	warning string   // about the text
	alone   bool     // the only thing that was named
	as      string   // what its file was taken for
	taken   *File    // that a text is of
}

// chunk is a batch before and after decoding.
type chunk struct {
	units   []unit
	size    int    // of all raw
	end     cursor // of the last unit
	arena   []byte // holds most raw; a new array for each line would cost more than decoding it
	batch   Batch
	decoded chan struct{} // closed when batch is complete
}

var arenas = sync.Pool{New: func() any { return new([]byte) }}

func newChunk(arenaBytes int) *chunk {
	arena := *arenas.Get().(*[]byte)
	if cap(arena) < arenaBytes {
		arena = make([]byte, 0, arenaBytes)
	}
	return &chunk{arena: arena[:0], decoded: make(chan struct{})}
}

// hold copies b to where it lives as long as the chunk is not decoded.
func (c *chunk) hold(b []byte) []byte {
	start := len(c.arena)
	if len(b) > cap(c.arena)-start {
		return bytes.Clone(b)
	}
	c.arena = append(c.arena, b...)
	return c.arena[start:]
}

// release gives up what only decoding needs.
func (c *chunk) release() {
	arena := c.arena
	c.arena, c.units = nil, nil
	arenas.Put(&arena)
}

// decoder turns units into documents. Each worker has its own.
type decoder struct {
	ctx  context.Context
	o    Options
	ids  idRule
	json jsonDecoder
	csv  csvDecoder
}

func (d *decoder) decode(c *chunk) {
	c.batch.Docs = make([]Doc, 0, len(c.units))
	for _, u := range c.units {
		doc, reason := d.document(u)
		doc.Source, doc.Line, doc.File = u.source, u.line, u.taken
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
			c.batch.Rejects = append(c.batch.Rejects, api.Reject{Source: u.source, Line: u.line, ID: doc.ID, Reason: reason, Lines: u.lines, Rest: u.rest, Kind: u.nothing(reason)})
		}
	}
	c.release()
}

// nothing is what was met that holds no text, as api.Reject has it.
func (u unit) nothing(reason string) string {
	if u.alone {
		return ""
	}
	return nothingIn(reason)
}

// blank is the reason for skipping a record silently: it is an empty line.
const blank = "blank"

func (d *decoder) document(u unit) (doc Doc, reason string) {
	switch {
	case u.reason != "" && (u.path == "" || d.ids.of == "sha256"):
		return Doc{}, u.reason
	case u.reason != "":
		return Doc{ID: d.ids.ofFile(u.path, "")}, u.reason
	}
	return u.kind.decode(d, u)
}

// record makes a document of a record of JSON.
func (d *decoder) record(u unit) (Doc, string) {
	doc, reason := d.json.decode(u.raw)
	if reason == "" || doc.ID != "" {
		d.ids.ofRecord(u, &doc)
	}
	return doc, reason
}

// row makes a document of a record of CSV.
func (d *decoder) row(u unit) (Doc, string) {
	doc, reason := d.csv.decode(u.raw, u.header, u.how)
	if reason == "" || doc.ID != "" {
		d.ids.ofRecord(u, &doc)
	}
	return doc, reason
}

func (d *decoder) renderedDocument(u unit) (Doc, string) {
	doc, reason := d.render(u)
	doc.ID = d.ids.ofFile(u.path, doc.Text)
	return doc, reason
}

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
