package web_test

// Several databases: what they find is what one finds that has all, and a row names its store.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// openShards makes two databases in a directory.
func openShards(dir string) (*simdb.Shards, error) {
	ctx := context.Background()
	var paths []string
	for i, d := range texts[:2] {
		path := filepath.Join(dir, fmt.Sprint("shard-", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(db.Put(ctx, d), db.Close()); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return simdb.OpenShards(ctx, paths, nil)
}

// Statements over HTTP, to all of several databases.
func ExampleShardsHandler() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	shards, err := openShards(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer shards.Close()
	server := httptest.NewServer(web.ShardsHandler(shards, nil))
	defer server.Close()

	res, err := http.Post(server.URL+"/api/v1/query", "application/json",
		strings.NewReader(`{"statement": "SIMILAR TO ? WHERE sim >= 40% RETURNING id, shared, union", "params": ["a"]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	before, _, _ := strings.Cut(string(answer), `,"notes"`)
	fmt.Println(res.Status, before)
	// Output: 200 OK {"columns":["id","shared","union"],"rows":[{"id":"b","shared":11,"union":17}]
}

func TestShardsHandler(t *testing.T) {
	shards, err := openShards(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer shards.Close()
	server := httptest.NewServer(web.ShardsHandler(shards, &web.Options{Writable: true, Token: "secret", MaxRows: 1}))
	defer server.Close()
	s := site{t, nil, server.URL}
	token := []string{"Authorization", "Bearer secret"}
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
	}{
		{"GET", "/healthz", "", nil, 200, `"ok"`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO a"}`, nil, 401, "token"},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO a WHERE sim > 0"}`, token, 200, `"store":`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO TEXT ? WHERE sim > 0", "params": ["look at many small pieces"]}`, token, 200, `"more":true`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR PAIRS"}`, token, 400, "simdb scale run"},
		{"POST", "/api/v1/query", `{"statement": "DELETE FROM docs WHERE id = 'a'"}`, token, 403, "open the one that is to change"},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO FILE '/etc/passwd'"}`, token, 400, "FILE"},
		{"GET", "/api/v1/session", "", token, 200, `"writable":false`},
		{"GET", "/api/v1/session", "", nil, 200, `"several":true`},
		{"GET", "/", "", nil, 200, "<html"},
		{"GET", "/page.js", "", nil, 200, "data-of-one"},
		{"GET", "/api/v1/openapi.json", "", nil, 200, "openapi"},
		{"POST", "/api/v1/similar", `{"id": "a"}`, nil, 401, "token"},
		{"POST", "/api/v1/compare", `{}`, nil, 401, "token"},
		{"GET", "/api/v1/document?id=a", "", nil, 401, "token"},
		{"GET", "/api/v1/collections", "", nil, 401, "token"},
		{"GET", "/api/v1/document?id=a", "", token, 400, "store"},
		{"GET", "/api/v1/document?id=a&store=x", "", token, 404, "none of the stores is called"},
		{"POST", "/api/v1/render?name=a.txt", "a text", token, 404, "only texts"},
		{"GET", "/api/v1/documents", "", token, 404, "needs a single database"},
		{"POST", "/api/v1/clusters", `{}`, token, 404, "needs a single database"},
		{"PUT", "/api/v1/document?id=a", `{"text": "b"}`, token, 404, "needs a single database"},
		{"GET", "/metrics", "", token, 404, "needs a single database"},
		{"GET", "/nosuch", "", token, 404, "nothing at"},
		{"GET", "/api/v1/query", "", token, 405, "takes POST"},
	} {
		res, body := s.send(tt.method, tt.path, tt.body, tt.headers...)
		if res.StatusCode != tt.status || !strings.Contains(string(body), tt.says) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", tt.method, tt.path, tt.body, res.StatusCode, body, tt.status, tt.says)
		}
	}
	if err := shards.Close(); err != nil {
		t.Fatal(err)
	}
	if res, body := s.send("GET", "/healthz", ""); res.StatusCode != 503 || !strings.Contains(string(body), "closed") {
		t.Errorf("/healthz of closed databases: %d %s", res.StatusCode, body)
	}
}

