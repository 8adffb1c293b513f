package ingest

// Detection of the shape of JSON by its first bytes: lines, a sequence of values, an array, records
// within an object, a table by columns, or an object that is a text.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// form is an arrangement of records in JSON.
type form uint8

const (
	noRecords  form = iota // a text
	lineForm               // an object per line
	valueForm              // a sequence of objects over several lines each
	arrayForm              // the elements of an array
	columnForm             // a table by columns
	mapForm                // ids and texts
)

// shape is the shape of the JSON in a stream.
type shape struct {
	form      form
	at        int    // offset of the array
	unnamed   string // reject reason if no record has the text field
	ambiguous string // reject reason if the stream may be records or one text, with advice
}

// sniffedRecords is the maximum number of records that detection examines.
const sniffedRecords = 100

// shapeOf returns the shape of a stream from its head, which may end anywhere.
func shapeOf(p *probe, ids idRule) shape {
	head := bytes.TrimLeft(p.head, " \t\r\n")
	begin := len(p.head) - len(head)
	ending := strings.ToLower(path.Ext(p.name))
	named := ending == ".jsonl" || ending == ".ndjson"
	s := sniffer{ids: ids, whole: p.whole, lined: named, named: named || p.stdin}
	var got shape
	switch {
	case len(head) == 0 || bytes.HasPrefix(head, []byte(`{"simdb_dump":`)):
	case head[0] == '[':
		got = s.array(plainNumbers(head), ending == ".json" || p.stdin)
	case head[0] == '{':
		got = s.objects(plainNumbers(head))
	default: // a comment, or the rest of a torn line
		if objects, ok := s.lines(plainNumbers(head)); ok {
			got = s.records(shape{form: lineForm}, objects)
		}
	}
	if got.form == noRecords && got.ambiguous == "" && named {
		got.form = lineForm
	}
	got.at += begin
	return got
}

// sniffer examines the head of a stream of JSON.
type sniffer struct {
	ids   idRule
	whole bool // the head is the whole stream
	lined bool // the name indicates a record per line
	named bool // the name, or standard input, indicates records
}

