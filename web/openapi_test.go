package web_test

// The description against the running server: every path is asked, and every answer has the
// fields and types that it says, and no others.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// object is one of JSON.
type object = map[string]any

// description is openapi.json as the server gives it.
type description struct{ object }

func described(s site) description { return description{s.get("openapi.json")} }

// at walks into the description.
func (d description) at(names ...string) object {
	o := d.object
	for _, n := range names {
		o, _ = o[n].(object)
	}
	return o
}

// schema follows a reference.
func (d description) schema(s object) object {
	if ref, ok := s["$ref"].(string); ok {
		return d.schema(d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	return s
}

// response is the schema of an answer, nil if it is no JSON.
func (d description) response(path, method, status, kind string) object {
	of := d.schema(d.at("paths", path, strings.ToLower(method), "responses", status))
	content, _ := of["content"].(object)[kind].(object)
	schema, _ := content["schema"].(object)
	return schema
}

// fits says how a value differs from a schema. It knows what openapi.json uses of JSON Schema.
func (d description) fits(v any, schema object, place string) []string {
	schema = d.schema(schema)
	known := []string{"type", "description", "properties", "required", "additionalProperties", "items", "enum"}
	for key := range schema {
		if !slices.Contains(known, key) {
			return []string{place + ": the test does not know " + key}
		}
	}
	var kinds []any
	switch is := schema["type"].(type) {
	case string:
		kinds = []any{is}
	case []any:
		kinds = is
	}
	kind := kindOf(v)
	if len(kinds) > 0 && !slices.Contains(kinds, any(kind)) && !(kind == "integer" && slices.Contains(kinds, any("number"))) {
		return []string{fmt.Sprintf("%s is %s, want %v", place, kind, kinds)}
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		return []string{fmt.Sprintf("%s is %v, want one of %v", place, v, enum)}
	}
	var wrong []string
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(object)
		for i, item := range v {
			wrong = append(wrong, d.fits(item, items, fmt.Sprintf("%s[%d]", place, i))...)
		}
	case object:
		properties, _ := schema["properties"].(object)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				wrong = append(wrong, fmt.Sprintf("%s lacks %s", place, name))
			}
		}
		for name, value := range v {
			if of, ok := properties[name].(object); ok {
				wrong = append(wrong, d.fits(value, of, place+"."+name)...)
			} else if schema["additionalProperties"] == false {
				wrong = append(wrong, fmt.Sprintf("%s has %s, which is not described", place, name))
			}
		}
	}
	return wrong
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// asked is a request and the status of its answer.
type asked struct {
	method, path, query, body string
	status                    int
}

