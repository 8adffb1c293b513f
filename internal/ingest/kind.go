package ingest

// What a stream is read as, by its first bytes, and by its name where these say nothing.

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

// kind is what a stream is read as. Another kind is a row of kinds.
type kind struct {
	name   string                                     // what --dry-run calls it
	format string                                     // of Options.Format, "" if it cannot be asked for
	record string                                     // what a document of it is called
	is     func(*probe) bool                          // whether a stream is one; nil if only Options.Format says so
	read   func(*reader, *bufio.Reader, *probe) error // puts its documents
	decode func(d *decoder, u unit) (Doc, string)     // makes one of a unit
}

// kinds are all kinds. The first whose is says so reads a stream; text, the last one, reads
// everything else.
var (
	kinds          []*kind
	text, document *kind
)

func init() { // what reads an archive looks at kinds itself
	json := (*decoder).record
	text = &kind{name: "text", format: "text", record: "text", read: (*reader).readText, decode: (*decoder).text}
	document = &kind{name: "document", record: "document", is: isDocument, read: (*reader).readDocument, decode: (*decoder).renderedDocument}
	kinds = []*kind{
		{name: "JSON lines", format: "jsonl", record: "JSONL record", is: inForm(lineForm), read: (*reader).readJSON, decode: json},
		{name: "JSON objects", record: "JSON record", is: inForm(valueForm), read: (*reader).readJSON, decode: json},
		{name: "JSON array", format: "json", record: "JSON record", is: inForm(arrayForm), read: (*reader).readJSON, decode: json},
		{name: "JSON table", record: "JSON record", is: inForm(columnForm), read: (*reader).readColumns, decode: json},
		{name: "JSON map", format: "map", record: "JSON record", read: (*reader).readColumns, decode: json},
		{name: "JSON of an unknown form", is: isUnsure, read: (*reader).readUnsure},
		{name: "CSV", format: "csv", record: "CSV record", is: isNamedCSV, read: (*reader).readCSV, decode: (*decoder).row},
		{name: "web archive", format: "warc", record: "web page", is: isWARC, read: (*reader).readWARC, decode: (*decoder).webDocument},
		{name: "mailbox", record: "document", is: isMailbox, read: (*reader).readMailbox, decode: (*decoder).renderedDocument},
		document,
		{name: "Parquet", format: "parquet", record: "Parquet record", is: isParquet, read: (*reader).readTable, decode: json},
		{name: "Arrow", format: "arrow", record: "Arrow record", is: isTable, read: (*reader).readTable, decode: json},
		{name: "tar", format: "tar", is: isTar, read: (*reader).readTar},
		{name: "zip", format: "zip", is: isZipArchive, read: (*reader).readZip},
		{name: "CSV", record: "CSV record", is: isCSV, read: (*reader).readCSV, decode: (*decoder).row},
		text,
	}
}

// probe is a stream whose kind is to be told.
type probe struct {
	stream
	raw   []byte // how it begins
	head  []byte // the same as UTF-8, without a byte order mark
	whole bool   // nothing comes behind
	o     *Options
	ids   idRule

	kind *kind
	json shape
}

// sniffBytes is how much of a stream is looked at for what is no text. NUL bytes up to here count,
// and the magic of a tar ends at 262. longSniffBytes is how much is looked at for records, if the
// first one is not whole in a buffer.
const (
	sniffBytes     = 8 << 10
	longSniffBytes = 4 << 20
)

// kindOf decides what an unwrapped stream is.
func (p *probe) kindOf() *kind {
	format := p.o.Format
	if p.depth > 0 {
		format = "auto"
	}
	for _, k := range kinds {
		// Of the forms of JSON the content decides also where the format is named.
		if k.format == format && format != "auto" || (format == "json" || format == "jsonl") && k.format == "" && k.is != nil && p.json.form != noRecords && k.is(p) {
			return k
		}
		if format == "auto" && k.is != nil && k.is(p) {
			return k
		}
	}
	return text
}

func inForm(f form) func(*probe) bool { return func(p *probe) bool { return p.json.form == f } }

// isUnsure reports whether what may be records or one text was named alone: then it is refused. What
// is met is a text, because folders hold many settings and translations.
func isUnsure(p *probe) bool { return p.json.unsure != "" && p.named && p.taken == nil }

func isDocument(p *probe) bool { return p.o.Renderer != nil && p.o.Renderer.Reads(p.name, p.sniffed()) }

func isTable(p *probe) bool { return p.o.Tables != nil && p.o.Tables.Reads(p.sniffed()) }

func isParquet(p *probe) bool { return isTable(p) && bytes.HasPrefix(p.raw, []byte("PAR")) }

func isWARC(p *probe) bool { return beginsWARC(p.raw) }

func isTar(p *probe) bool {
	return len(p.raw) >= 262 && string(p.raw[257:262]) == "ustar" || strings.EqualFold(path.Ext(p.name), ".tar")
}

// isZipArchive reports whether a stream is a zip to be unpacked. One of another ending is a program,
// a document or the like, which nobody wants unpacked.
func isZipArchive(p *probe) bool {
	ending := path.Ext(p.name)
	return strings.EqualFold(ending, ".zip") || ending == "" && isZip(p.raw) && documentZip(p.raw) == ""
}

// describe returns what a stream was taken for.
func (p *probe) describe() string {
	about := p.kind.name
	if reason := binaryReason(p.raw); p.kind == text && reason != "" && !p.o.Binary && !isWide(p.raw) {
		about, _, _ = strings.Cut(reason, ":")
		about, _, _ = strings.Cut(about, notText)
	}
	if p.packed != "" {
		about += ", " + p.packed
	}
	switch {
	case isUTF32(p.raw):
		about += ", UTF-32"
	case wideEncoding(p.raw) != nil:
		about += ", UTF-16"
	}
	return about
}

func (p *probe) sniffed() []byte { return p.raw[:min(len(p.raw), sniffBytes)] }

// trimCompression removes .gz, .zst, .xz or .bz2 from a name, unless nothing is left.
func trimCompression(name string) string {
	ext := path.Ext(name)
	bare := strings.TrimSuffix(name, ext)
	switch strings.ToLower(ext) {
	case ".gz", ".zst", ".xz", ".bz2":
		if bare != "" && !strings.HasSuffix(bare, "/") {
			return bare
		}
	}
	return name
}

// unwrappedName returns the name that tells what a stream holds: compressed or not, by its bytes.
func unwrappedName(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".tgz", ".tzst", ".txz", ".tbz2", ".tbz":
		return strings.TrimSuffix(name, ext) + ".tar"
	}
	return trimCompression(name)
}

// probed looks at a stream whose compression is taken off. Records that are longer than the buffer
// need a larger one.
func (r *reader) probed(b *bufio.Reader, s stream) (*probe, *bufio.Reader, error) {
	raw, err := peek(b, bufferBytes)
	if err != nil {
		return nil, b, err
	}
	s.name = unwrappedName(s.name)
	p := &probe{stream: s, raw: raw, head: asUTF8(raw), whole: len(raw) < bufferBytes, o: &r.o, ids: r.ids}
	p.json = shapeOf(p, r.ids)
	if first := bytes.TrimLeft(p.head, " \t\r\n"); !p.whole && p.json.form == noRecords && len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		b = bufio.NewReaderSize(b, longSniffBytes)
		if raw, err = peek(b, longSniffBytes); err != nil {
			return nil, b, err
		}
		p.raw, p.head, p.whole = raw, asUTF8(raw), len(raw) < longSniffBytes
		p.json = shapeOf(p, r.ids)
	}
	p.kind = p.kindOf()
	return p, b, nil
}
