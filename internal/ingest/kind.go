package ingest

// Format detection: by the first bytes of a stream, and by its name if the bytes are inconclusive.

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

// kind is an input format. To add a format, add a row to kinds.
type kind struct {
	name   string                                     // as printed by --dry-run
	format string                                     // its name in Options.Format, "" if it cannot be selected
	record string                                     // name of a document of this kind
	is     func(*probe) bool                          // reports a match; nil if only Options.Format selects the kind
	read   func(*reader, *bufio.Reader, *probe) error // divides a stream into units
	decode func(d *decoder, u unit) (Doc, string)     // decodes one unit
}

// kinds lists the formats in order of precedence: the first match reads a stream. The last, text,
// reads everything else.
var (
	kinds          []*kind
	text, document *kind
)

func init() { // not a var: readers of archives refer to kinds, an initialization cycle
	json := (*decoder).record
	text = &kind{name: "text", format: "text", record: "text", read: (*reader).readText, decode: (*decoder).text}
	document = &kind{name: "document", record: "document", is: isDocument, read: (*reader).readDocument, decode: (*decoder).renderedDocument}
	kinds = []*kind{
		{name: "JSON lines", format: "jsonl", record: "JSONL record", is: inForm(lineForm), read: (*reader).readJSON, decode: json},
		{name: "JSON objects", record: "JSON record", is: inForm(valueForm), read: (*reader).readJSON, decode: json},
		{name: "JSON array", format: "json", record: "JSON record", is: inForm(arrayForm), read: (*reader).readJSON, decode: json},
		{name: "JSON table", record: "JSON record", is: inForm(columnForm), read: (*reader).readColumns, decode: json},
		{name: "JSON map", format: "map", record: "JSON record", read: (*reader).readColumns, decode: json},
		{name: "JSON of an unknown form", is: isAmbiguous, read: (*reader).rejectAmbiguous},
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

// probe is a stream during format detection.
type probe struct {
	stream
	raw   []byte // the first bytes
	head  []byte // the same as UTF-8, without a byte order mark
	whole bool   // head is the whole stream
	o     *Options
	ids   idRule

	kind *kind
	json shape
}

// sniffBytes is the length of the prefix that decides whether a stream is text. It must cover the
// magic of a tar, which ends at byte 262; a NUL byte in it means binary. longSniffBytes replaces the
// buffer size if the first record does not fit into the buffer.
const (
	sniffBytes     = 8 << 10
	longSniffBytes = 4 << 20
)

// kindOf returns the format of an uncompressed stream.
func (p *probe) kindOf() *kind {
	format := p.o.Format
	if p.depth > 0 {
		format = "auto"
	}
	for _, k := range kinds {
		// The content selects among the forms of JSON even if the format is given.
		if k.format == format && format != "auto" || (format == "json" || format == "jsonl") && k.format == "" && k.is != nil && p.json.form != noRecords && k.is(p) {
			return k
		}
		// For entries of an archive the format is always auto, since the given format is that of the archive.
		if format == "auto" && k.is != nil && k.is(p) {
			return k
		}
	}
	return text
}

// inForm returns a matcher for one form of JSON.
func inForm(f form) func(*probe) bool { return func(p *probe) bool { return p.json.form == f } }

// isAmbiguous reports whether the stream is JSON that may be records or one text, in a file that
// the user named. Such a file is rejected. In a directory it is a text, because directories contain
// many settings and translations.
func isAmbiguous(p *probe) bool { return p.json.ambiguous != "" && p.named && p.taken == nil }

// isDocument reports whether the renderer reads the stream.
func isDocument(p *probe) bool { return p.o.Renderer != nil && p.o.Renderer.Reads(p.name, p.sniffed()) }

// isTable reports whether the stream is Parquet or Arrow.
func isTable(p *probe) bool { return p.o.Tables != nil && p.o.Tables.Reads(p.sniffed()) }

// isParquet reports whether the stream is Parquet.
func isParquet(p *probe) bool { return isTable(p) && bytes.HasPrefix(p.raw, []byte("PAR")) }

// isWARC reports whether the stream is a WARC.
func isWARC(p *probe) bool { return beginsWARC(p.raw) }

// isTar reports whether the stream is a tar, by magic or by extension.
func isTar(p *probe) bool {
	return len(p.raw) >= 262 && string(p.raw[257:262]) == "ustar" || strings.EqualFold(path.Ext(p.name), ".tar")
}

// isZipArchive reports whether to unpack a zip. A zip with another extension is a program, a
// document or the like.
func isZipArchive(p *probe) bool {
	ending := path.Ext(p.name)
	return strings.EqualFold(ending, ".zip") || ending == "" && isZip(p.raw) && documentZip(p.raw) == ""
}

// describe returns the detected format for --dry-run and statistics.
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

// sniffed returns the prefix for format detection.
func (p *probe) sniffed() []byte { return p.raw[:min(len(p.raw), sniffBytes)] }

// trimCompression removes .gz, .zst, .xz or .bz2 from a name, unless nothing remains.
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

// unwrappedName returns the name after decompression, for format detection.
func unwrappedName(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".tgz", ".tzst", ".txz", ".tbz2", ".tbz":
		return strings.TrimSuffix(name, ext) + ".tar"
	}
	return trimCompression(name)
}

// probe detects the format of an uncompressed stream. If the first record exceeds the buffer, it
// returns a larger buffer.
func (r *reader) probe(b *bufio.Reader, s stream) (*probe, *bufio.Reader, error) {
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
