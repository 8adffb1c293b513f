package web_test

// A server of the handler, and requests to it.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// site is a database with its page.
type site struct {
	*testing.T
	db  *simdb.DB
	url string
}

// texts are stored in each site: two that are alike, an equal one, another, an empty and a short one.
var texts = []api.Document{
	{ID: "a", Text: "The trick is to look at many small pieces. Then they are counted one by one.", Meta: api.Meta{"year": 2020, "path": "texts/a.txt"}},
	{ID: "b", Text: "The trick is to look at many small pieces. Then they are counted two by two.", Meta: api.Meta{"year": 2021}},
	{ID: "c", Text: "The trick is to look at many small pieces. Then they are counted one by one."},
	{ID: "other", Text: "Nothing of all this is here in the last of these texts."},
	{ID: "empty"},
	{ID: "short", Text: "Hello"},
	{ID: "<b>&\"'\u2028\x1b[31m\\", Text: "<script>alert(1)</script> & \u2028 \x1b[31m \xff and so on for ever", Meta: api.Meta{"</script>": "\u2029<img>"}},
}

func open(t *testing.T, opts *web.Options) site {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(context.Background(), "docs", api.Settings{SI: "m3b k4", Versions: true}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(context.Background(), texts...); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(web.Handler(db, opts))
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return site{t, db, server.URL}
}

// send makes a request; the headers are name, value and so on.
func (s site) send(method, path, body string, headers ...string) (*http.Response, []byte) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res, answer
}

// post sends JSON to a path of the API, and returns the object that is answered.
func (s site) post(path, body string) map[string]any {
	s.Helper()
	return s.json("POST", path, body, 200)
}

func (s site) get(path string) map[string]any { s.Helper(); return s.json("GET", path, "", 200) }

func (s site) json(method, path, body string, status int) map[string]any {
	s.Helper()
	res, answer := s.send(method, "/api/v1/"+path, body)
	if res.StatusCode != status {
		s.Fatalf("%s %s %s: %s\n%s, want %d", method, path, body, res.Status, answer, status)
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		s.Fatalf("%s %s: %v\n%s", method, path, err, answer)
	}
	return object
}

// refused sends what must be refused, and returns the message.
func (s site) refused(method, path, body string, status int, headers ...string) string {
	s.Helper()
	res, answer := s.send(method, path, body, headers...)
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(answer, &e); err != nil || res.StatusCode != status || e.Error.Code == "" || e.Error.Message == "" {
		s.Fatalf("%s %s %s: %s\n%s, want %d and an error: %v", method, path, body, res.Status, answer, status, err)
	}
	return e.Error.Message
}

// lines reads a streamed answer.
func (s site) lines(path, body string) (events []map[string]any) {
	s.Helper()
	method := "POST"
	if body == "" {
		method = "GET"
	}
	res, answer := s.send(method, "/api/v1/"+path, body, "Accept", "application/x-ndjson")
	if kind := res.Header.Get("Content-Type"); res.StatusCode != 200 || kind != "application/x-ndjson" {
		s.Fatalf("%s: %s, %s\n%s", path, res.Status, kind, answer)
	}
	for line := range bytes.Lines(answer) {
		var event map[string]any
		if err := json.Unmarshal(line, &event); err != nil {
			s.Fatalf("%s: %v\n%s", path, err, line)
		}
		events = append(events, event)
	}
	return events
}