// dealt are the texts in two databases, and in one that has all.
func dealt(t *testing.T, opts *web.Options) (one, several site, stores []string) {
	t.Helper()
	one = open(t, opts)
	ctx := context.Background()
	dir := t.TempDir()
	for i := range 2 {
		path := filepath.Join(dir, fmt.Sprint("shard-", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.CreateCollection(ctx, "docs", api.Settings{SI: "m3b k4", Versions: true})
		for n, d := range texts {
			if n%2 == i {
				err = errors.Join(err, db.Put(ctx, d))
			}
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, path)
	}
	shards, err := simdb.OpenShards(ctx, stores, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(web.ShardsHandler(shards, opts))
	t.Cleanup(func() {
		server.Close()
		if err := shards.Close(); err != nil {
			t.Error(err)
		}
	})
	return one, site{t, nil, server.URL}, stores
}

// same compares answers, but for what only one of the two can say.
func same(t *testing.T, what string, several, one any) {
	t.Helper()
	var without func(any)
	without = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"store", "plan", "elapsed_ms"} {
				delete(v, name)
			}
			for _, x := range v {
				without(x)
			}
		case []any:
			for _, x := range v {
				without(x)
			}
		}
	}
	without(several)
	without(one)
	if !reflect.DeepEqual(several, one) {
		t.Errorf("%s: several databases answer\n%v\none answers\n%v", what, several, one)
	}
}

// Sources and pieces of documents name their store, and are those of one database.
func TestShardsHaveTheSourcesOfOne(t *testing.T) {
	one, several, stores := dealt(t, nil)
	d := described(several)
	const text = `"text":"Some say: the trick is to look at many small pieces. Nothing of all this is here in the last of these texts."`
	answer := several.post("sources", "{"+text+"}")
	for _, wrong := range d.fits(answer, d.response("/api/v1/sources", "POST", "200", "application/json"), "the answer") {
		t.Error(wrong)
	}
	if list := answer["sources"].([]any); len(list) != 2 || list[0].(object)["store"] != stores[1] || list[1].(object)["store"] != stores[0] {
		t.Errorf("the sources are %v", list)
	}
	same(t, "sources", answer, one.post("sources", "{"+text+"}"))
	same(t, "excerpts", several.post("excerpts", fmt.Sprintf(`{%s,"of":[{"id":"a","store":%q},{"id":"other","store":%q}]}`, text, stores[0], stores[1])),
		one.post("excerpts", "{"+text+`,"of":[{"id":"a"},{"id":"other"}]}`))
	same(t, "the sources of a document", several.post("sources", fmt.Sprintf(`{"id":"b","store":%q,"min":20}`, stores[1])), one.post("sources", `{"id":"b","min":20}`))
	several.refused("POST", "/api/v1/excerpts", `{"of":[{"id":"a"}]}`, 400)
	several.refused("POST", "/api/v1/sources", `{"id":"a"}`, 400)
}

func TestShardsFindWhatOneFinds(t *testing.T) {
	one, several, stores := dealt(t, nil)
	d := described(several)
	check := func(path, body string, answer any) {
		t.Helper()
		for _, wrong := range d.fits(answer, d.response("/api/v1/"+path, "POST", "200", "application/json"), "the answer") {
			t.Errorf("%s %s: %s", path, body, wrong)
		}
	}
	for _, body := range []string{
		`{"id":"a"}`, `{"id":"a","threshold":0.1}`, `{"id":"c","nearest":3}`, `{"id":"a","threshold":0,"limit":2,"offset":1}`,
		`{"text":"The trick is to look at many"}`, `{"text":"The trick is to look at many","nearest":2}`, `{"text":"The trick is to look at","threshold":"99%"}`,
		`{"id":"a","nearest":4,"measure":"simhash"}`, `{"id":"a","measure":"si","threshold":"10%","arguments":{"si":"m3b k4"}}`,
		`{"id":"b","measure":"versions","threshold":"10%"}`, `{"id":"empty"}`, `{"text":""}`, `{"text":"no such words are stored here","lower":false}`,
	} {
		answer := several.post("similar", body)
		check("similar", body, answer)
		for _, m := range answer["matches"].([]any) {
			m := m.(object)
			doc := several.get("document?" + url.Values{"id": {m["id"].(string)}, "store": {m["store"].(string)}}.Encode())
			if doc["id"] != m["id"] || doc["store"] != m["store"] {
				t.Errorf("%s finds %v, and its store has %v", body, m, doc)
			}
		}
		same(t, body, answer, one.post("similar", body))
	}
	for n, d := range texts {
		if d.ID == "empty" {
			continue
		}
		query := url.Values{"id": {d.ID}, "store": {stores[n%2]}}.Encode()
		same(t, d.ID, several.get("document?"+query), one.get("document?"+url.Values{"id": {d.ID}}.Encode()))
		for k, e := range texts {
			both := func(store0, store1 string) string {
				return fmt.Sprintf(`{"a":{"id":%s%s},"b":{"id":%s%s}}`, quoted(d.ID), store0, quoted(e.ID), store1)
			}
			body := both(`,"store":`+quoted(stores[n%2]), `,"store":`+quoted(stores[k%2]))
			answer := several.post("compare", body)
			check("compare", body, answer)
			same(t, body, answer, one.post("compare", both("", "")))
			if n != 0 {
				continue
			}
			text := fmt.Sprintf(`{"a":{"text":"look at many small pieces"},"b":{"id":%s,"store":%s}}`, quoted(e.ID), quoted(stores[k%2]))
			without := fmt.Sprintf(`{"a":{"text":"look at many small pieces"},"b":{"id":%s}}`, quoted(e.ID))
			same(t, text, several.post("compare", text), one.post("compare", without))
		}
	}
	body := `{"a":{"text":"look at many small pieces"},"b":{"text":"many small pieces"}}`
	same(t, body, several.post("compare", body), one.post("compare", body))
	found := several.get("collections")
	if got := found["collections"].([]any)[0].(object)["documents"]; fmt.Sprint(got) != fmt.Sprint(len(texts)) {
		t.Errorf("the stores have %v documents, want %d", got, len(texts))
	}
	if got := several.lines("similar", `{"id":"a","threshold":0.1}`); len(got) < 3 {
		t.Errorf("a streamed answer has %v", got)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string has JSON
	}
	return string(b)
}

