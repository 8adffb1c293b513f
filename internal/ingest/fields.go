package ingest

// The id and text fields of a record. A field is given by its name or a path: _source.body is a
// field of an object, messages[].content a field of each object in a list. A field whose name
// equals the whole path takes precedence.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// field locates a value in a record.
type field struct {
	name  string // as given by the user
	steps []step
}

// step is one element of a path.
type step struct {
	name string
	each bool // applies to each element of a list
}

// newField parses a name or a path.
func newField(name string) (f field, err error) {
	f.name = name
	for part := range strings.SplitSeq(name, ".") {
		bare, each := strings.CutSuffix(part, "[]")
		if bare == "" {
			return f, fmt.Errorf("%q is no path of a field; write one as messages[].content or meta.id", name)
		}
		f.steps = append(f.steps, step{bare, each})
	}
	return f, nil
}

// values returns the values of a field, several for a list. With take it also removes them from the
// record.
func (f field) values(record map[string]any, take bool) (found []any, ok bool) {
	if len(f.steps) == 0 {
		return nil, false
	}
	if v, ok := record[f.name]; ok {
		if take {
			delete(record, f.name)
		}
		return []any{v}, true
	}
	return valuesAt(record, f.steps, take)
}

// valuesAt returns the values at a path of an object.
func valuesAt(object map[string]any, steps []step, take bool) (found []any, ok bool) {
	name, rest := steps[0].name, steps[1:]
	v, ok := object[name]
	if !ok {
		return nil, false
	}
	list, isList := v.([]any)
	within, isObject := v.(map[string]any)
	_, isString := v.(string)
	switch {
	case len(rest) == 0 || steps[0].each && isString: // the content of a message is a string, or a list of parts
		if take {
			delete(object, name)
		}
		if steps[0].each && isList {
			return list, true
		}
		return []any{v}, true
	case steps[0].each && isList:
		for _, item := range list {
			if within, isObject := item.(map[string]any); isObject {
				values, has := valuesAt(within, rest, take)
				found, ok = append(found, values...), ok || has
			}
		}
		return found, len(found) > 0
	case isObject:
		return valuesAt(within, rest, take)
	}
	return nil, false
}

// textFields are the fields that form the text of a record.
type textFields struct {
	name   string // as given by the user
	fields []field
	scalar bool // Options.Scalar
}

// newTextFields parses a comma-separated list of fields.
func newTextFields(names string) (t textFields, err error) {
	t.name = names
	for name := range strings.SplitSeq(names, ",") {
		f, err := newField(strings.TrimSpace(name))
		if err != nil {
			return t, err
		}
		t.fields = append(t.fields, f)
	}
	return t, nil
}

// of returns the fields to read from a record. A field whose name contains the commas takes
// precedence over the list.
func (t textFields) of(has func(name string) bool) []field {
	if len(t.fields) > 1 && has(t.name) {
		return []field{{name: t.name, steps: []step{{name: t.name}}}}
	}
	return t.fields
}

// in reports whether a record has at least one of the fields.
func (t textFields) in(record map[string]any) bool {
	has := func(name string) bool { _, ok := record[name]; return ok }
	return slices.ContainsFunc(t.of(has), func(f field) bool {
		_, ok := f.values(record, false)
		return ok
	})
}

// take removes the text from a record, or returns the reason of the reject. Elements of a list are
// joined by a newline, fields by a blank line; absent fields are skipped.
func (t textFields) take(record map[string]any) (text, reason string) {
	has := func(name string) bool { _, ok := record[name]; return ok }
	fields, found, null := t.of(has), false, false
	var parts []string
	for _, f := range fields {
		values, ok := f.values(record, true)
		var lines []string
		for _, v := range values {
			switch v := v.(type) {
			case string:
				lines = append(lines, v)
			case nil:
			case []any:
				return "", fmt.Sprintf("field %q is an array, want a string; --text-field '%s[]' joins its elements", f.name, f.name)
			default:
				n, ok := v.(json.Number)
				if !ok || !t.scalar {
					return "", fmt.Sprintf("field %q is %s, want a string", f.name, jsonType(v))
				}
				lines = append(lines, n.String())
			}
		}
		null = null || ok
		found = found || len(lines) > 0
		if part := strings.Join(lines, "\n"); part != "" {
			parts = append(parts, part)
		}
	}
	switch {
	case !found && null && t.scalar:
		return "", ""
	case !found && null:
		return "", fmt.Sprintf("field %q is null", t.name)
	case !found:
		return "", missingField(record, t.name, suggest(record))
	}
	return strings.Join(parts, "\n\n"), ""
}

// suggest returns a flag that names the likely text of a record, or "".
func suggest(record map[string]any) string {
	if names := likelyText(record); names != "" {
		return fmt.Sprintf("--text-field '%s'", names)
	}
	return ""
}

// pairs are fields that together form a text, as in instruction data sets.
var pairs = [][]string{{"instruction", "input", "output"}, {"instruction", "context", "response"}, {"instruction", "output"}, {"instruction", "response"},
	{"prompt", "completion"}, {"prompt", "response"}, {"question", "answer"}}

// usual are common names of text fields.
var usual = []string{"text", "content", "body", "article", "document", "abstract", "description", "comment", "review", "message", "sentence", "passage"}

// likelyText returns the likely text fields of a record, or "": a known combination, a common name,
// or the longest string with white space.
func likelyText(record map[string]any) string {
	isString := func(name string) bool { _, ok := record[name].(string); return ok }
	for _, p := range pairs {
		if !slices.ContainsFunc(p, func(name string) bool { return !isString(name) }) {
			return strings.Join(p, ",")
		}
	}
	for _, name := range usual {
		if isString(name) {
			return name
		}
	}
	best, length := "", 0
	better := func(name string, v any) {
		if s, ok := v.(string); ok && (len(s) > length || len(s) == length && name < best) && strings.ContainsAny(s, " \n") {
			best, length = name, len(s)
		}
	}
	for name, v := range record {
		better(name, v)
		switch v := v.(type) {
		case map[string]any:
			for inner, v := range v {
				better(name+"."+inner, v)
			}
		case []any:
			sums := map[string]string{}
			for _, item := range v[:min(len(v), sniffedRecords)] {
				if s, ok := item.(string); ok {
					sums[""] += s + " "
				}
				object, _ := item.(map[string]any)
				for inner, v := range object {
					if s, ok := v.(string); ok {
						sums["."+inner] += s + " "
					}
				}
			}
			for inner, sum := range sums {
				better(name+"[]"+inner, strings.TrimSpace(sum))
			}
		}
	}
	return best
}

// names returns the fields as given by the user.
func (t textFields) names() (names []string) {
	for _, f := range t.fields {
		names = append(names, f.name)
	}
	return names
}
