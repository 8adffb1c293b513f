package ingest

// JSON records: an object per line, in sequence, or in an array. The reason of a reject names the
// place in the record.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads objects: one per line, in sequence, or the elements of an array.
func (r *reader) readJSON(b *bufio.Reader, p *probe) error {
	if reason := knownReason(p.raw); reason != "" {
		return r.reject(1, p.source, 0, reason)
	}
	b, done := utf8Lines(b, p.raw)
	defer done()
	if old := (&legacyText{in: b, renderer: r.o.Renderer}); !isUTF8(p.head) && !r.o.Binary {
		b = borrowBuffer(old)
		defer returnBuffer(b)
		defer func() { r.warn(p.source, notUTF8(old.charset)) }()
	}
	max := r.o.maxRecordBytes()
	form := p.json.form
	if form == noRecords && p.kind.format == "json" {
		form = arrayForm
	}
	var cut records
	switch form {
	case arrayForm:
		first := bytes.TrimLeft(p.head, " \t\r\n") // before the next read moves the buffer
		wrapped := len(first) > 0 && first[0] == '{'
		before, err := skipBytes(b, p.json.at)
		if err != nil {
			return r.failed(1, p.stream, 0, err)
		}
		cut = &elements{r: b, max: max, line: 1 + before, wrapped: wrapped}
	case valueForm:
		cut = &elements{r: b, max: max, line: 1, sequence: true}
	default:
		cut = &lines{r: b, max: max}
	}
	if p.json.unnamed != "" && p.o.Format == "auto" && !p.o.Scalar {
		return r.readUnnamed(cut, p)
	}
	return r.readRecords(p, cut, max, unit{})
}

// readUnnamed rejects all records of a file without the text field in one reject. It counts them
// for the message.
func (r *reader) readUnnamed(cut records, p *probe) error {
	n, err := int64(0), error(nil)
	for rec := (record{}); err == nil; {
		if rec, err = cut.next(); err == nil && (rec.size == 0 || len(bytes.TrimSpace(rec.bytes)) > 0) {
			n++
		}
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
	}
	things := map[form]string{lineForm: "lines of JSON", valueForm: "objects of JSON", arrayForm: "elements of a JSON array"}[p.json.form]
	if n == 1 {
		things = strings.Replace(things, "s of", " of", 1)
	}
	reason := fmt.Sprintf("looks like %s %s %s", grouped(n), things, p.json.unnamed)
	return r.rejectRecords(record{n: 1, line: 1, lines: n, rest: err != io.EOF}, p.source, reason)
}

// grouped formats a number with thousands separators.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rejectAmbiguous rejects JSON that may be one text or records.
func (r *reader) rejectAmbiguous(_ *bufio.Reader, p *probe) error {
	return r.reject(1, p.source, 1, p.json.ambiguous)
}

// maxRecordBytes returns the limit of a JSON line or a CSV record. It exceeds the limit of its text
// because of escapes and other fields.
func (o Options) maxRecordBytes() int64 { return 2*o.MaxDocBytes + 64<<10 }

// records splits a stream into records. next returns io.EOF after the last.
type records interface{ next() (record, error) }

// readRecords reads the remaining records of a stream. The unit u is the template of each.
func (r *reader) readRecords(p *probe, l records, max int64, u unit) error {
	u.kind, u.source, u.path = p.kind, p.source, p.path
	for {
		rec, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return r.brokenOff(rec, p.stream, err)
		case rec.reason != "":
			if err := r.rejectRecords(rec, p.source, rec.reason); err != nil {
				return err
			}
			continue
		case rec.size > max:
			rec.reason = fmt.Sprintf("record of %d bytes is over the limit of %d; raise --max-doc", rec.size, max)
			if err := r.rejectRecords(rec, p.source, rec.reason); err != nil {
				return err
			}
			continue
		case len(bytes.TrimSpace(rec.bytes)) == 0:
			continue
		}
		u.line, u.n, u.raw, u.how = rec.line, rec.n, rec.bytes, rec.how
		if err := r.put(rec.n, u); err != nil {
			return err
		}
	}
}