// A document that two stores have is meant by its store, and one database is not named.
func TestShardsNameTheStore(t *testing.T) {
	one, several, stores := dealt(t, nil)
	for _, tt := range []struct {
		of         site
		path, body string
		status     int
	}{
		{one, "similar", `{"id":"a","store":"x"}`, 400},
		{one, "compare", `{"a":{"id":"a","store":"x"},"b":{"id":"b"}}`, 400},
		{several, "similar", `{"id":"a","store":"x"}`, 404},
		{several, "similar", fmt.Sprintf(`{"id":"a","store":%s}`, quoted(stores[1])), 404},
		{several, "similar", fmt.Sprintf(`{"text":"a","store":%s}`, quoted(stores[1])), 400},
		{several, "similar", `{"id":"nosuch"}`, 404},
		{several, "similar", `{"id":"a","collections":["nosuch"]}`, 404},
		{several, "compare", `{"a":{"text":"a"},"b":{"text":"b","collection":"nosuch"}}`, 200},
		{several, "compare", `{"a":{"text":"a","collection":"nosuch"},"b":{"text":"b"}}`, 404},
		{several, "compare", `{"a":{"id":"a"},"b":{"text":"b"}}`, 400},
		{several, "compare", fmt.Sprintf(`{"a":{"text":"a","store":%s},"b":{"text":"b"}}`, quoted(stores[1])), 400},
	} {
		if res, answer := tt.of.send("POST", "/api/v1/"+tt.path, tt.body); res.StatusCode != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.path, tt.body, res.StatusCode, answer, tt.status)
		}
	}
	one.refused("GET", "/api/v1/document?id=a&store=x", "", 400)

	dir := t.TempDir()
	var paths []string
	for i := range 2 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		db, err := simdb.Open(paths[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Put(context.Background(), api.Document{ID: "both", Text: fmt.Sprint("one two three four ", i)}), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	shards, err := simdb.OpenShards(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shards.Close()
	server := httptest.NewServer(web.ShardsHandler(shards, nil))
	defer server.Close()
	s := site{t, nil, server.URL}
	if said := s.refused("POST", "/api/v1/similar", `{"id":"both","threshold":0}`, 400); !strings.Contains(said, paths[1]) {
		t.Errorf("an id that two stores have: %s", said)
	}
	for i := range 2 {
		answer := s.post("similar", fmt.Sprintf(`{"id":"both","store":%s,"threshold":0.1}`, quoted(paths[i])))
		matches := answer["matches"].([]any)
		if len(matches) != 1 || matches[0].(object)["store"] != paths[1-i] || answer["target"].(object)["store"] != paths[i] {
			t.Errorf("similar to the one of %s: %v", paths[i], answer)
		}
	}
}
