package ingest

// JSONL: an object per line. The reason for rejecting a line names the place in
// it.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// readJSONL reads one JSON object per line.
func (r *reader) readJSONL(b *bufio.Reader, head []byte, s stream) error {
	if reason := knownReason(head); reason != "" {
		return r.reject(1, s.source, 0, reason)
	}
	b, done := withoutBOM(b, head)
	defer done()
	max := r.o.maxRecordBytes()
	return r.readRecords(s, &lines{r: b, max: max}, max, unit{kind: jsonl, source: s.source})
}

// maxRecordBytes bounds a line of JSON or a record of CSV. It is longer than
// its text, because of escapes and other fields.
func (o Options) maxRecordBytes() int64 { return 2*o.MaxDocBytes + 64<<10 }

// records cuts a stream into records: lines, or the elements of an array.
type records interface{ next() (record, error) }

// readRecords puts the remaining records of a stream, each as a unit like u.
func (r *reader) readRecords(s stream, l records, max int64, u unit) error {
	for {
		rec, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return r.failed(rec.n, s, rec.line, err)
		case rec.size > max:
			reason := fmt.Sprintf("record of %d bytes is over the limit of %d; raise --max-doc", rec.size, max)
			if err := r.reject(rec.n, s.source, rec.line, reason); err != nil {
				return err
			}
			continue
		case len(bytes.TrimSpace(rec.bytes)) == 0:
			continue
		}
		u.line, u.raw = rec.line, rec.bytes
		if err := r.put(rec.n, u); err != nil {
			return err
		}
	}
}

// jsonDecoder decodes lines of JSONL. A usual line goes through scan, any other
// through encoding/json, which defines the result. A fuzz test checks that both
// agree.
type jsonDecoder struct {
	ids     idRule // which fields are id and text
	home    bool   // lines that export has written go back to their collections
	scratch []byte // of unescaped strings
}

func (d *jsonDecoder) decode(line []byte) (Doc, string) {
	doc, reason := d.decodeAny(line)
	if d.home && reason == "" && exported(line) {
		takeHome(&doc)
	}
	return doc, reason
}

func (d *jsonDecoder) decodeAny(line []byte) (Doc, string) {
	// encoding/json reads invalid bytes and half a surrogate pair as U+FFFD, so they show
	// only here.
	valid := utf8.Valid(line)
	if valid && d.ids.field != "" {
		if doc, ok := d.scan(line); ok {
			return doc, ""
		}
	}
	doc, reason := decodeAnyJSON(line, d.ids)
	if !valid {
		doc.Warnings = append(doc.Warnings, "invalid UTF-8, read as U+FFFD")
	}
	if reason == "" && hasHalfPair(line) {
		doc.Warnings = append(doc.Warnings, "half a surrogate pair, read as U+FFFD")
	}
	return doc, reason
}

// decodeAnyJSON decodes a line by encoding/json.
func decodeAnyJSON(line []byte, ids idRule) (Doc, string) {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return Doc{}, jsonReason(err)
	}
	if end := dec.InputOffset(); len(bytes.TrimSpace(line[end:])) > 0 {
		return Doc{}, fmt.Sprintf("invalid JSON: more behind the object, at column %d", end+1)
	}
	if fields == nil {
		return Doc{}, "not a JSON object"
	}
	var doc Doc
	var reason string
	if doc.ID, reason = jsonID(fields, ids.field); reason != "" {
		return doc, reason
	}
	switch text := fields[ids.text].(type) {
	case string:
		doc.Text = text
	case nil:
		return doc, missing(fields, ids.text)
	default:
		return doc, fmt.Sprintf("field %q is %s, want a string", ids.text, jsonType(text))
	}
	delete(fields, ids.field)
	delete(fields, ids.text)
	if len(fields) > 0 {
		doc.Meta = fields
	}
	return doc, ""
}

func missing(fields map[string]any, name string) string {
	if _, ok := fields[name]; ok {
		return fmt.Sprintf("field %q is null", name)
	}
	return fmt.Sprintf("no field %q", name)
}

func jsonType(v any) string {
	switch v.(type) {
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}

func jsonReason(err error) string {
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("invalid JSON at column %d: %v", syntax.Offset, syntax)
	case errors.As(err, &wrongType):
		return "not a JSON object"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "invalid JSON: the line ends early"
	}
	return fmt.Sprintf("invalid JSON: %v", err)
}
