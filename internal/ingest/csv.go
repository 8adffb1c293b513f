package ingest

// CSV: a header row that names the fields, then a document per record. Which
// field is the id is decided in id.go.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// readCSV reads a header row and then one document per record (RFC 4180).
func (r *reader) readCSV(b *bufio.Reader, head []byte, s stream) error {
	if reason := binaryReason(head); reason != "" && !r.o.Binary && !isUTF16(head) {
		return r.reject(1, s.source, 0, reason)
	}
	b, done := withoutBOM(b, head)
	defer done()
	between := delimiter(r.o, s.name)
	l := lines{r: b, max: maxHeaderBytes + 1, quotes: &quotes{between: between}}
	first, err := l.next()
	for err == nil && len(bytes.TrimSpace(first.bytes)) == 0 {
		first, err = l.next()
	}
	switch {
	case err == io.EOF:
		return r.reject(1, s.source, 0, "CSV without a header row")
	case err != nil:
		return r.failed(1, s, first.line, err)
	}
	header, reason := parseHeader(first.bytes, r.ids, between)
	if reason != "" {
		return r.reject(1, s.source, first.line, reason)
	}
	l.max = r.o.maxRecordBytes()
	return r.readRecords(s, &l, l.max, unit{kind: csvRecords, source: s.source, header: header})
}

// maxHeaderBytes and maxColumns bound the header, from which the layout of
// every record is taken. A spreadsheet has as many columns.
const (
	maxHeaderBytes = 1 << 20
	maxColumns     = 16384
)

// delimiter is what stands between the fields of a file.
func delimiter(o Options, name string) byte {
	switch {
	case o.Delimiter != 0:
		return o.Delimiter
	case strings.EqualFold(path.Ext(name), ".tsv"):
		return '\t'
	}
	return ','
}

func parseHeader(row []byte, ids idRule, between byte) (*header, string) {
	if len(row) > maxHeaderBytes {
		return nil, fmt.Sprintf("CSV header is over the limit of %d bytes", maxHeaderBytes)
	}
	var d csvDecoder
	names, reason := d.fields(row, between)
	switch {
	case reason != "":
		return nil, reason
	case len(names) > maxColumns:
		return nil, fmt.Sprintf("CSV header has %d fields, over the limit of %d", len(names), maxColumns)
	}
	for i, name := range names {
		names[i] = readAsUTF8(name)
	}
	h, reason := newHeader(names, ids)
	if h != nil {
		h.between = between
	}
	return h, reason
}

// csvDecoder decodes single records.
type csvDecoder struct {
	raw bytes.Reader
	buf *bufio.Reader
}

// decode returns the document of a record. All fields but id and text are
// metadata.
func (d *csvDecoder) decode(raw []byte, h *header) (Doc, string) {
	values, reason := d.fields(raw, h.between)
	switch {
	case reason != "":
		return Doc{}, reason
	case len(values) != len(h.names):
		return Doc{}, fmt.Sprintf("record has %d fields, the header %d", len(values), len(h.names))
	}
	doc := Doc{Text: values[h.text]}
	if h.id >= 0 {
		doc.ID = values[h.id]
	}
	valid := true
	for i, name := range h.names {
		if i == h.id || i == h.text || !h.ids.keeps(name) {
			continue
		}
		if doc.Meta == nil {
			doc.Meta = make(map[string]any, len(h.names))
		}
		valid = valid && utf8.ValidString(values[i])
		doc.Meta[name] = readAsUTF8(values[i])
	}
	if !valid {
		doc.Warnings = append(doc.Warnings, "invalid UTF-8 in metadata, read as U+FFFD")
	}
	return doc, ""
}

// readAsUTF8 puts U+FFFD for each byte that is not UTF-8: metadata is JSON.
func readAsUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func (d *csvDecoder) fields(raw []byte, between byte) ([]string, string) {
	d.raw.Reset(raw)
	if d.buf == nil {
		d.buf = bufio.NewReader(&d.raw)
	}
	d.buf.Reset(&d.raw)
	c := csv.NewReader(d.buf) // uses the bufio.Reader itself, so this is cheap
	c.FieldsPerRecord, c.Comma = -1, rune(between)
	values, err := c.Read()
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return nil, blank
	case errors.As(err, &parse):
		return nil, fmt.Sprintf("invalid CSV at column %d: %v", parse.Column, parse.Err)
	case err != nil:
		return nil, err.Error()
	}
	return values, ""
}

// quotes goes through a CSV file to find where its records end. It agrees with
// encoding/csv, also about where a record is malformed. But it needs no memory
// for a record that is not kept.
type quotes struct {
	state   quoteState
	between byte // two fields
}

type quoteState uint8

const (
	atField     quoteState = iota // where a field begins
	inField                       // in a field without quotes
	inQuotes                      // in a quoted field
	afterQuote                    // behind a quote in a quoted field: the end, or half of an escaped one
	afterReturn                   // behind that and a carriage return
	malformed                     // until the end of the line
)

// scan goes through the next part and reports whether it ends in a quoted
// field.
func (q *quotes) scan(part []byte) bool {
	for _, c := range part {
		q.state = q.state.next(c, q.between)
	}
	return q.state == inQuotes
}

func (s quoteState) next(c, between byte) quoteState {
	switch {
	case s == inQuotes && c == '"':
		return afterQuote
	case s == inQuotes:
		return inQuotes
	case c == '\n':
		return atField
	case s == malformed, s == afterReturn:
		return malformed
	case s == afterQuote && c == '"':
		return inQuotes
	case s == afterQuote && c == '\r':
		return afterReturn
	case c == between:
		return atField
	case s == afterQuote:
		return malformed
	case s == atField && c == '"':
		return inQuotes
	case c == '"':
		return malformed
	}
	return inField
}