// requests ask every path in the ways that make its answers differ.
var requests = []asked{
	{"GET", "/", "", "", 200},
	{"GET", "/healthz", "", "", 200},
	{"GET", "/metrics", "", "", 200},
	{"GET", "/api/v1/openapi.json", "", "", 200},
	{"GET", "/api/v1/session", "", "", 200},
	{"POST", "/api/v1/session", "", `{"token":"secret"}`, 200},
	{"DELETE", "/api/v1/session", "", "", 200},
	{"POST", "/api/v1/query", "", `{"statement":"SIMILAR TO 'a'"}`, 200},
	{"POST", "/api/v1/query", "", `{"statement":"SHOW STATS"}`, 200},
	{"POST", "/api/v1/query", "", `{"statement":"EXPLAIN ANALYZE SIMILAR TO :x","params":{"x":"a"}}`, 200},
	{"POST", "/api/v1/query", "", `{"statement":"EXPLAIN ANALYZE RELATED TO 'a' WITH (passages = 20)"}`, 200},
	{"POST", "/api/v1/query", "", `{"statement":"RELATED TO :x RETURNING id, kind, score, shared, of, longest, evidence","params":{"x":"a"}}`, 200},
	{"POST", "/api/v1/query", "", `{"statement":"SIMILAR TO 'a' WHERE sim >= high"}`, 400},
	{"POST", "/api/v1/query", "", `{}`, 400},
	{"POST", "/api/v1/similar", "", `{"id":"a"}`, 200},
	{"POST", "/api/v1/similar", "", `{"text":"The trick is to look at","threshold":"99%"}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"a","nearest":2,"measure":"simhash"}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"a","measure":"si","arguments":{"si":"m3b k4"}}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"a","measure":"containment","arguments":{"k":1}}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"a","measure":"versions","arguments":{"reading":"paper","of":"both","share":0.5}}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"empty"}`, 200},
	{"POST", "/api/v1/similar", "", `{"id":"nosuch"}`, 404},
	{"POST", "/api/v1/sources", "", `{"id":"a"}`, 200},
	{"POST", "/api/v1/sources", "", `{"text":"They say: the trick is to look at many small pieces. Nobody else says so.","min":20}`, 200},
	{"POST", "/api/v1/sources", "", `{"id":"nosuch"}`, 404},
	{"POST", "/api/v1/excerpts", "", `{"id":"a","of":[{"id":"b"},{"id":"empty"},{"id":"nosuch"}]}`, 200},
	{"POST", "/api/v1/excerpts", "", `{"of":[{"id":"a"}],"size":20}`, 200},
	{"POST", "/api/v1/excerpts", "", `{"of":[{"id":"a"}],"size":0}`, 400},
	{"POST", "/api/v1/compare", "", `{"a":{"id":"a"},"b":{"id":"b"}}`, 200},
	{"POST", "/api/v1/compare", "", `{"a":{"text":"Hello"},"b":{"id":"empty"}}`, 200},
	{"POST", "/api/v1/render", "?name=page.shout", "a text", 200},
	{"POST", "/api/v1/render", "?name=bad.shout", "", 400},
	{"POST", "/api/v1/table", "", `{"format":"shout","columns":["id","sim"],"rows":[["a",0.5],["b",null]]}`, 200},
	{"POST", "/api/v1/table", "", `{"format":"whisper","columns":[],"rows":[]}`, 400},
	{"POST", "/api/v1/table", "", `{"format":"shout","columns":["id"],"rows":[["a",1]]}`, 400},
	{"GET", "/api/v1/documents", "", "", 200},
	{"GET", "/api/v1/documents", "?limit=2", "", 200},
	{"GET", "/api/v1/documents", "?colection=docs", "", 400},
	{"GET", "/api/v1/document", "?id=a", "", 200},
	{"GET", "/api/v1/document", "?id=empty", "", 200},
	{"GET", "/api/v1/document", "", "", 400},
	{"PUT", "/api/v1/document", "?id=new", `{"text":"one two three","metadata":{"year":2026}}`, 200},
	{"PUT", "/api/v1/document", "?id=new", `{"text":"The trick is to look at many small pieces. Then they are counted one by one.","unless_similar":{}}`, 200},
	{"PUT", "/api/v1/document", "?id=new", `{"text":"one two three four","unless_similar":{"measure":"simhash","threshold":1}}`, 200},
	{"PUT", "/api/v1/document", "?id=new", `{"text":"x","unless_similar":{"measure":"words"}}`, 400},
	{"POST", "/api/v1/import", "", `{"id":"new","text":"a b c","year":2026}` + "\n{}\n", 200},
	{"POST", "/api/v1/import", "?if_exists=error", `{"id":"new","text":"a b c"}`, 409},
	{"POST", "/api/v1/import", "?keep=longest", "", 400},
	{"DELETE", "/api/v1/document", "?id=new", "", 200},
	{"DELETE", "/api/v1/document", "?id=new", "", 200},
	{"DELETE", "/api/v1/document", "?id=new&collection=nosuch", "", 404},
	{"POST", "/api/v1/clusters", "", `{}`, 200},
	{"POST", "/api/v1/clusters", "", `{"measure":"simhash","keep":"longest","threshold":0.5}`, 200},
	{"POST", "/api/v1/clusters", "", `{"measure":"si"}`, 400},
	{"GET", "/api/v1/groupings", "", "", 200},
	{"GET", "/api/v1/groups", "?in=g&min_size=2&order=size&limit=10", "", 200},
	{"GET", "/api/v1/groups", "?in=nosuch", "", 404},
	{"GET", "/api/v1/group", "?in=g&of=b", "", 200},
	{"GET", "/api/v1/group", "?in=g", "", 400},
	{"GET", "/api/v1/collections", "", "", 200},
	{"POST", "/api/v1/overview", "", `{"threshold":0.3}`, 200},
	{"POST", "/api/v1/overview", "", `{"measure":"simhash","threshold":0.5,"ignoring":{}}`, 200},
	{"POST", "/api/v1/overview", "", `{"measure":"containment"}`, 400},
	{"POST", "/api/v1/report", "", `{}`, 200},
	{"POST", "/api/v1/report", "", `{"collection":"nosuch"}`, 404},
	{"POST", "/api/v1/clusters/remove", "", `{}`, 200},
}