// jsonDecoder decodes JSON records. Of a repeated name the last value counts. It is not safe for
// concurrent use.
type jsonDecoder struct {
	ids     idRule // selects the id and text fields
	home    bool   // return lines written by export to their collections
	tokens  jsontext.Decoder
	scratch []byte // buffer for unescaped strings
}

// decode returns the document of a record, or the reason of its reject. It repairs NaN and invalid
// UTF-8, with a warning.
func (d *jsonDecoder) decode(line []byte) (Doc, string) {
	// Strict decoding comes first, because valid lines are the common case. The second attempt
	// replaces NaN, the third accepts invalid UTF-8.
	fields, err := d.fields(line)
	var warnings []string
	nulls := 0
	if err != nil {
		if line, nulls = replaceNaN(line, func(string) string { return "null" }); nulls > 0 {
			fields, err = d.fields(line)
		}
	}
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
	doc.nulls = nulls + nullTooLarge(doc.Meta)
	if d.home && reason == "" && isExported(line) {
		restoreExported(&doc)
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

// value reads the next value.
func (d *jsonDecoder) value() (v any, err error) {
	raw, err := d.tokens.ReadValue()
	switch {
	case err != nil:
		return nil, err
	case raw.Kind() == '"':
		d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], raw) // its only error is invalid UTF-8, which fields has reported
		return string(d.scratch), nil
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	err = in.Decode(&v)
	return v, err
}

// jsonDoc extracts id, text and metadata from the fields of a record.
func jsonDoc(fields map[string]any, ids idRule) (doc Doc, reason string) {
	if fields == nil {
		return doc, "not a JSON object"
	}
	if doc.ID, reason = ids.jsonID(fields); reason != "" {
		return doc, reason
	}
	if doc.Text, reason = ids.text.take(fields); reason != "" {
		return doc, reason
	}
	ids.field.values(fields, true)
	if len(fields) > 0 {
		doc.Meta = fields
	}
	return doc, ""
}

// replaceNaN replaces NaN, Infinity and -Infinity outside strings, and returns their number.
func replaceNaN(b []byte, instead func(word string) string) (fixed []byte, n int) {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b, 0
	}
	done, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(b[i:], []byte(word)) {
					fixed = append(append(fixed, b[done:i]...), instead(word)...)
					i += len(word) - 1
					done = i + 1
					n++
					break
				}
			}
		}
	}
	return append(fixed, b[done:]...), n
}

// nullTooLarge replaces numbers that overflow float64 by null, and returns their number.
func nullTooLarge(v any) (n int) {
	fit := func(item any) any {
		if isTooLarge(item) {
			n++
			return nil
		}
		n += nullTooLarge(item)
		return item
	}
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			v[name] = fit(item)
		}
	case []any:
		for i, item := range v {
			v[i] = fit(item)
		}
	}
	return n
}

// isTooLarge reports whether a value is a number that overflows float64.
func isTooLarge(v any) bool {
	number, ok := v.(json.Number)
	if !ok || len(number) < 300 && !strings.ContainsAny(string(number), "eE") {
		return false
	}
	_, err := number.Float64()
	return err != nil
}

// missingField returns the reject reason of a record without a field: it lists the fields that
// exist, and the flag for the likely field, if any.
func missingField(fields map[string]any, name, flag string) string {
	names := slices.Sorted(maps.Keys(fields))
	switch {
	case len(names) == 0:
		return fmt.Sprintf("no field %.40q", name)
	case flag == "":
		return fmt.Sprintf("no field %.40q, has %s; --id-field and --text-field name others", name, someNames(names))
	}
	return fmt.Sprintf("no field %.40q, has %s; use %s", name, someNames(names), flag)
}

// jsonType names the type of a JSON value in messages.
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

// jsonReason returns the reject reason of invalid JSON.
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
