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
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads one JSON object per line, or per element of an array.
func (r *reader) readJSON(b *bufio.Reader, head []byte, s stream, k kind) error {
	if reason := knownReason(head); reason != "" {
		return r.reject(1, s.source, 0, reason)
	}
	b, done := withoutBOM(b, head)
	defer done()
	max := r.o.maxRecordBytes()
	cut := records(&lines{r: b, max: max})
	if k == jsonArray {
		cut = &elements{r: b, max: max, line: 1}
	}
	return r.readRecords(s, cut, max, unit{kind: k, source: s.source})
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
		case rec.reason != "":
			if err := r.reject(rec.n, s.source, rec.line, rec.reason); err != nil {
				return err
			}
			continue
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

// jsonDecoder decodes lines of JSONL. A name that is given twice has its last value.
type jsonDecoder struct {
	ids     idRule // which fields are id and text
	home    bool   // lines that export has written go back to their collections
	tokens  jsontext.Decoder
	scratch []byte // of unescaped strings
}

func (d *jsonDecoder) decode(line []byte) (Doc, string) {
	fields, err := d.fields(line)
	var warnings []string
	if err != nil {
		if fields, err = d.fields(line, jsontext.AllowInvalidUTF8(true)); err != nil {
			return Doc{}, jsonReason(err)
		}
		if !utf8.Valid(line) {
			warnings = append(warnings, "invalid UTF-8, read as U+FFFD")
		}
		if !jsontext.Value(bytes.ToValidUTF8(bytes.TrimSpace(line), []byte("?"))).IsValid(jsontext.AllowDuplicateNames(true)) {
			warnings = append(warnings, "half a surrogate pair, read as U+FFFD")
		}
	}
	doc, reason := jsonDoc(fields, d.ids)
	doc.Warnings = warnings
	if d.home && reason == "" && exported(line) {
		takeHome(&doc)
	}
	maps.DeleteFunc(doc.Meta, func(name string, _ any) bool { return !d.ids.keeps(name) })
	if len(doc.Meta) == 0 {
		doc.Meta = nil
	}
	return doc, reason
}

// fields returns the members of an object; nil if the line is another value.
func (d *jsonDecoder) fields(line []byte, o ...jsontext.Options) (map[string]any, error) {
	t := &d.tokens
	t.Reset(bytes.NewBuffer(line), append(o, jsontext.AllowDuplicateNames(true))...)
	if t.PeekKind() != '{' {
		return nil, t.SkipValue()
	}
	fields := map[string]any{}
	_, err := t.ReadToken()
	for err == nil && t.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = t.ReadToken(); err == nil {
			key := name.String()
			fields[key], err = d.value()
		}
	}
	if err == nil {
		_, err = t.ReadToken()
	}
	if end := t.InputOffset(); err == nil && len(bytes.TrimSpace(line[end:])) > 0 {
		err = fmt.Errorf("more behind the object, at column %d", end+1)
	}
	return fields, err
}

func (d *jsonDecoder) value() (v any, err error) {
	raw, err := d.tokens.ReadValue()
	switch {
	case err != nil:
		return nil, err
	case raw.Kind() == '"':
		d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], raw) // its error is that of UTF-8, which fields has told
		return string(d.scratch), nil
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	err = in.Decode(&v)
	return v, err
}

func jsonDoc(fields map[string]any, ids idRule) (doc Doc, reason string) {
	if fields == nil {
		return doc, "not a JSON object"
	}
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
	names := slices.Sorted(maps.Keys(fields))
	if len(names) == 0 {
		return fmt.Sprintf("no field %.40q", name)
	}
	return fmt.Sprintf("no field %.40q, has %s; --id-field and --text-field name others", name, someNames(names))
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
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "invalid JSON: the line ends early"
	case errors.As(err, &syntax):
		return fmt.Sprintf("invalid JSON at column %d: %v", syntax.ByteOffset+1, syntax.Err)
	}
	return fmt.Sprintf("invalid JSON: %v", err)
}