func TestDescriptionIsTrue(t *testing.T) {
	s := open(t, &web.Options{Writable: true, Token: "secret", Renderer: shouting{}, Tables: shoutingTables})
	if err := s.db.CreateGroups(t.Context(), api.Grouping{Name: "g", Min: api.Ratio(1, 2)}); err != nil {
		t.Fatal(err)
	}
	d := described(s)
	left := map[string]bool{}
	for path, of := range d.at("paths") {
		for method := range of.(object) {
			left[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, p := range web.Patterns() {
		if !left[p] {
			t.Errorf("%s is not described", p)
		}
	}
	for _, r := range requests {
		delete(left, r.method+" "+r.path)
		status := "default"
		if r.status == 200 {
			status = "200"
		}
		for _, accept := range []string{"application/json", "application/x-ndjson"} {
			schema := d.response(r.path, r.method, status, "application/json")
			stream := d.response(r.path, r.method, "200", "application/x-ndjson") != nil
			if accept == "application/x-ndjson" && (!stream || r.path == "/api/v1/clusters/remove") { // nothing is left to remove
				continue
			}
			res, answer := s.send(r.method, r.path+r.query, r.body, "Authorization", "Bearer secret", "Accept", accept)
			what := fmt.Sprintf("%s %s%s %s", r.method, r.path, r.query, r.body)
			if res.StatusCode != r.status && !(stream && res.StatusCode == 200) { // an error after the first line has no status
				t.Errorf("%s: %s, want %d\n%s", what, res.Status, r.status, answer)
				continue
			}
			switch kind := res.Header.Get("Content-Type"); {
			case kind == "application/x-ndjson":
				d.checkLines(t, what, answer, schema, r.status)
			case schema == nil:
				if of := d.schema(d.at("paths", r.path, strings.ToLower(r.method), "responses", status)); of["content"].(object)[strings.Split(kind, ";")[0]] == nil {
					t.Errorf("%s is %s, which is not described", what, kind)
				}
			default:
				for _, wrong := range d.fits(decoded(t, answer), schema, "the answer") {
					t.Errorf("%s: %s\n%s", what, wrong, answer)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("described and not asked for: %v", slices.Sorted(maps.Keys(left)))
	}
}

// checkLines checks a streamed answer. Its last line is the answer, whose list was sent before.
func (d description) checkLines(t *testing.T, what string, answer []byte, schema object, status int) {
	t.Helper()
	lines := slices.Collect(bytes.Lines(answer))
	for i, line := range lines {
		event := decoded(t, line).(object)
		wrong := d.fits(event, object{"$ref": "#/components/schemas/Event"}, "the event")
		switch last := i == len(lines)-1; {
		case event["event"] == "end" && last && status == 200:
			wrong = append(wrong, d.fits(event["answer"], schema, "the answer")...)
		case event["event"] == "error" && last && status != 200:
		case last || event["event"] == "end" || event["event"] == "error":
			t.Errorf("%s: line %d of %d is %s", what, i+1, len(lines), line)
		case event["event"] == "row":
			for _, list := range []string{"rows", "matches", "groups"} {
				if of, ok := d.schema(schema)["properties"].(object)[list].(object); ok {
					wrong = append(wrong, d.fits(event["row"], of["items"].(object), "the row")...)
				}
			}
		}
		for _, w := range wrong {
			t.Errorf("%s: %s\n%s", what, w, line)
		}
	}
}

func decoded(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return v
}

// What a request may hold is heeded by the server: each field by itself is known to it, and
// one that is not described is refused.
func TestDescribedFieldsAreTaken(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	d := described(s)
	for path, of := range d.at("paths") {
		for method, m := range of.(object) {
			body, ok := m.(object)["requestBody"].(object)
			if !ok {
				continue
			}
			of, ok := body["content"].(object)["application/json"].(object)
			if !ok { // a file
				continue
			}
			schema := d.schema(of["schema"].(object))
			fields := append(slices.Collect(maps.Keys(schema["properties"].(object))), "nosuch")
			for _, field := range fields {
				_, answer := s.send(strings.ToUpper(method), path+"?id=x", fmt.Sprintf(`{%q:null}`, field))
				if unknown := strings.Contains(string(answer), "unknown field"); unknown != (field == "nosuch") {
					t.Errorf("%s %s with %s: %s", method, path, field, answer)
				}
			}
		}
	}
	s.refused("POST", "/api/v1/similar", `{"id":"a","arguments":{"alfa":1}}`, 400)
}

// A test of the test: what is missing, too much or of another type is found.
func TestDifferencesAreFound(t *testing.T) {
	d := description{object{}}
	schema := decoded(t, []byte(`{"type":"object","required":["a"],"additionalProperties":false,
		"properties":{"a":{"type":"integer"},"b":{"type":["string","null"]},"c":{"type":"array","items":{"type":"string","enum":["x"]}}}}`)).(object)
	for value, wrong := range map[string]int{
		`{"a":1}`: 0, `{"a":1,"b":null,"c":["x"]}`: 0,
		`{}`: 1, `{"a":1.5}`: 1, `{"a":null}`: 1, `{"a":1,"b":2}`: 1, `{"a":1,"c":["x","y",1]}`: 2, `{"a":1,"d":1}`: 1, `[]`: 1,
	} {
		if got := d.fits(decoded(t, []byte(value)), schema, "it"); len(got) != wrong {
			t.Errorf("%s differs in %v, want %d differences", value, got, wrong)
		}
	}
}