// array examines an array. An array of other values than objects is a text.
func (s *sniffer) array(head []byte, empty bool) shape {
	w := newWalk(head, s.ids)
	w.tokens.ReadToken()
	var objects []map[string]any
	values, err := 0, error(nil)
	for ; err == nil && values < sniffedRecords; values++ {
		if w.tokens.PeekKind() == ']' {
			break
		}
		var v any
		v, err = w.value(1, true)
		if object, ok := v.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	switch {
	case values == 0 && empty && w.tokens.PeekKind() == ']':
		return shape{form: arrayForm}
	case len(objects) == 0, wrong(err) && len(objects) < 2 && !slices.ContainsFunc(objects, s.ids.text.in):
		return shape{}
	}
	return s.records(shape{form: arrayForm}, objects)
}

// records adds the reject reason if no record has the text field.
func (s *sniffer) records(got shape, objects []map[string]any) shape {
	if !slices.ContainsFunc(objects, s.ids.text.in) {
		got.unnamed = noField(objects[0], s.ids)
	}
	return got
}

// wrong reports whether an error has another cause than the end of the head.
func wrong(err error) bool { return err != nil && !errors.Is(err, io.ErrUnexpectedEOF) }

// objects examines a head that begins with an object.
func (s *sniffer) objects(head []byte) shape {
	if objects, ok := s.lines(head); ok {
		return s.records(shape{form: lineForm}, objects)
	}
	var w *headWalk
	var objects []map[string]any
	var err error
	rest := head
	for err == nil && len(objects) < sniffedRecords && len(rest) > 0 && rest[0] == '{' {
		next := newWalk(rest, s.ids)
		var v any
		v, err = next.value(0, false)
		object, _ := v.(map[string]any)
		objects = append(objects, object)
		rest = bytes.TrimLeft(rest[next.tokens.InputOffset():], ", \t\r\n")
		w = cmp.Or(w, next)
	}
	// A stream with a fault after few objects may be a text with braces, such as source code, so only
	// its name or several objects before the fault make it records.
	broken := wrong(err) || err == nil && len(objects) < sniffedRecords && len(rest) > 0
	several := len(objects) > 1
	switch {
	case broken && s.named && !several:
		return shape{form: lineForm} // some of them broken
	case len(objects) == 0, broken && !s.named && (len(objects) < 3 || err == nil):
		return shape{}
	case several:
		return s.records(shape{form: valueForm}, objects)
	}
	return s.object(objects[0], w, !bytes.Contains(bytes.TrimSpace(head), []byte("\n")))
}

// lines returns the objects of a head with an object per line, and whether it is one: nearly all
// lines begin with an object, and at least half of these are intact. A single line counts only if
// its name indicates records.
func (s *sniffer) lines(head []byte) (objects []map[string]any, ok bool) {
	lines, others := 0, 0
	for len(head) > 0 && lines < sniffedRecords {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		head = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !ended && !s.whole {
			break
		}
		if line[0] != '{' {
			if others++; others > sniffedRecords/linesToOther {
				return nil, false
			}
			continue
		}
		lines++
		w := newWalk(line, s.ids)
		v, err := w.value(0, false)
		if object, _ := v.(map[string]any); err == nil && len(object) > 0 && len(bytes.TrimSpace(line[w.tokens.InputOffset():])) == 0 {
			objects = append(objects, object)
		}
	}
	return objects, lines > 1 && 2*len(objects) >= lines && len(objects) >= linesToOther*others
}

// linesToOther is the minimum number of objects per line that begins otherwise, such as a torn
// line.
const linesToOther = 8

// object examines a single object.
func (s *sniffer) object(object map[string]any, w *headWalk, oneLine bool) shape {
	single := shape{form: valueForm}
	if oneLine {
		single.form = lineForm
	}
	text, isText := object[s.ids.text.name].(string)
	_, hasID := s.ids.field.values(object, false)
	switch {
	case isText && (text != "" || hasID || s.named || s.ids.chosen):
		return single
	case w.found > 0:
		return shape{form: arrayForm, at: w.found}
	case byColumns(object, s.ids), byRows(object, s.ids):
		return shape{form: columnForm}
	case s.ids.chosen && s.ids.text.in(object):
		return single
	}
	if s.lined {
		return single
	}
	ambiguous := ""
	switch record := w.likely; {
	case isMap(object):
		ambiguous = fmt.Sprintf("looks like a map of %d ids to texts; --input-format map reads each as a document, --input-format text all as one text", len(object))
	case record != nil && (flat(object) || holdsText(record, s.ids)) && likelyText(record) != "":
		ambiguous = "looks like records within an object, " + noField(record, s.ids)
		if whole := likelyText(object); whole != "" && flat(object) {
			ambiguous += "; --text-field '" + whole + "' reads it as one record"
		}
	}
	switch {
	case ambiguous != "":
		return shape{ambiguous: ambiguous}
	case s.named:
		return single
	}
	return shape{}
}

// isMap reports whether an object has at least two members, all strings, and at least one of more
// than two words.
func isMap(object map[string]any) bool {
	words := 0
	for _, v := range object {
		s, ok := v.(string)
		if !ok {
			return false
		}
		words = max(words, len(strings.Fields(s)))
	}
	return len(object) > 1 && words > 2
}

// flat reports whether an object has exactly one list and no other objects outside it.
func flat(object map[string]any) bool {
	lists := 0
	for _, v := range object {
		switch v.(type) {
		case map[string]any:
			return false
		case []any:
			lists++
		}
	}
	return lists == 1
}

// holdsText reports whether an object within a record has the text field, as in search results.
func holdsText(record map[string]any, ids idRule) bool {
	for _, v := range record {
		if inner, ok := v.(map[string]any); ok && ids.text.in(inner) {
			return true
		}
	}
	return false
}

// byColumns reports whether an object is a table by columns, as written by pandas: a list per
// column, an object per column with a common first row, or separate "columns" and "data".
func byColumns(object map[string]any, ids idRule) bool {
	if names, ok := object["columns"].([]any); ok && len(names) > 0 {
		rows, ok := object["data"].([]any)
		_, first := any(nil), false
		if len(rows) > 0 {
			_, first = rows[0].([]any)
		}
		return ok && first && slices.ContainsFunc(ids.text.fields, func(f field) bool { return slices.Contains(names, any(f.name)) })
	}
	for _, f := range ids.text.fields {
		switch column := object[f.name].(type) {
		case []any:
			isList := func(v any) bool { _, ok := v.([]any); return ok }
			return len(column) > 0 && isString(column[0]) && all(object, isList)
		case map[string]any:
			first := slices.Min(append(slices.Collect(maps.Keys(column)), "\xff"))
			return len(column) > 0 && isString(column[first]) && all(object, func(v any) bool {
				other, ok := v.(map[string]any)
				_, has := other[first]
				return ok && (has || len(other) == 0)
			})
		}
	}
	return false
}

// byRows reports whether an object maps row numbers to records with the text field.
func byRows(object map[string]any, ids idRule) bool {
	_, first := object["0"]
	return first && all(object, func(v any) bool {
		record, ok := v.(map[string]any)
		return ok && (ids.text.in(record) || len(record) == 0)
	})
}

// isString reports whether a value is a string or null.
func isString(v any) bool { _, ok := v.(string); return ok || v == nil }

// all reports whether a condition holds for all members.
func all(object map[string]any, is func(any) bool) bool {
	for _, v := range object {
		if !is(v) {
			return false
		}
	}
	return true
}

// noField returns the reject reason of records without the text field: it lists the fields that
// exist, and the flag for the likely one.
func noField(record map[string]any, ids idRule) string {
	reason := fmt.Sprintf("without a field %q (has %s)", ids.text.name, someNames(slices.Sorted(maps.Keys(record))))
	if flag := suggest(record); flag != "" {
		return reason + "; use " + flag + ", or --input-format text"
	}
	return reason + "; use --text-field NAME, or --input-format text"
}

// headWalk decodes the head of a value as far as it goes.
type headWalk struct {
	tokens *jsontext.Decoder
	ids    idRule
	found  int            // offset of an array of objects with the text field within an object; 0 for none
	likely map[string]any // first object of such an array without the text field
}

// newWalk returns a headWalk that accepts repeated names and invalid UTF-8.
func newWalk(head []byte, ids idRule) *headWalk {
	return &headWalk{tokens: jsontext.NewDecoder(bytes.NewReader(head), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), ids: ids}
}

// value returns the next value; with an error, the part before it.
func (w *headWalk) value(depth int, inArray bool) (any, error) {
	kind := w.tokens.PeekKind()
	token, err := w.tokens.ReadToken()
	switch {
	case err != nil && kind == '"':
		return "", err
	case err != nil:
		return nil, err
	case kind == '"':
		return token.String(), nil
	case kind == '{':
		object := map[string]any{}
		for w.tokens.PeekKind() != '}' {
			if token, err = w.tokens.ReadToken(); err != nil {
				return object, err
			}
			name := token.String()
			if object[name], err = w.value(depth+1, inArray); err != nil {
				return object, err
			}
		}
		_, err = w.tokens.ReadToken()
		return object, err
	case kind == '[':
		list, at := []any{}, int(w.tokens.InputOffset())-1
		for w.tokens.PeekKind() != ']' {
			var item any
			item, err = w.value(depth+1, true)
			list = append(list, item)
			if first, ok := item.(map[string]any); ok && len(list) == 1 && !inArray {
				switch {
				case w.ids.text.in(first) && w.found == 0:
					w.found = at
				case w.likely == nil || holdsText(first, w.ids) && !holdsText(w.likely, w.ids):
					w.likely = first
				}
			}
			if err != nil {
				return list, err
			}
		}
		_, err = w.tokens.ReadToken()
		return list, err
	}
	return token.Kind().String(), nil
}

// plainNumbers replaces NaN, Infinity and -Infinity, which Python writes although they are invalid
// JSON, by numbers of the same length, so that offsets remain valid.
func plainNumbers(head []byte) []byte {
	fixed, _ := replaceNaN(head, func(word string) string { return "0" + strings.Repeat(" ", len(word)-1) })
	return fixed
}
